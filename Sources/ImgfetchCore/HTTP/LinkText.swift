/// The text of a reference in a page, written as RFC 3986 has it.
///
/// Pages are full of references that browsers take and that no grammar knows; the URL standard says how these are read.
enum LinkText {
  /// True for a reference that ``plain(_:isSecure:)`` would return as it is: a relative one, as far as one pass tells.
  static func isPlain(_ link: borrowing Span<UInt8>) -> Bool {
    if link.count > 1, link[0] == slash, link[1] == slash { return false }
    for index in link.indices {
      let byte = link[index]
      guard PercentCoding.isUnreserved(byte) || byte == slash || byte == UInt8(ascii: "%") || isPlainDelimiter(byte)
      else { return false }
    }
    return true
  }

  /// True for a delimiter that ends no scheme and is escaped nowhere.
  private static func isPlainDelimiter(_ byte: UInt8) -> Bool {
    PercentCoding.isLegalInTarget(byte) && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "'")
  }

  /// - Parameter isSecure: The scheme of the page, which `https:a.png` on a page of that scheme is relative to.
  static func plain(_ link: borrowing Span<UInt8>, isSecure: Bool) -> [UInt8] {
    let text = relative(withoutBreaks(link), isSecure: isSecure)
    guard text.contains(where: isEscaped) else { return text }
    return escaped(text)
  }

  private static func relative(_ link: [UInt8], isSecure: Bool) -> [UInt8] {
    var text = link
    var authority = 0
    if let colon = URLSplit.schemeEnd(text.span, 0..<text.count) {
      // Only http and https are read so; any other scheme is refused later on.
      guard let isLinkSecure = URLSplit.isWebScheme(text.span, 0..<colon) else { return text }
      authority = colon + 1
      straighten(&text, from: authority)
      let slashes = text[authority...].prefix { $0 == slash }.count
      // With one slash, or none, it is relative to a page of its scheme.
      if slashes < 2, isLinkSecure == isSecure { return Array(text[authority...]) }
    } else {
      straighten(&text, from: 0)
      let isRelative = text.count < 2 || text[0] != slash || text[1] != slash
      if isRelative { return text }
    }
    // Two slashes before a host are enough, and after another scheme than the page's none is needed.
    let slashes = text[authority...].prefix { $0 == slash }.count
    text.replaceSubrange(authority..<(authority + slashes), with: [slash, slash])
    return text
  }

  // MARK: Escapes

  private static func isEscaped(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  /// Escapes what the standard escapes in a path, and in a query. Spaces and bytes of other characters are escaped
  /// with any URL.
  private static func escaped(_ text: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.count + 16)
    let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let query = text[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
    for (index, byte) in zip(text.indices, text) {
      let isMeant = index < end && isEscaped(byte) && (index < query ? byte != UInt8(ascii: "'") : isOfQuery(byte))
      if isMeant { PercentCoding.append(escapeOf: byte, to: &escaped) } else { escaped.append(byte) }
    }
    return escaped
  }

  private static func isOfQuery(_ byte: UInt8) -> Bool { "\"'<>".utf8.contains(byte) }

  private static let slash = UInt8(ascii: "/")

  /// Returns the text without surrounding blanks, TABs and line breaks.
  private static func withoutBreaks(_ link: borrowing Span<UInt8>) -> [UInt8] {
    var (start, end) = (0, link.count)
    while start < end, link[start] <= 0x20 { start += 1 }
    while end > start, link[end - 1] <= 0x20 { end -= 1 }
    var text: [UInt8] = []
    text.reserveCapacity(end - start)
    for index in start..<end {
      let byte = link[index]
      if byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { text.append(byte) }
    }
    return text
  }

  /// Makes backslashes slashes, up to the query.
  private static func straighten(_ text: inout [UInt8], from start: Int) {
    var index = start
    while index < text.count, text[index] != UInt8(ascii: "?"), text[index] != UInt8(ascii: "#") {
      if text[index] == UInt8(ascii: "\\") { text[index] = slash }
      index += 1
    }
  }
}
