import ImgfetchCore

/// How much at once, how long, how often, and which way.
struct NetworkSettings: Hashable, Sendable {
  enum AddressFamily: Hashable, Sendable { case any, ipv4, ipv6 }

  var jobs: Int
  /// Nil: 6, and 100 once the origin has answered over HTTP/2.
  var perHost: Int?
  var order: Choices.Order
  /// Bytes a second, in all.
  var limitRate: Int?
  /// Requests to one origin.
  var rate: RequestRate?
  /// The longest silence; nil: no limit, here and in the next two.
  var timeout: Instant.Span?
  var connectTimeout: Instant.Span?
  var maxTime: Instant.Span?
  var retries: Int
  var maxRedirects: Int
  var maxBytes: Int
  var acceptStatus: StatusSet
  var mirrors: [String]
  var resolve: [ResolveSetting]
  var proxy: ProxySetting
  var http1Only: Bool
  var addressFamily: AddressFamily
}

extension NetworkSettings {
  init(_ reader: SettingsReader, environment: Environment) throws(UsageError) {
    jobs = try reader.count(.jobs) ?? 1
    perHost = try reader.count(.perHost)
    order = try reader.choice(.order, or: .fifo)
    limitRate = try reader.size(.limitRate).flatMap { $0 > 0 ? $0 : nil }
    rate = try reader.value(.rate, Values.rate)
    timeout = try reader.limit(.timeout)
    connectTimeout = try reader.limit(.connectTimeout)
    maxTime = try reader.limit(.maxTime)
    retries = try reader.count(.retry) ?? 0
    maxRedirects = try reader.count(.maxRedirects) ?? 0
    maxBytes = try reader.size(.maxBytes) ?? 0
    acceptStatus = try reader.value(.acceptStatus, Values.statuses) ?? StatusSet(ranges: [])
    mirrors = try reader.values(.mirror, Values.fetchable)
    resolve = try reader.values(.resolve, Values.address)
    proxy = try ProxySetting(reader, environment: environment)
    http1Only = reader.isOn(.http1)
    addressFamily = reader.isOn(.ipv4) ? .ipv4 : reader.isOn(.ipv6) ? .ipv6 : .any
  }
}

/// Which proxy stands between.
enum ProxySetting: Hashable, Sendable {
  case none
  /// `--proxy`: for every request.
  case url(String)
  /// What the usual variables say; at least one of the first three is set.
  case variables(http: String?, https: String?, all: String?, no: String?)
}

extension ProxySetting {
  init(_ reader: SettingsReader, environment: Environment) throws(UsageError) {
    if reader.isNegated(.proxy) {
      self = .none
    } else if let url = try reader.value(.proxy, Values.proxy) {
      self = .url(url)
    } else {
      // HTTP_PROXY in capitals is not read: a web server's CGI would let a request's Proxy field set it.
      let http = environment.filled("http_proxy")
      let https = environment.filled("https_proxy") ?? environment.filled("HTTPS_PROXY")
      let all = environment.filled("all_proxy") ?? environment.filled("ALL_PROXY")
      let no = environment.filled("no_proxy") ?? environment.filled("NO_PROXY")
      // A scheme that is not ours, or a host that is none, is libcurl's to complain of: it may stand there for other programs.
      for (name, value) in [("http_proxy", http), ("https_proxy", https), ("all_proxy", all)] {
        guard let value, !RequestText.isCredential(escaped: value) else { continue }
        throw UsageError("\(name) holds control characters in its name or password", of: reader.command)
      }
      // `*` is every host, which is no proxy at all.
      let isUsed = (http != nil || https != nil || all != nil) && no != "*"
      self = isUsed ? .variables(http: http, https: https, all: all, no: no) : .none
    }
  }

  /// What to call it in a message; nil where there is none. Says nothing of its URL, which may hold a password.
  var description: String? {
    switch self {
    case .none: nil
    case .url: "a proxy (--proxy)"
    case .variables(let http, let https, _, _):
      "a proxy (\(http != nil ? "http_proxy" : https != nil ? "https_proxy" : "all_proxy") is set)"
    }
  }
}
