import ImgfetchCore

/// Masks the secret part of an option's value, so that it can be shown and logged.
enum Secrets {
  private static let mask = WebURL.mask

  static func masked(_ text: String, of flag: Flag) -> String {
    switch flag.secret {
    // User info stays hidden in a URL that was given to an option by mistake, too.
    case nil: text.holds("://") ? String(decoding: MaskedText.bytes(Array(text.utf8)), as: UTF8.self) : text
    case .password?: text.contains(":") ? text.prefix { $0 != ":" } + ":" + mask : text
    case .headerValue?: masked(header: text)
    case .cookieValue?: text.prefix { $0 != "=" } + "=" + mask
    case .url?: WebURL.masked(text)
    }
  }

  /// Shows the value of header fields that never hold a secret. Any other may be a token.
  private static func masked(header text: String) -> String {
    let name = text.prefix { $0 != ":" && $0 != ";" }
    return FieldNature.of(String(name)).contains(.shown) ? text : name + ": " + mask
  }
}
