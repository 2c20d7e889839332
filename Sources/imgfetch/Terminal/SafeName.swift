import ImgfetchCore

/// Makes one component of a path from text that came from a URL.
enum SafeName {
  /// File systems take 255 bytes; the rest is for a suffix and an extension.
  static let byteLimit = 200

  /// The text without anything unsafe in a file name: separators, control, invisible and direction-changing
  /// characters, leading dots and dashes, surrounding blanks, and everything beyond 200 bytes. It may be empty,
  /// but is never `.` or `..`.
  static func component(_ text: String) -> String {
    if isPlain(text.utf8Span.span) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isSeparator(scalar) && !Unprintable.contains(scalar) {
      if kept.isEmpty && isDropped(first: scalar) { continue }
      kept.append(scalar)
    }
    var cut = cut(String(kept), to: byteLimit)
    while let last = cut.unicodeScalars.last, last == " " || last == "." { cut.unicodeScalars.removeLast() }
    return cut
  }

  /// The safe name for a part of a URL, after percent-decoding. Invalid UTF-8 becomes U+FFFD and is dropped.
  static func component(escaped text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(Hex.value),
        let low = rest.dropFirst().first.flatMap(Hex.value)
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return component(String(decoding: bytes, as: UTF8.self))
  }

  /// The longest prefix of at most `limit` bytes that ends between two characters.
  static func cut(_ text: String, to limit: Int) -> String {
    if text.utf8.count <= limit { return text }
    var room = limit
    var end = text.startIndex
    while end < text.endIndex {
      let next = text.index(after: end)
      room -= text.utf8.distance(from: end, to: next)
      if room < 0 { break }
      end = next
    }
    return String(text[..<end])
  }

  /// True if the text is safe already: most names are letters, digits, dots, dashes and underscores.
  private static func isPlain(_ bytes: borrowing Span<UInt8>) -> Bool {
    if bytes.isEmpty { return true }
    let first = bytes[0]
    if first == UInt8(ascii: ".") || first == UInt8(ascii: "-") { return false }
    if bytes.count > byteLimit || bytes[bytes.count - 1] == UInt8(ascii: ".") { return false }
    for index in bytes.indices {
      switch bytes[index] {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      default: return false
      }
    }
    return true
  }

  /// `/`, and `\` on other systems that a folder may be copied to or shared with.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

  /// A leading dot hides a file or names another folder, a leading dash makes it an option, and a leading blank gets
  /// lost.
  private static func isDropped(first scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "-" || scalar == " "
  }
}
