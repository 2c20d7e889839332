/// Something on a server that can be asked for conditionally and in parts, answered as RFC 9110 has it, or with a lie.
package struct Resource: Sendable {
  /// The mistake that the server makes on purpose when it is asked for a range.
  package enum Lie: Sendable {
    /// Content-Range begins elsewhere than it was asked to (and so do the bytes).
    case start(Int)
    /// Content-Range says it begins where it was asked to, but the bytes are others.
    case bytes([UInt8])
    /// Content-Range says another total.
    case total(Int)
    /// A 206 without a Content-Range, or with this one, whatever it is.
    case contentRange(String?)
    /// A 206 with another validator than the whole has.
    case etag(String)
    /// If-Range is ignored: a 206 of the present bytes.
    case ignoringIfRange
    /// Range is ignored: always the whole.
    case ignoringRange
    /// 304 whatever the validator.
    case notModified
  }

  package var bytes: [UInt8]
  package var type: String
  /// With its quotes.
  package var etag: String?
  package var lastModified: String?
  /// Further fields of every answer.
  package var headers: [(String, String)]
  package var lie: Lie?

  package init(
    _ bytes: [UInt8], type: String = "image/jpeg", etag: String? = nil, lastModified: String? = nil,
    headers: [(String, String)] = [], lie: Lie? = nil
  ) {
    self.bytes = bytes
    self.type = type
    self.etag = etag
    self.lastModified = lastModified
    self.headers = headers
    self.lie = lie
  }

  package func answer(_ request: TestServer.Request) -> TestServer.Response {
    if isNotModified(request) { return described(.status(304)) }
    let range = request["Range"].flatMap { parse($0) }
    guard let range, !ignoresRange, ifRangeHolds(request) else {
      return described(.ok(bytes, type: type)).with("Accept-Ranges", "bytes")
    }
    guard !range.isEmpty else { return described(.status(416)).with("Content-Range", "bytes */\(bytes.count)") }
    return partial(range)
  }

  private func partial(_ range: Range<Int>) -> TestServer.Response {
    var range = range
    var body = Array(bytes[range])
    var total = bytes.count
    var copy = self
    switch lie {
    case .start(let start):
      range = min(start, range.upperBound)..<range.upperBound
      body = Array(bytes[range])
    case .bytes(let others): body = others
    case .total(let other): total = other
    case .etag(let other): copy.etag = other
    case .contentRange(let value):
      let answer = described(.status(206, body, type: type))
      return if let value { answer.with("Content-Range", value) } else { answer }
    case .ignoringIfRange, .ignoringRange, .notModified, nil: break
    }
    return copy.described(.status(206, body, type: type))
      .with("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")
  }

  private var ignoresRange: Bool { if case .ignoringRange = lie { true } else { false } }

  private func described(_ answer: TestServer.Response) -> TestServer.Response {
    var answer = answer
    if let etag { answer = answer.with("ETag", etag) }
    if let lastModified { answer = answer.with("Last-Modified", lastModified) }
    for (name, value) in headers { answer = answer.with(name, value) }
    return answer
  }

  private func isNotModified(_ request: TestServer.Request) -> Bool {
    if let condition = request["If-None-Match"] {
      if case .notModified = lie { return true }
      guard let etag else { return false }
      return condition == "*" || condition.split(separator: ",").contains { opaque(String($0)) == opaque(etag) }
    }
    guard let condition = request["If-Modified-Since"] else { return false }
    if case .notModified = lie { return true }
    guard let since = sortable(condition), let modified = lastModified.flatMap({ sortable($0) }) else { return false }
    return modified <= since
  }

  /// An entity tag without the mark of weakness: If-None-Match compares weakly.
  private func opaque(_ tag: String) -> String {
    let tag = tag.filter { $0 != " " }
    return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
  }

  private func ifRangeHolds(_ request: TestServer.Request) -> Bool {
    guard let condition = request["If-Range"] else { return true }
    if case .ignoringIfRange = lie { return true }
    if condition.hasPrefix("\"") { return condition == etag }
    return !condition.hasPrefix("W/") && condition == lastModified
  }

  /// A range of bytes, which is empty if it lies outside, or nil for a field to ignore.
  private func parse(_ field: String) -> Range<Int>? {
    guard field.hasPrefix("bytes="), !field.contains(",") else { return nil }
    let ends = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty {
      guard let count = Int(ends[1]) else { return nil }
      return max(0, bytes.count - count)..<bytes.count
    }
    guard let first = Int(ends[0]), let last = ends[1].isEmpty ? bytes.count - 1 : Int(ends[1]) else { return nil }
    return first < bytes.count && first <= last ? first..<min(last, bytes.count - 1) + 1 : 0..<0
  }

  /// An IMF-fixdate in an order in which texts compare as their dates do.
  private func sortable(_ date: String) -> String? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let words = date.split(separator: " ").map(String.init)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
    return [words[3], month < 10 ? "0\(month)" : "\(month)", words[1], words[4]].joined(separator: " ")
  }
}
