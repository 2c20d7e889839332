extension TestServer {
  /// An answer, right or wrong: its bytes, and the places at which it is held up or broken off.
  ///
  /// It begins as one of the makers (`.ok(bytes)`, `.status(404)`, `.redirect(to:)`, `.raw(bytes)` …) and is bent
  /// with the methods: `.ok(bytes).with("ETag", "\"1\"").cutAfter(100)`. Nothing is added but the framing, so a test
  /// that wants a Date says so.
  package struct Response: Sendable {
    /// The means by which the client can tell where the body ends.
    package enum Framing: Sendable {
      /// A Content-Length, of the body or of what the test claims.
      case length(claimed: Int?)
      /// Chunks of these sizes, the last one again for the rest; then the end chunk with these trailer lines.
      case chunked([Int], trailer: [String])
      /// The connection's end is the body's.
      case close
      /// The fields say nothing and the connection stays open.
      case unsaid
    }

    /// The event after a number of bytes of the body.
    enum Mark: Sendable {
      case wait(Gate?)
      case cut
      case reset
      case garbage([UInt8])
    }

    package var status: Int
    package var reason: String
    package var version = "HTTP/1.1"
    package var body: [UInt8] = []
    package var framing = Framing.length(claimed: nil)
    /// The fields as they go out, without line ends.
    package private(set) var lines: [[UInt8]] = []
    /// Whole answers that go before this one.
    var interim: [[UInt8]] = []
    var marks: [(offset: Int, mark: Mark)] = []
    /// Sent as it is in place of everything above.
    var verbatim: [UInt8]?
    /// Sent again and again after everything else, until the client leaves.
    var endless: [UInt8] = []
    var gate: Gate?
    var closes = false

    package init(_ status: Int, reason: String? = nil, body: [UInt8] = []) {
      self.status = status
      self.reason = reason ?? Self.reasons[status] ?? "Whatever"
      self.body = body
    }

    private static let reasons = [
      200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
      304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
      401: "Unauthorized",
      403: "Forbidden", 404: "Not Found", 410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable",
      429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout",
    ]
  }
}

// Makers.
extension TestServer.Response {
  package static func ok(_ body: [UInt8], type: String? = nil) -> Self { .status(200, body, type: type) }

  package static func status(_ status: Int, _ body: [UInt8] = [], type: String? = nil) -> Self {
    let answer = Self(status, body: body)
    return if let type { answer.with("Content-Type", type) } else { answer }
  }

  package static func text(_ text: String, type: String = "text/plain", status: Int = 200) -> Self {
    .status(status, Array(text.utf8), type: type)
  }

  package static func redirect(to location: String, status: Int = 302) -> Self {
    .status(status).with("Location", location)
  }

  /// An answer that asks to be left alone for a while: seconds, or a date.
  package static func busy(_ status: Int = 503, retryAfter: String? = nil) -> Self {
    let answer = Self.status(status)
    return if let retryAfter { answer.with("Retry-After", retryAfter) } else { answer }
  }

  /// An answer of these bytes and nothing else, then the connection's end: garbage, HTTP/0.9, or anything
  /// that no server should send.
  package static func raw(_ bytes: [UInt8]) -> Self {
    var answer = Self(0)
    answer.verbatim = bytes
    answer.closes = true
    return answer
  }

  package static func raw(_ text: String) -> Self { .raw(Array(text.utf8)) }

  /// The connection ends without a word.
  package static var nothing: Self { .raw([]) }
}

// Fields.
extension TestServer.Response {
  /// Adds a field; one of the same name stays.
  package func with(_ name: String, _ value: String) -> Self { line(Array("\(name): \(value)".utf8)) }

  /// Adds a field line byte for byte.
  package func line(_ bytes: [UInt8]) -> Self { changed { $0.lines.append(bytes) } }

  package func line(_ text: String) -> Self { line(Array(text.utf8)) }

  /// Sends 1xx answers ahead of this one, each with its fields.
  package func after(interim status: Int, _ headers: [(String, String)] = [], times: Int = 1) -> Self {
    var head = "HTTP/1.1 \(status) Wait\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "\r\n"
    return changed { $0.interim += Array(repeating: Array(head.utf8), count: times) }
  }

  package func reason(_ reason: String) -> Self { changed { $0.reason = reason } }

  /// True if a field of that name is set.
  func has(_ name: String) -> Bool {
    let start = Array("\(name.lowercased()):".utf8)
    return lines.contains { String(decoding: $0, as: UTF8.self).lowercased().utf8.starts(with: start) }
  }

  func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
