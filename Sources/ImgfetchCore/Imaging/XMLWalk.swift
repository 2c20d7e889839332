/// Walks an XML document while its bytes arrive, and throws where it is not well-formed. It yields the start tags, and holds no more than
/// the current one and the names of the open elements.
///
/// Nothing that a document refers to is ever read. Entities are declared in the document itself, or they are an error.
struct XMLWalk: Sendable {
  /// A start tag. Of long values only the beginning is kept.
  struct Tag: Sendable {
    var name = ""
    var attributes: [(name: String, value: String)] = []

    /// The value of an attribute; nil if there is none of the name.
    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

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
  /// How many bytes of an end mark have come.
  private var run = 0
  /// The quote that is open; 0: none.
  private var quote: UInt8 = 0
  private var current = Tag()
  private var value: [UInt8] = []
  private var open: [[UInt8]] = []
  private var entities = XMLEntities()
  private var characters = UTF8Check()
  private var hasRoot = false

  /// Whether the root element has been closed.
  var isComplete: Bool { hasRoot && open.isEmpty && !isInTag }

  private var isInTag: Bool {
    switch state {
    case .text: false
    default: true
    }
  }

  /// The next start tag in these bytes, from `at` on, which moves behind what was taken; nil: there is none, or the root has been closed.
  mutating func next(_ bytes: Span<UInt8>, _ at: inout Int) throws(XMLFault) -> Tag? {
    while at < bytes.count, !isComplete {
      let byte = bytes[at]
      at += 1
      try characters.take(byte)
      guard byte >= 0x20 || Self.isSpace(byte) else { throw XMLFault("a control character") }
      if let tag = try take(byte) { return tag }
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) throws(XMLFault) -> Tag? {
    switch state {
    case .text: try takeText(byte)
    case .less: try takeLess(byte)
    case .bang: try takeBang(byte)
    case .comment, .characters, .instruction, .subsetComment, .subsetInstruction: try takeMarked(byte)
    case .doctype, .subset, .subsetLess, .declaration, .afterSubset: try takeDoctype(byte)
    case .reference(let inValue): try takeReference(byte, inValue: inValue)
    case .endName, .endTag: try takeEnd(byte)
    case .name, .tag, .attribute, .equals, .quote, .value, .afterValue, .empty: return try takeTag(byte)
    }
    return nil
  }

  // MARK: Between tags

  private mutating func takeText(_ byte: UInt8) throws(XMLFault) {
    switch byte {
    case UInt8(ascii: "<"): begin(.less)
    case UInt8(ascii: "&") where !open.isEmpty: begin(.reference(inValue: false))
    default:
      guard open.isEmpty, !Self.isSpace(byte) else { return }
      // A mark of the encoding may precede everything.
      guard !hasRoot, [0xEF, 0xBB, 0xBF].contains(byte) else { throw XMLFault("text outside of its root") }
    }
  }

  private mutating func takeLess(_ byte: UInt8) throws(XMLFault) {
    switch byte {
    case UInt8(ascii: "!"): begin(.bang)
    case UInt8(ascii: "?"): begin(.instruction)
    case UInt8(ascii: "/"): begin(.endName)
    default:
      guard Self.beginsName(byte) else { throw XMLFault("a tag without a name") }
      guard open.count < Self.mostOpen else { throw XMLFault("more than \(Self.mostOpen) elements within each other") }
      current = Tag()
      begin(.name)
      token = [byte]
    }
  }

  private mutating func takeBang(_ byte: UInt8) throws(XMLFault) {
    token.append(byte)
    if token.elementsEqual("--".utf8) {
      begin(.comment)
    } else if token.elementsEqual("[CDATA[".utf8), !open.isEmpty {
      begin(.characters)
    } else if token.elementsEqual("DOCTYPE".utf8), !hasRoot {
      begin(.doctype)
    } else if !["--", "[CDATA[", "DOCTYPE"].contains(where: { $0.utf8.starts(with: token) }) {
      throw XMLFault("a declaration that does not exist")
    }
  }

  /// Passes over what ends with a mark: two bytes of one kind and `>`, or `?>`.
  private mutating func takeMarked(_ byte: UInt8) throws(XMLFault) {
    let (mark, count, after): (UInt8, Int, State) =
      switch state {
      case .comment: (UInt8(ascii: "-"), 2, .text)
      case .subsetComment: (UInt8(ascii: "-"), 2, .subset)
      case .characters: (UInt8(ascii: "]"), 2, .text)
      case .subsetInstruction: (UInt8(ascii: "?"), 1, .subset)
      default: (UInt8(ascii: "?"), 1, .text)
      }
    if byte == UInt8(ascii: ">"), run >= count {
      if case .instruction = state, !hasRoot { characters.read(declaration: token) }
      begin(after)
    } else {
      run = byte == mark ? run + 1 : 0
      if token.count < Self.longestInstruction { token.append(byte) }
    }
  }

  // MARK: The document's type

  private mutating func takeDoctype(_ byte: UInt8) throws(XMLFault) {
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
      throw XMLFault("a document type that is cut short")
    case (.subset, _), (.afterSubset, _):
      guard Self.isSpace(byte) else { throw XMLFault("a document type with entities for declarations") }
    default:
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
      try keepDeclaration(byte)
      if case .declaration = state, token.elementsEqual("--".utf8) { begin(.subsetComment) }
    }
  }

  private mutating func keepDeclaration(_ byte: UInt8) throws(XMLFault) {
    guard token.count < XMLEntities.longestDeclaration else { throw XMLFault("a declaration that is too long") }
    token.append(byte)
  }

  // MARK: Tags

  private mutating func takeTag(_ byte: UInt8) throws(XMLFault) -> Tag? {
    let isSpace = Self.isSpace(byte)
    switch state {
    case .name, .attribute:
      if Self.continuesName(byte) {
        try keepName(byte)
        return nil
      }
      if case .attribute = state {
        guard isSpace || byte == UInt8(ascii: "=") else { throw XMLFault("an attribute without a value") }
        state = isSpace ? .equals : .quote
        return nil
      }
      current.name = String(decoding: token, as: UTF8.self)
      state = .tag
      return try takeTag(byte)
    case .equals:
      guard isSpace || byte == UInt8(ascii: "=") else { throw XMLFault("an attribute without a value") }
      if !isSpace { state = .quote }
    case .quote:
      guard isSpace || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
        throw XMLFault("an attribute without quotes")
      }
      guard !isSpace else { return nil }
      quote = byte
      value = []
      state = .value
    case .value:
      if byte == quote {
        try endAttribute()
      } else if byte == UInt8(ascii: "&") {
        // The attribute's name is in the token, which the reference needs.
        current.attributes.append((String(decoding: token, as: UTF8.self), ""))
        begin(.reference(inValue: true))
      } else {
        guard byte != UInt8(ascii: "<") else { throw XMLFault("a tag within another") }
        if value.count < Self.longestValue { value.append(byte) }
      }
    default:
      switch byte {
      case UInt8(ascii: ">"):
        return try endTag(byte)
      case UInt8(ascii: "/"):
        guard !isEmptyMark else { throw XMLFault("a tag that is cut short") }
        state = .empty
      default:
        guard !isEmptyMark else { throw XMLFault("a tag that is cut short") }
        if isSpace {
          state = .tag
        } else {
          guard case .tag = state, Self.beginsName(byte) else { throw XMLFault("attributes without a space between") }
          state = .attribute
          token = [byte]
        }
      }
    }
    return nil
  }

  private var isEmptyMark: Bool { if case .empty = state { true } else { false } }

  private mutating func endAttribute() throws(XMLFault) {
    quote = 0
    state = .afterValue
    let name = String(decoding: token, as: UTF8.self)
    guard !current.attributes.contains(where: { $0.name == name }) else { throw XMLFault("an attribute twice") }
    guard current.attributes.count < Self.mostAttributes else { throw XMLFault("too many attributes") }
    current.attributes.append((name, String(decoding: value, as: UTF8.self)))
  }

  private mutating func endTag(_ byte: UInt8) throws(XMLFault) -> Tag {
    let isEmpty = isEmptyMark
    if !isEmpty { open.append(Array(current.name.utf8)) }
    hasRoot = true
    begin(.text)
    return current
  }

  private mutating func takeEnd(_ byte: UInt8) throws(XMLFault) {
    if case .endName = state, Self.continuesName(byte) {
      try keepName(byte)
    } else if byte == UInt8(ascii: ">") {
      guard let inner = open.popLast(), inner == token else { throw XMLFault("an end tag of another element") }
      begin(.text)
    } else {
      guard Self.isSpace(byte) else { throw XMLFault("a tag that is cut short") }
      state = .endTag
    }
  }

  // MARK: References

  private mutating func takeReference(_ byte: UInt8, inValue: Bool) throws(XMLFault) {
    guard byte == UInt8(ascii: ";") else {
      guard Self.continuesName(byte) || byte == UInt8(ascii: "#"), token.count < Self.longestReference else {
        throw XMLFault("an ampersand that begins no reference")
      }
      token.append(byte)
      return
    }
    let text = try entities.text(of: token)
    guard inValue else {
      begin(.text)
      return
    }
    if value.count < Self.longestValue { value += text.prefix(Self.longestValue) }
    state = .value
    token = Array((current.attributes.popLast()?.name ?? "").utf8)
  }

  private mutating func begin(_ next: State) {
    state = next
    token = []
    run = 0
  }

  private mutating func keepName(_ byte: UInt8) throws(XMLFault) {
    guard token.count < Self.longestName else { throw XMLFault("a name that is too long") }
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
  /// Enough for a size or an address; a path or a picture within is passed over.
  private static let longestValue = 256
  private static let longestReference = 64
  private static let longestInstruction = 256
}

/// Why a document is not well-formed.
struct XMLFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
