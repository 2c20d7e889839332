/// The name that a server gives a file (RFC 6266): `filename*` where there is one that can be read, else `filename`.
///
/// A pure value. The name is untrusted: it may hold separators and anything else.
package struct ContentDisposition: Hashable, Sendable {
  /// The decoded name, or nil if there is none.
  package private(set) var filename: String?

  /// Reads a field's value, whatever is wrong with the rest of it.
  package init(_ value: String) {
    var plain: [UInt8]?
    var extended: String?
    for (name, value) in Self.parameters(of: Array(value.utf8)) {
      switch name {
      case "filename" where plain == nil: plain = value
      case "filename*" where extended == nil: extended = Self.decoded(value)
      default: break
      }
    }
    filename = extended ?? plain.map { Self.text(of: $0) }
    if filename?.isEmpty == true { filename = nil }
  }

  /// The parameters behind the disposition, with their names in lower case and without quotation
  /// marks around their values.
  private static func parameters(of bytes: [UInt8]) -> [(String, [UInt8])] {
    var parameters: [(String, [UInt8])] = []
    var at = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
    while at < bytes.count {
      at += 1
      var name: [UInt8] = []
      while at < bytes.count, bytes[at] != UInt8(ascii: "="), bytes[at] != UInt8(ascii: ";") {
        if bytes[at] > 0x20 { name.append(bytes[at]) }
        at += 1
      }
      guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else { continue }
      at += 1
      while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
      let value = value(in: bytes, from: &at)
      parameters.append((String(decoding: name, as: UTF8.self).lowercased(), value))
    }
    return parameters
  }

  /// A token, or a text in quotation marks, in which a backslash escapes a character. `at` is at
  /// the next semicolon then.
  private static func value(in bytes: [UInt8], from at: inout Int) -> [UInt8] {
    var value: [UInt8] = []
    if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
      at += 1
      while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
        if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count { at += 1 }
        value.append(bytes[at])
        at += 1
      }
      while at < bytes.count, bytes[at] != UInt8(ascii: ";") { at += 1 }
      return value
    }
    while at < bytes.count, bytes[at] != UInt8(ascii: ";") {
      value.append(bytes[at])
      at += 1
    }
    while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
    return value
  }

  /// `UTF-8'LANGUAGE'TEXT` (RFC 8187), percent-decoded, or nil for another encoding than that and ISO-8859-1.
  private static func decoded(_ value: [UInt8]) -> String? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = PercentCoding.decoded(Array(parts[2]).span, 0..<parts[2].count)
    switch String(decoding: parts[0], as: UTF8.self).lowercased() {
    case "utf-8": return utf8(bytes)
    case "iso-8859-1": return latin1(bytes)
    default: return nil
    }
  }

  /// Servers send UTF-8, and the old ones ISO-8859-1.
  private static func text(of bytes: [UInt8]) -> String { utf8(bytes) ?? latin1(bytes) }

  private static func utf8(_ bytes: [UInt8]) -> String? {
    guard let span = try? UTF8Span(validating: bytes.span) else { return nil }
    return String(copying: span)
  }

  private static func latin1(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }
}
