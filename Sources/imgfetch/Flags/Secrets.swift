import ImgfetchCore

/// Masks the secret part of an option's value, so that it can be shown and logged.
enum Secrets {
  static let mask = "***"

  static func masked(_ text: String, of flag: Flag) -> String {
    switch flag.secret {
    // User info stays hidden in a URL that was given to an option by mistake, too.
    case nil: text.holds("://") ? masked(url: text) : text
    case .password?: text.contains(":") ? text.prefix { $0 != ":" } + ":" + mask : text
    case .headerValue?: masked(header: text)
    case .cookieValue?: text.prefix { $0 != "=" } + "=" + mask
    case .url?: masked(url: text)
    }
  }

  /// Shows the value of header fields that never hold a secret. Any other may be a token.
  private static func masked(header text: String) -> String {
    let name = text.prefix { $0 != ":" && $0 != ";" }
    return FieldNature.of(String(name)).contains(.shown) ? text : name + ": " + mask
  }

  /// User info is the text between `//` (or the beginning) and the last `@` of the authority.
  static func masked(url text: String) -> String {
    let bytes = text.utf8
    var start = bytes.startIndex
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let next = bytes.index(after: index)
      if bytes[index] == UInt8(ascii: "/"), next < bytes.endIndex, bytes[next] == UInt8(ascii: "/") {
        start = bytes.index(after: next)
        break
      }
      index = next
    }
    let isEnd = { (byte: UInt8) in
      byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
    let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return text }
    return String(text[..<start]) + mask + String(text[at...])
  }
}
