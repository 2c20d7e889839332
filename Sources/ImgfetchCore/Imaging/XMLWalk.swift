/// Walks an XML document while its bytes arrive, and throws if it is not well-formed. It reports the start tags, and
/// holds only the current one and the names of the open elements.
///
/// Nothing that a document refers to is ever read. Entities are declared in the document itself, or they are an error.
package struct XMLWalk: Sendable {
  private enum State: Sendable {
    case text, less, bang, comment, characters, instruction
    case doctype, subset, subsetLess, declaration, subsetComment, subsetInstruction, afterSubset
    case name, tag, attribute, equals, quote, value, afterValue, empty
    case endName, endTag
    case reference(inValue: Bool)
  }

  private var state = State.text
  /// The bytes of the current name, reference or declaration.
  private var token: [UInt8] = []
  /// The number of bytes of an end mark that have come.
  private var run = 0
  /// The open quote, or 0 for none.
  private var quote: UInt8 = 0
  /// The last start tag.
  package private(set) var tag = XMLTag()
  /// True if the last start tag is its own end tag, too.
  package private(set) var isEmptyElement = false
  /// The text since the last tag, as much of it as is kept.
  package private(set) var characterData: [UInt8] = []
  /// True if text and long values are kept, and a reference that stands for nothing is text.
  private let isForReading: Bool
  /// The beginning of the last instruction, as much of it as is kept.
  private(set) var instruction: [UInt8] = []
  /// The number of bytes of the current value that are kept.
  private var longestValue = 0
  /// The names of the open elements, one behind the other, and how long each is.
  private var names: [UInt8] = []
  private var open: [UInt16] = []
  private var entities = XMLEntities()
  private var characters = UTF8Check()
  private var hasRoot = false

  /// - Parameter isForReading: True if texts are wanted: they are kept up to 1 MB, values up to 8 KB, and what an
  ///   ampersand begins that is no reference is text, since feeds are full of such. Otherwise only the structure
  ///   counts.
  package init(isForReading: Bool = false) { self.isForReading = isForReading }

  /// True if the root element has been closed.
  package var isComplete: Bool { hasRoot && open.isEmpty && !isInTag }

  private var isInTag: Bool {
    switch state {
    case .text: false
    default: true
    }
  }

  /// Something that a document has.
  package enum Event {
    /// A start tag, which is in ``tag``.
    case tag
    /// An end tag; before it stands ``characterData``. Told only of a document that is read.
    case end
    /// An instruction for a program, which is in ``instruction``.
    case instruction
  }

  /// Returns the next event in these bytes, from `at` on, which moves behind the consumed ones, or nil if there is
  /// none, or the root has been closed.
  package mutating func next(_ bytes: Span<UInt8>, _ at: inout Int) throws(WalkFault) -> Event? {
    while at < bytes.count, !isComplete {
      let byte = bytes[at]
      at += 1
      try characters.take(byte)
      guard byte >= 0x20 || Self.isSpace(byte) else { throw WalkFault("a control character") }
      if let event = try take(byte) { return event }
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) throws(WalkFault) -> Event? {
    switch state {
    case .text: try takeText(byte)
    case .less: try takeLess(byte)
    case .bang: try takeBang(byte)
    case .comment, .characters, .instruction, .subsetComment, .subsetInstruction: return try takeMarked(byte)
    case .doctype, .subset, .subsetLess, .declaration, .afterSubset: try takeDoctype(byte)
    case .reference(let inValue): try takeReference(byte, inValue: inValue)
    case .endName, .endTag: return try takeEnd(byte)
    case .name, .tag, .attribute, .equals, .quote, .value, .afterValue, .empty: return try takeTag(byte)
    }
    return nil
  }

  // MARK: Between tags

  private mutating func takeText(_ byte: UInt8) throws(WalkFault) {
    switch byte {
    case UInt8(ascii: "<"): begin(.less)
    case UInt8(ascii: "&") where !open.isEmpty: begin(.reference(inValue: false))
    default:
      if isForReading, !open.isEmpty { keepText(byte) }
      guard open.isEmpty, !Self.isSpace(byte) else { return }
      // A mark of the encoding may precede everything.
      guard !hasRoot, [0xEF, 0xBB, 0xBF].contains(byte) else { throw WalkFault("text outside of its root") }
    }
  }

  private mutating func keepText(_ byte: UInt8) {
    if characterData.count < Self.longestText { characterData.append(byte) }
  }

  /// Forgets the text that has come.
  package mutating func dropText() { characterData.removeAll(keepingCapacity: characterData.count < Self.longestKept) }

  private mutating func takeLess(_ byte: UInt8) throws(WalkFault) {
    switch byte {
    case UInt8(ascii: "!"): begin(.bang)
    case UInt8(ascii: "?"): begin(.instruction)
    case UInt8(ascii: "/"): begin(.endName)
    default:
      guard Self.beginsName(byte) else { throw WalkFault("a tag without a name") }
      guard open.count < Self.mostOpen else { throw WalkFault("more than \(Self.mostOpen) elements within each other") }
      tag.begin()
      begin(.name)
      token.append(byte)
    }
  }

  private mutating func takeBang(_ byte: UInt8) throws(WalkFault) {
    token.append(byte)
    let (mark, next): (StaticString, State) =
      switch token[0] {
      case UInt8(ascii: "-"): ("--", .comment)
      case UInt8(ascii: "[") where !open.isEmpty: ("[CDATA[", .characters)
      case UInt8(ascii: "D") where !hasRoot: ("DOCTYPE", .doctype)
      default: throw WalkFault("a declaration that does not exist")
      }
    guard mark.utf8CodeUnitCount >= token.count, mark.holds(byte, at: token.count - 1) else {
      throw WalkFault("a declaration that does not exist")
    }
    if token.count == mark.utf8CodeUnitCount { begin(next) }
  }

  /// Passes over what ends with a mark: two bytes of one kind and `>`, or `?>`.
  private mutating func takeMarked(_ byte: UInt8) throws(WalkFault) -> Event? {
    let (mark, count, after): (UInt8, Int, State) =
      switch state {
      case .comment: (UInt8(ascii: "-"), 2, .text)
      case .subsetComment: (UInt8(ascii: "-"), 2, .subset)
      case .characters: (UInt8(ascii: "]"), 2, .text)
      case .subsetInstruction: (UInt8(ascii: "?"), 1, .subset)
      default: (UInt8(ascii: "?"), 1, .text)
      }
    if isForReading, case .characters = state { keepText(byte) }
    if byte == UInt8(ascii: ">"), run >= count {
      if isForReading, case .characters = state { characterData.removeLast(min(3, characterData.count)) }
      guard case .instruction = state else {
        begin(after)
        return nil
      }
      if !hasRoot { characters.read(declaration: token) }
      instruction = token
      begin(after)
      return .instruction
    }
    run = byte == mark ? run + 1 : 0
    if token.count < Self.longestInstruction { token.append(byte) }
    return nil
  }

  // MARK: The document's type

  private mutating func takeDoctype(_ byte: UInt8) throws(WalkFault) {
    if quote != 0 {
      if byte == quote { quote = 0 }
      try keepDeclaration(byte)
      return
    }
    switch (state, byte) {
    case (.doctype, UInt8(ascii: "[")): begin(.subset)
    case (.doctype, UInt8(ascii: ">")), (.afterSubset, UInt8(ascii: ">")): begin(.text)
    case (.subset, UInt8(ascii: "]")): begin(.afterSubset)
    case (.subset, UInt8(ascii: "<")): begin(.subsetLess)
    case (.subsetLess, UInt8(ascii: "!")): begin(.declaration)
    case (.subsetLess, UInt8(ascii: "?")): begin(.subsetInstruction)
    case (.declaration, UInt8(ascii: ">")):
      try entities.declare(token)
      begin(.subset)
    case (.doctype, UInt8(ascii: "<")), (.doctype, UInt8(ascii: "]")), (.subsetLess, _):
      throw WalkFault("a document type that is cut short")
    case (.subset, _), (.afterSubset, _):
      guard Self.isSpace(byte) else { throw WalkFault("a document type with entities for declarations") }
    default:
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
      try keepDeclaration(byte)
      if case .declaration = state, token.elementsEqual("--".utf8) { begin(.subsetComment) }
    }
  }

  private mutating func keepDeclaration(_ byte: UInt8) throws(WalkFault) {
    guard token.count < XMLEntities.longestDeclaration else { throw WalkFault("a declaration that is too long") }
    token.append(byte)
  }

  // MARK: Tags

  private mutating func takeTag(_ byte: UInt8) throws(WalkFault) -> Event? {
    let isSpace = Self.isSpace(byte)
    switch state {
    case .name, .attribute:
      if Self.continuesName(byte) {
        try keepName(byte)
        return nil
      }
      if case .attribute = state {
        guard isSpace || byte == UInt8(ascii: "=") else { throw WalkFault("an attribute without a value") }
        state = isSpace ? .equals : .quote
        return nil
      }
      tag.setName(token)
      state = .tag
      return try takeTag(byte)
    case .equals:
      guard isSpace || byte == UInt8(ascii: "=") else { throw WalkFault("an attribute without a value") }
      if !isSpace { state = .quote }
    case .quote:
      guard isSpace || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
        throw WalkFault("an attribute without quotes")
      }
      guard !isSpace else { return nil }
      guard tag.count < Self.mostAttributes else { throw WalkFault("too many attributes") }
      quote = byte
      tag.beginAttribute(token)
      longestValue =
        isForReading
        ? Self.longestReadValue : SVGScripts.mayHoldScript(token[...]) ? Self.longestScriptedValue : Self.longestValue
      state = .value
    case .value:
      if byte == quote {
        endAttribute()
      } else if byte == UInt8(ascii: "&") {
        begin(.reference(inValue: true))
      } else {
        guard byte != UInt8(ascii: "<") else { throw WalkFault("a tag within another") }
        if tag.valueLength < longestValue { tag.append(byte) }
      }
    default:
      switch byte {
      case UInt8(ascii: ">"): return try endTag()
      case UInt8(ascii: "/"):
        guard !isEmptyMark else { throw WalkFault("a tag that is cut short") }
        state = .empty
      default:
        guard !isEmptyMark else { throw WalkFault("a tag that is cut short") }
        if isSpace {
          state = .tag
        } else {
          guard case .tag = state, Self.beginsName(byte) else { throw WalkFault("attributes without a space between") }
          begin(.attribute)
          token.append(byte)
        }
      }
    }
    return nil
  }

  private var isEmptyMark: Bool { if case .empty = state { true } else { false } }

  private mutating func endAttribute() {
    quote = 0
    state = .afterValue
    tag.endAttribute()
  }

  private mutating func endTag() throws(WalkFault) -> Event {
    guard !tag.repeatsName else { throw WalkFault("an attribute twice") }
    isEmptyElement = isEmptyMark
    if !isEmptyMark {
      names += tag.name
      open.append(UInt16(clamping: tag.name.count))
    }
    hasRoot = true
    begin(.text)
    return .tag
  }

  private mutating func takeEnd(_ byte: UInt8) throws(WalkFault) -> Event? {
    if case .endName = state, Self.continuesName(byte) {
      try keepName(byte)
    } else if byte == UInt8(ascii: ">") {
      guard let inner = open.popLast(), names.suffix(Int(inner)) == token[...] else {
        throw WalkFault("an end tag of another element")
      }
      names.removeLast(Int(inner))
      begin(.text)
      return isForReading ? .end : nil
    } else {
      guard Self.isSpace(byte) else { throw WalkFault("a tag that is cut short") }
      state = .endTag
    }
    return nil
  }

  // MARK: References

  private mutating func takeReference(_ byte: UInt8, inValue: Bool) throws(WalkFault) {
    guard byte == UInt8(ascii: ";") else {
      guard Self.continuesName(byte) || byte == UInt8(ascii: "#"), token.count < Self.longestReference else {
        guard isForReading else { throw WalkFault("an ampersand that begins no reference") }
        return try takeAsText(byte, inValue: inValue)
      }
      token.append(byte)
      return
    }
    let isKnown = !isForReading || entities.knows(token)
    let text = isKnown ? try entities.text(of: token) : [UInt8(ascii: "&")] + token + [byte]
    end(reference: text, inValue: inValue)
  }

  /// The ampersand and what has come behind it are text, and so is this byte, unless it means something itself.
  private mutating func takeAsText(_ byte: UInt8, inValue: Bool) throws(WalkFault) {
    end(reference: [UInt8(ascii: "&")] + token, inValue: inValue)
    if inValue { _ = try takeTag(byte) } else { try takeText(byte) }
  }

  private mutating func end(reference text: [UInt8], inValue: Bool) {
    guard inValue else {
      if isForReading { for byte in text { keepText(byte) } }
      begin(.text)
      return
    }
    for byte in text where tag.valueLength < longestValue { tag.append(byte) }
    state = .value
  }

  private mutating func begin(_ next: State) {
    state = next
    token.removeAll(keepingCapacity: token.capacity <= Self.longestName)
    run = 0
  }

  private mutating func keepName(_ byte: UInt8) throws(WalkFault) {
    guard token.count < Self.longestName else { throw WalkFault("a name that is too long") }
    token.append(byte)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private static func beginsName(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
      || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  private static func continuesName(_ byte: UInt8) -> Bool {
    beginsName(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  /// Four times what browsers' parsers take by default.
  private static let mostOpen = 1024
  /// An element of the standard has some 200 at most.
  private static let mostAttributes = 512
  private static let longestName = 1024
  /// The kept length of a value, enough for a size or an address; a path or a picture within is skipped.
  private static let longestValue = 256
  /// The length for values that may contain scripts, behind other words.
  private static let longestScriptedValue = 4096
  /// The length for a document that is read; addresses are no longer.
  private static let longestReadValue = 8192
  private static let longestText = 1 << 20
  private static let longestKept = 1 << 16
  private static let longestReference = 64
  private static let longestInstruction = 256
}

extension StaticString {
  fileprivate func holds(_ byte: UInt8, at place: Int) -> Bool {
    withUTF8Buffer { unsafe $0.indices.contains(place) && $0[place] == byte }
  }
}
