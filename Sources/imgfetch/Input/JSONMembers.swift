import ImgfetchCore
import ImgfetchReport

/// The members of a JSON object (RFC 8259), each value as its text, so that nothing is lost by reading it.
///
/// Depth costs memory and no stack. The bytes are valid UTF-8.
struct JSONMembers {
  struct Member {
    let name: String
    let value: ArraySlice<UInt8>
  }

  private let bytes: ArraySlice<UInt8>
  private var at: Int
  private var members: [Member] = []
  /// The places in the value that is being read of what other readers do not take, and what stands for it.
  private var strangers: [(place: Range<Int>, substitute: StaticString)] = []
  /// The number of arrays and objects of a value that may be one within the other.
  private let deepest: Int
  private var isTooDeep = false

  /// The depth of a value that a list may have. DuckDB reads 128 levels, of which a row has two of its own; Python
  /// about 1,000.
  static let deepestOfLists = 100

  /// The members of an object; nil if the bytes are no JSON object.
  static func read(_ bytes: ArraySlice<UInt8>) -> [Member]? {
    let (members, flaw) = readFirst(bytes)
    return flaw == nil ? members : nil
  }

  /// The members up to the first place at which the bytes are no JSON object, and what is wrong there, or nil.
  static func readFirst(_ bytes: ArraySlice<UInt8>, deepest: Int = .max) -> (members: [Member], flaw: String?) {
    var reader = JSONMembers(bytes: bytes, at: bytes.startIndex, deepest: deepest)
    let isObject = reader.skipMembers()
    reader.skipBlanks()
    let members = lastOfEachName(reader.members)
    if reader.isTooDeep { return (members, "the record has a value with more than \(deepest) levels") }
    return (members, isObject && reader.at == bytes.endIndex ? nil : "the record is no JSON object")
  }

  /// Of members with one name the last counts, as in Python and JavaScript. DuckDB and pyarrow refuse rows with both.
  private static func lastOfEachName(_ members: [Member]) -> [Member] {
    guard members.count > 1 else { return members }
    var last: [[UInt8]: Int] = [:]
    for (place, member) in members.enumerated() { last[Array(member.name.utf8)] = place }
    return last.count == members.count ? members : last.values.sorted().map { members[$0] }
  }

  /// The values of a JSON array; nil if the bytes are none.
  static func elements(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    var reader = JSONMembers(bytes: bytes, at: bytes.startIndex)
    guard reader.skip(UInt8(ascii: "[")) else { return nil }
    var elements: [ArraySlice<UInt8>] = []
    if !reader.skip(UInt8(ascii: "]")) {
      repeat {
        reader.skipBlanks()
        let start = reader.at
        guard reader.skipValue() else { return nil }
        elements.append(bytes[start..<reader.at])
      } while reader.skip(UInt8(ascii: ","))
      guard reader.skip(UInt8(ascii: "]")) else { return nil }
    }
    reader.skipBlanks()
    return reader.at == bytes.endIndex ? elements : nil
  }

  /// The text of a JSON string; nil if the value is none. Half a surrogate pair becomes U+FFFD.
  static func text(of value: ArraySlice<UInt8>) -> String? {
    guard value.count >= 2, value.first == quote, value.last == quote else { return nil }
    let inside = value.dropFirst().dropLast()
    guard inside.contains(backslash) else { return String(decoding: inside, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(inside.count)
    JSONText.append(inside.span, to: &text, most: .max)
    return String(decoding: text, as: UTF8.self)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private init(bytes: ArraySlice<UInt8>, at: Int, deepest: Int = .max) {
    self.bytes = bytes
    self.at = at
    self.deepest = deepest
  }

  // MARK: - The grammar

  private var next: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard next == byte else { return false }
    at += 1
    return true
  }

  private mutating func skipMembers() -> Bool {
    guard skip(UInt8(ascii: "{")) else { return false }
    if skip(UInt8(ascii: "}")) { return true }
    repeat {
      skipBlanks()
      let start = at
      guard skipString(), let name = Self.text(of: bytes[start..<at]), skip(UInt8(ascii: ":")) else { return false }
      skipBlanks()
      let value = at
      strangers = []
      guard skipValue() else { return false }
      members.append(Member(name: name, value: strangers.isEmpty ? bytes[value..<at] : substituted(from: value)))
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "}"))
  }

  /// Python and DuckDB write NaN and Infinity, which no other reader takes. They stand for unknown values,
  /// so they are read as null. Half of a surrogate pair is no text to any reader but JavaScript's.
  private func substituted(from start: Int) -> ArraySlice<UInt8> {
    var value: [UInt8] = []
    var copied = start
    for (place, substitute) in strangers {
      value += bytes[copied..<place.lowerBound]
      value += "\(substitute)".utf8
      copied = place.upperBound
    }
    return (value + bytes[copied..<at])[...]
  }

  private mutating func skipName() -> Bool {
    skipBlanks()
    return skipString() && skip(UInt8(ascii: ":"))
  }

  private mutating func skipValue() -> Bool {
    /// The ends of the open values.
    var open: [UInt8] = []
    while true {
      skipBlanks()
      if open.count >= deepest, next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
        isTooDeep = true
        return false
      }
      if next == UInt8(ascii: "{") {
        at += 1
        if !skip(UInt8(ascii: "}")) {
          open.append(UInt8(ascii: "}"))
          guard skipName() else { return false }
          continue
        }
      } else if next == UInt8(ascii: "[") {
        at += 1
        if !skip(UInt8(ascii: "]")) {
          open.append(UInt8(ascii: "]"))
          continue
        }
      } else if !skipScalar() {
        return false
      }
      while let end = open.last, skip(end) { open.removeLast() }
      guard let end = open.last else { return true }
      guard skip(UInt8(ascii: ",")) else { return false }
      if end == UInt8(ascii: "}"), !skipName() { return false }
    }
  }

  private mutating func skipScalar() -> Bool {
    switch next {
    case Self.quote?: return skipString()
    case UInt8(ascii: "t")?: return skip(word: "true")
    case UInt8(ascii: "f")?: return skip(word: "false")
    case UInt8(ascii: "n")?: return skip(word: "null")
    case UInt8(ascii: "N")?: return skipStranger("NaN")
    case UInt8(ascii: "I")?: return skipStranger("Infinity")
    case UInt8(ascii: "-")? where at + 1 < bytes.endIndex && bytes[at + 1] == UInt8(ascii: "I"):
      return skipStranger("-Infinity")
    default: return skipNumber()
    }
  }

  private mutating func skipStranger(_ word: StaticString) -> Bool {
    let start = at
    guard skip(word: word) else { return false }
    strangers.append((start..<at, "null"))
    return true
  }

  private mutating func skip(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.endIndex - at >= count, String(decoding: bytes[at..<(at + count)], as: UTF8.self) == "\(word)" else {
      return false
    }
    at += count
    return true
  }

  private mutating func skipString() -> Bool {
    guard next == Self.quote else { return false }
    at += 1
    while let byte = next {
      at += 1
      switch byte {
      case Self.quote: return true
      case 0..<32: return false
      case Self.backslash:
        guard let mark = next else { return false }
        at += 1
        if mark == UInt8(ascii: "u") {
          guard bytes.endIndex - at >= 4, bytes[at..<(at + 4)].allSatisfy({ Hex.value($0) != nil }) else {
            return false
          }
          skipUnit()
        } else if !"\"\\/bfnrt".utf8.contains(mark) {
          return false
        }
      default: break
      }
    }
    return false
  }

  /// Skips the digits of `\uXXXX`, with the second half of a pair behind the first.
  private mutating func skipUnit() {
    let start = at - 2
    at += 4
    guard let unit = Self.unit(bytes, start), 0xD800...0xDFFF ~= unit else { return }
    if unit < 0xDC00, let low = Self.unit(bytes, at), 0xDC00...0xDFFF ~= low {
      at += 6
    } else {
      strangers.append((start..<at, "\\ufffd"))
    }
  }

  private static func unit(_ text: ArraySlice<UInt8>, _ at: Int) -> UInt16? {
    guard at + 6 <= text.endIndex, text[at] == backslash, text[at + 1] == UInt8(ascii: "u") else { return nil }
    return UInt16(String(decoding: text[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16)
  }

  private mutating func skipNumber() -> Bool {
    if next == UInt8(ascii: "-") { at += 1 }
    let isZero = next == UInt8(ascii: "0")
    guard let digits = skipDigits(), !isZero || digits == 1 else { return false }
    if next == UInt8(ascii: ".") {
      at += 1
      if skipDigits() == nil { return false }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      if skipDigits() == nil { return false }
    }
    return true
  }

  /// Returns the number of digits skipped; nil if there are none.
  private mutating func skipDigits() -> Int? {
    let start = at
    while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
    return at > start ? at - start : nil
  }
}
