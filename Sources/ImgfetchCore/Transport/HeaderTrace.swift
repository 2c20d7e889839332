/// Requests and answers as lines for a person, without what must not appear on a screen or in a log.
enum HeaderTrace {
  private static let mask = WebURL.mask

  /// The secret fields of an answer. No others are known.
  private static let secret: Set<String> = ["set-cookie", "set-cookie2", "authentication-info"]

  static func lines(of request: TransferRequest, to url: WebURL) -> [String] {
    var lines = ["> \(request.method ?? (request.upload == nil ? "GET" : "PUT")) \(url.display)"]
    if request.credentials != nil { lines.append("> Authorization: \(mask)") }
    for field in request.fields {
      let isShown = FieldNature.of(field.name).contains(.shown)
      lines.append("> \(field.name): \(isShown ? shown(field.value, of: field.name) : mask)")
    }
    for field in request.exactFields { lines.append("> \(field.name): \(field.value)") }
    return lines
  }

  static func lines(of head: ResponseHead) -> [String] {
    let version =
      switch head.httpVersion {
      case .http1_0: "HTTP/1.0"
      case .http1_1: "HTTP/1.1"
      case .http2: "HTTP/2"
      }
    var lines = ["< \(version) \(StatusPhrase.of(head.status))"]
    for field in head.fields {
      let isShown = !secret.contains(field.name.lowercased())
      lines.append("< \(field.name): \(isShown ? shown(field.value, of: field.name) : mask)")
    }
    return lines
  }

  /// Fields whose value is a URL, which may hold a password.
  private static let links: Set<String> = ["content-location", "location", "referer"]

  private static func shown(_ value: String, of name: String) -> String {
    links.contains(name.lowercased()) ? WebURL.masked(value) : value
  }
}
