import ImgfetchCore

/// Finds the pictures of a style sheet or a `style` attribute while its bytes arrive: `url()` and `image-set()`.
///
/// Fonts, imported sheets and name spaces have addresses, too, and are skipped. The candidates of an
/// `image-set()` are one picture.
package struct CSSImages: PictureParser {
  private enum State: Sendable {
    case plain, slash, comment, commentStar
    case string(quote: UInt8), address, addressEnd, badAddress(isEscaped: Bool)
    case escape(Escaped), hexEscape(Escaped, value: UInt32, digits: Int)
  }

  /// The context of an escape.
  private enum Escaped: Sendable {
    case name, string(quote: UInt8), address
  }

  /// A function whose parentheses are open.
  private enum Function: Sendable {
    case other, url, set, type
  }

  /// The rule in which addresses do not name pictures, by what ends it.
  private enum Passing: Sendable {
    case nothing, statement, block(depth: Int)
  }

  /// The pictures that have been found since they were last taken.
  package private(set) var found: [PageImage] = []

  private var state = State.plain
  /// True if the last byte was a carriage return.
  private var isBehindReturn = false
  private var name: [UInt8] = []
  private var text: [UInt8] = []
  private var functions: [Function] = []
  private var passing = Passing.nothing
  /// The `image-set()` that is open.
  private var set: ImageSet?

  /// The candidates of an `image-set()`, of which the last one is being described.
  private struct ImageSet: Sendable {
    private(set) var candidates: [PageImage.Candidate] = []

    /// Adds an address, which is described next. Those beyond the limit take the place of the last one.
    mutating func add(_ reference: [UInt8]) {
      if candidates.count == Srcset.mostCandidates { candidates.removeLast() }
      candidates.append(PageImage.Candidate(reference: reference))
    }

    mutating func describeLast(_ change: (inout PageImage.Candidate) -> Void) {
      if let last = candidates.indices.last { change(&candidates[last]) }
    }
  }

  private static let mostFunctions = 64
  private static let longestName = 64
  private static let longestText = 1 << 16

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      var byte = bytes[index]
      // All ends of lines are one byte, as the standard has it.
      let isReturn = byte == UInt8(ascii: "\r")
      defer { isBehindReturn = isReturn }
      if byte == UInt8(ascii: "\n"), isBehindReturn { continue }
      if isReturn || byte == 0x0C { byte = UInt8(ascii: "\n") }
      while !take(byte) {}
    }
  }

  /// Ends the text, and with it everything that is open, as the standard says.
  package mutating func finish() {
    if case .hexEscape(let place, let value, _) = state { add(Self.character(value), to: place) }
    switch state {
    case .address, .addressEnd: endAddress()
    case .string: endString()
    default: break
    }
    state = .plain
    endName()
    while !functions.isEmpty { close() }
  }

  /// Takes the pictures found so far.
  package mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }

  /// Takes a byte. Returns false if it is to be taken again.
  private mutating func take(_ byte: UInt8) -> Bool {
    switch state {
    case .plain: return takePlain(byte)
    case .slash:
      state = byte == UInt8(ascii: "*") ? .comment : .plain
      return byte == UInt8(ascii: "*")
    case .comment: if byte == UInt8(ascii: "*") { state = .commentStar }
    case .commentStar:
      if byte != UInt8(ascii: "*") { state = byte == UInt8(ascii: "/") ? .plain : .comment }
    case .string(let quote): takeString(byte, quote)
    case .address, .addressEnd: takeAddress(byte)
    case .badAddress(let isEscaped):
      // Bytes that are not an address end where an address would end, and name nothing.
      if byte == UInt8(ascii: ")"), !isEscaped {
        state = .plain
      } else {
        state = .badAddress(isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
      }
    case .escape(let place):
      if let digit = Hex.value(byte) {
        state = .hexEscape(place, value: UInt32(digit), digits: 1)
      } else {
        // A backslash at the end of a line continues the line.
        add(byte == UInt8(ascii: "\n") ? [] : [byte], to: place)
      }
    case .hexEscape(let place, let value, let digits): return takeHex(byte, place, value, digits)
    }
    return true
  }

  private mutating func takePlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"): state = .escape(.name)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      endName()
      text = []
      state = .string(quote: byte)
    case UInt8(ascii: "("): open()
    case UInt8(ascii: "@"):
      endName()
      name = [byte]
    default:
      if Self.isName(byte) {
        if name.count < Self.longestName { name.append(TextBytes.lowered(byte)) }
        return true
      }
      endName()
      takeMark(byte)
    }
    return true
  }

  private mutating func takeMark(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "/"): state = .slash
    case UInt8(ascii: ")"): close()
    case UInt8(ascii: ";"):
      if case .statement = passing { passing = .nothing }
    case UInt8(ascii: "{"):
      functions = []
      if case .block(let depth) = passing { passing = .block(depth: depth + 1) }
    case UInt8(ascii: "}"):
      functions = []
      if case .block(let depth) = passing { passing = depth > 1 ? .block(depth: depth - 1) : .nothing }
    default: break
    }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    TextBytes.isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte >= 0x80
  }

  // MARK: Names and functions

  private mutating func endName() {
    defer { name = [] }
    guard let first = name.first else { return }
    if first == UInt8(ascii: "@") {
      switch String(decoding: name, as: UTF8.self) {
      case "@import", "@namespace", "@charset": passing = .statement
      case "@font-face": passing = .block(depth: 0)
      default: break
      }
    } else if functions.last == .set, let density = Self.density(name) {
      set?.describeLast { $0.density = density }
    }
  }

  private mutating func open() {
    let function: Function =
      switch String(decoding: name, as: UTF8.self) {
      case "url": .url
      case "image-set", "-webkit-image-set": .set
      case "type" where set != nil: .type
      default: .other
      }
    name = []
    if function == .url {
      text = []
      state = .address
    } else if functions.count < Self.mostFunctions {
      functions.append(function)
      if function == .set, set == nil { set = ImageSet() }
    }
  }

  private mutating func close() {
    guard functions.popLast() == .set, !functions.contains(.set), let candidates = set?.candidates else { return }
    set = nil
    if !candidates.isEmpty { keep(PageImage(.style, candidates)) }
  }

  /// The density that a resolution stands for: `2x`, `2dppx`, `192dpi`, `75.6dpcm`.
  private static func density(_ name: [UInt8]) -> Double? {
    let digits = name.prefix { $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: ".") }
    guard !digits.isEmpty, digits.count < 16, let value = Double(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    switch String(decoding: name.dropFirst(digits.count), as: UTF8.self) {
    case "x", "dppx": return value
    case "dpi": return value / 96
    case "dpcm": return value * 2.54 / 96
    default: return nil
    }
  }

  // MARK: Strings and addresses

  private mutating func takeString(_ byte: UInt8, _ quote: UInt8) {
    switch byte {
    case quote:
      state = .plain
      endString()
    case UInt8(ascii: "\\"): state = .escape(.string(quote: quote))
    // A string must not contain a line break, and is invalid here, as is the address that it began.
    case UInt8(ascii: "\n"):
      state = .plain
      if functions.last == .url { functions[functions.count - 1] = .other }
    default: append([byte])
    }
  }

  private mutating func endString() {
    switch functions.last {
    case .set: set?.add(text)
    case .type:
      let type = text
      set?.describeLast { $0.type = type }
    case .url:
      functions.removeLast()
      endAddress()
      // Everything up to the closing parenthesis is ignored.
      functions.append(.other)
    default: break
    }
  }

  private mutating func takeAddress(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: ")"):
      state = .plain
      endAddress()
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard text.isEmpty else { return state = .badAddress(isEscaped: false) }
      functions.append(.url)
      state = .string(quote: byte)
    default:
      if TextBytes.isSpace(byte) {
        if !text.isEmpty { state = .addressEnd }
      } else if case .addressEnd = state {
        state = .badAddress(isEscaped: byte == UInt8(ascii: "\\"))
      } else if byte == UInt8(ascii: "\\") {
        state = .escape(.address)
      } else if byte == UInt8(ascii: "(") || byte < 0x20 || byte == 0x7F {
        state = .badAddress(isEscaped: false)
      } else {
        append([byte])
      }
    }
  }

  private mutating func endAddress() {
    // The address of a part of the page itself (`#gradient`) names no other file.
    guard let first = text.first, first != UInt8(ascii: "#"), text.count < Self.longestText else { return }
    if functions.last == .set {
      set?.add(text)
    } else {
      keep(PageImage(.style, text[...]))
    }
    text = []
  }

  private mutating func keep(_ image: PageImage) {
    if case .nothing = passing { found.append(image) }
  }

  // MARK: Escapes

  private mutating func takeHex(_ byte: UInt8, _ place: Escaped, _ value: UInt32, _ digits: Int) -> Bool {
    if digits < 6, let digit = Hex.value(byte) {
      state = .hexEscape(place, value: value << 4 | UInt32(digit), digits: digits + 1)
      return true
    }
    add(Self.character(value), to: place)
    // One space ends the digits, and belongs to them.
    return TextBytes.isSpace(byte)
  }

  private static func character(_ value: UInt32) -> [UInt8] {
    let scalar = value == 0 ? nil : Unicode.Scalar(value)
    return Array(scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func add(_ bytes: [UInt8], to place: Escaped) {
    switch place {
    case .name:
      state = .plain
      if name.count < Self.longestName { name += bytes.map(TextBytes.lowered) }
    case .string(let quote):
      state = .string(quote: quote)
      append(bytes)
    case .address:
      state = .address
      append(bytes)
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    if text.count < Self.longestText { text += bytes }
  }
}
