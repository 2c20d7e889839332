/// Takes out of an option's value what nobody should read over a shoulder or in a log.
enum Secrets {
  static let mask = "***"

  static func masked(_ text: String, of flag: Flag) -> String {
    guard flag.isSecret else { return text }
    switch flag.kind {
    case .user: return text.contains(":") ? text.prefix { $0 != ":" } + ":" + mask : text
    case .header: return masked(header: text)
    case .proxy, .url: return masked(url: text)
    default: return flag.id == .cookie ? text.prefix { $0 != "=" } + "=" + mask : masked(url: text)
    }
  }

  /// The value of a header field is shown only for those that never hold a secret: any other may be somebody's token.
  private static func masked(header text: String) -> String {
    let name = text.prefix { $0 != ":" && $0 != ";" }
    let harmless = ["accept", "accept-language", "user-agent", "referer", "cache-control", "pragma", "range"]
    return harmless.contains(name.lowercased()) ? text : name + ": " + mask
  }

  /// User info is what stands between `//` (or the beginning) and the last `@` of the authority.
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
