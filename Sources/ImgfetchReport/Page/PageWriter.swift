/// Writes HTML: texts are escaped, and elements are closed by the code that opens them.
struct PageWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Appends text that is written here, and needs no escapes.
  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func raw(_ text: [UInt8]) { bytes += text }

  /// Appends text from outside.
  mutating func text(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): raw("&amp;")
      case UInt8(ascii: "<"): raw("&lt;")
      case UInt8(ascii: ">"): raw("&gt;")
      case UInt8(ascii: "\""): raw("&quot;")
      case UInt8(ascii: "'"): raw("&#39;")
      // Control characters are no text.
      case 0..<32, 127: raw(" ")
      default: bytes.append(byte)
      }
    }
  }

  /// Appends an element that holds text from outside.
  mutating func element(_ name: String, _ text: String) {
    raw("<\(name)>")
    self.text(text)
    raw("</\(name)>")
  }

  /// The same with attributes that are written here.
  mutating func element(_ name: String, _ attributes: String, _ text: String) {
    raw("<\(name) \(attributes)>")
    self.text(text)
    raw("</\(name)>")
  }

  /// The text escaped, for an attribute.
  static func escaped(_ text: String) -> String {
    var writer = PageWriter()
    writer.text(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// At most this many characters; a long text loses its middle, since the ends of addresses say more.
  static func shortened(_ text: String, to most: Int) -> String {
    let scalars = Array(text.unicodeScalars.prefix(8 * most))
    guard scalars.count > most else { return text }
    var short = String.UnicodeScalarView()
    short.append(contentsOf: scalars.prefix(most * 2 / 5))
    short.append("…")
    short.append(contentsOf: text.unicodeScalars.suffix(most - most * 2 / 5 - 1))
    return String(short)
  }
}
