/// The statuses of answers in words.
enum StatusPhrase {
  /// The status with the name that RFC 9110 gives it; a server's own words are not trusted.
  static func of(_ status: Int) -> String {
    let names: [Int: String] = [
      204: "No Content", 206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found",
      303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
      401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
      406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
      412: "Precondition Failed", 416: "Range Not Satisfiable", 421: "Misdirected Request", 425: "Too Early",
      429: "Too Many Requests", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
      501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
    return names[status].map { "\(status) \($0)" } ?? String(status)
  }
}
