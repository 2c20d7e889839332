/// The bytes of ASCII that all kinds of sources are made of.
enum TextBytes {
  /// The white space of HTML: all of ASCII's but the vertical tab, and without the carriage return, which HTML makes a
  /// line feed.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") || byte == 0x0C
  }

  static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// The byte in lower case, if it is a letter.
  static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// A text without the white space around it.
  static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    // Nearly every value is so already.
    if let first = value.first, let last = value.last, first > UInt8(ascii: " "), last > UInt8(ascii: " ") {
      return value
    }
    var value = value.drop { isSpace($0) || $0 == UInt8(ascii: "\r") }
    while let last = value.last, isSpace(last) || last == UInt8(ascii: "\r") { value.removeLast() }
    return value
  }

  /// A text with one space for all blanks between two words, and no longer than a caption; nil where it is empty.
  static func words(_ value: ArraySlice<UInt8>?) -> [UInt8]? {
    guard let value else { return nil }
    // Nearly every text is so already.
    if isOfSingleSpaces(value) { return Array(value) }
    var words: [UInt8] = []
    var isBetween = false
    for byte in value {
      if isSpace(byte) || byte == UInt8(ascii: "\r") {
        isBetween = !words.isEmpty
        continue
      }
      if words.count + (isBetween ? 1 : 0) >= longestCaption { break }
      if isBetween { words.append(UInt8(ascii: " ")) }
      isBetween = false
      words.append(byte)
    }
    return words.isEmpty ? nil : words
  }

  /// True for a text that ``words(_:)`` would not change.
  private static func isOfSingleSpaces(_ value: ArraySlice<UInt8>) -> Bool {
    var isBehindSpace = true
    for byte in value {
      guard byte > UInt8(ascii: " ") || byte == UInt8(ascii: " ") && !isBehindSpace else { return false }
      isBehindSpace = byte == UInt8(ascii: " ")
    }
    return !isBehindSpace && value.count <= longestCaption
  }

  /// True if the text has a U+FFFD, which stands for what could not be read.
  static func hasReplacement(_ text: [UInt8]) -> Bool {
    text.indices.contains { text[$0] == 0xEF && text[$0...].starts(with: UTF8.encodedReplacementCharacter) }
  }

  /// The number of bytes that are kept of a text that describes a picture.
  static let longestCaption = 2_048
}
