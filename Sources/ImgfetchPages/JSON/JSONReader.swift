import ImgfetchCore

/// Reads JSON (RFC 8259) while its bytes arrive, one value or several one after another. Depth costs a
/// byte a level and no stack.
///
/// It is lenient where nothing depends on it: a comma too many, or a word that is no literal. Ambiguous text ends it.
package struct JSONReader: Sendable {
  private enum State: Sendable {
    case value, string, escape, unicode(value: UInt32, digits: Int), literal, failed
  }

  private var state = State.value
  /// The open arrays and objects, with true for an object.
  private var open: [Bool] = []
  private var expectsKey = false
  private var text: [UInt8] = []
  /// The first half of a surrogate pair.
  private var half: UInt32?

  private static let mostOpen = 1_000
  /// The number of bytes that are kept of a string: an address is shorter, and a picture in base64 is not an address.
  private static let longestText = 1 << 16

  package init() {}

  /// True if the text cannot be read any further.
  package var hasFailed: Bool { if case .failed = state { true } else { false } }

  /// True within a value: a text that ends here is cut short.
  package var isInValue: Bool {
    switch state {
    case .value, .literal, .failed: !open.isEmpty
    case .string, .escape, .unicode: true
    }
  }

  /// The reason why the text cannot be read to its end, or nil if it can. Known once it has ended.
  var fault: String? {
    if hasFailed { return "its JSON cannot be read to the end" }
    return isInValue ? "its JSON has no end" : nil
  }

  package mutating func feed(_ bytes: Span<UInt8>, _ take: (JSONEvent) -> Void) {
    for index in bytes.indices {
      let byte = bytes[index]
      switch state {
      case .value: takeValue(byte, take)
      case .string: takeString(byte, take)
      case .escape: takeEscape(byte)
      case .unicode(let value, let digits): takeUnicode(byte, value, digits)
      case .literal:
        if Self.isLiteral(byte) {
          append(byte)
        } else {
          endLiteral(take)
          takeValue(byte, take)
        }
      case .failed: return
      }
    }
  }

  /// Ends the text: a number may end with it.
  package mutating func finish(_ take: (JSONEvent) -> Void) {
    if case .literal = state { endLiteral(take) }
  }

  private mutating func takeValue(_ byte: UInt8, _ take: (JSONEvent) -> Void) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard open.count < Self.mostOpen else { return state = .failed }
      open.append(byte == UInt8(ascii: "{"))
      expectsKey = byte == UInt8(ascii: "{")
      take(expectsKey ? .beginObject : .beginArray)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard open.popLast() == (byte == UInt8(ascii: "}")) else { return state = .failed }
      expectsKey = false
      take(byte == UInt8(ascii: "}") ? .endObject : .endArray)
    case UInt8(ascii: ","): expectsKey = open.last ?? false
    case UInt8(ascii: ":"): expectsKey = false
    case UInt8(ascii: "\""):
      text = []
      state = .string
    default:
      if TextBytes.isSpace(byte) || byte == UInt8(ascii: "\r") || byte >= 0x80 { return }
      guard Self.isLiteral(byte) else { return state = .failed }
      text = [byte]
      state = .literal
    }
  }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    TextBytes.isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
  }

  private mutating func endLiteral(_ take: (JSONEvent) -> Void) {
    state = .value
    if !expectsKey { take(.literal(text)) }
  }

  // MARK: Strings

  private mutating func takeString(_ byte: UInt8, _ take: (JSONEvent) -> Void) {
    switch byte {
    case UInt8(ascii: "\""):
      endHalf()
      state = .value
      take(expectsKey ? .key(text) : .string(text))
    case UInt8(ascii: "\\"): state = .escape
    default:
      endHalf()
      append(byte)
    }
  }

  private mutating func takeEscape(_ byte: UInt8) {
    state = .string
    if byte == UInt8(ascii: "u") { return state = .unicode(value: 0, digits: 0) }
    endHalf()
    switch byte {
    case UInt8(ascii: "b"): append(8)
    case UInt8(ascii: "f"): append(12)
    case UInt8(ascii: "n"): append(10)
    case UInt8(ascii: "r"): append(13)
    case UInt8(ascii: "t"): append(9)
    default: append(byte)
    }
  }

  private mutating func takeUnicode(_ byte: UInt8, _ value: UInt32, _ digits: Int) {
    guard let digit = Hex.value(byte) else { return state = .failed }
    let value = value << 4 | UInt32(digit)
    guard digits == 3 else { return state = .unicode(value: value, digits: digits + 1) }
    state = .string
    if let high = half, (0xDC00..<0xE000).contains(value) {
      half = nil
      append(scalar: 0x10000 + (high - 0xD800) << 10 + value - 0xDC00)
    } else {
      endHalf()
      if (0xD800..<0xDC00).contains(value) { half = value } else { append(scalar: value) }
    }
  }

  /// Half a surrogate pair stands for nothing.
  private mutating func endHalf() {
    guard half != nil else { return }
    half = nil
    append(scalar: 0xFFFD)
  }

  private mutating func append(scalar value: UInt32) {
    for byte in Unicode.Scalar(value).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter { append(byte) }
  }

  private mutating func append(_ byte: UInt8) {
    if text.count < Self.longestText { text.append(byte) }
  }
}
