import Testing

@testable import ImgfetchCore

/// All parsers of this folder read untrusted input. None may trap, and their results for garbage must be valid by their
/// own rules. The bytes are random with a fixed seed, mixed with significant ones.
@Suite("Garbage")
struct GarbageTests {
  private struct Bytes {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: (state >> 33) % UInt64(limit))
    }

    mutating func text(_ alphabet: String, longest: Int) -> [UInt8] {
      let likely = [UInt8](alphabet.utf8)
      return (0..<number(below: longest + 1)).map { _ in
        number(below: 8) == 0 ? UInt8(truncatingIfNeeded: number(below: 256)) : likely[number(below: likely.count)]
      }
    }
  }

  @Test("makes no URL that would break a request, and no key that changes when it is parsed again")
  func urls() throws {
    var random = Bytes(seed: 1)
    let base = try WebURL("https://me:pw@example.org:8443/a/b?c")
    var good = 0
    for _ in 0..<4_000 {
      let bytes = random.text("htps:/?#@[]%.25eE0aä|", longest: 40)
      let text = String(decoding: bytes, as: UTF8.self)
      _ = WebURL.masked(text)
      for url in [try? WebURL(text), try? WebURL("http://a/" + text), try? base.resolving(bytes: bytes.span)] {
        guard let url else { continue }
        good += 1
        if let fault = try fault(of: url) { Issue.record("\(text.debugDescription): \(fault)") }
        _ = (url.user, url.password, url.lastPathSegment, url.display, url.address?.description)
      }
    }
    #expect(good > 4_000)
  }

  private func fault(of url: WebURL) throws -> String? {
    if !url.requestURL.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return "unfit for a request line" }
    if url.canonical.utf8.contains(where: "|\" <>\\^`{}".utf8.contains) { return "a byte that no key may have" }
    if try WebURL(url.canonical).canonical != url.canonical { return "the key has another key" }
    if try WebURL(url.requestURL).requestURL != url.requestURL { return "sent differently the second time" }
    return url.requestURL.hasPrefix(url.origin.description + "/") ? nil : "sent to another origin"
  }

  @Test("makes no header that differs after it was stored")
  func headers() {
    var random = Bytes(seed: 2)
    for _ in 0..<2_000 {
      var fields = HeaderFields()
      for _ in 0..<random.number(below: 8) {
        let line = random.text("A: \t\r\nb,;=\"W/", longest: 30)
        fields.appendLine(line.span)
        _ = StatusLine(line.span)
        if random.number(below: 5) == 0 { fields.remove("a") }
      }
      let stored = fields.encoded()
      let read = HeaderFields(encoded: stored.span)
      #expect(read == fields && Array(read) == Array(fields))
    }
  }

  @Test("makes no address that differs after it was written")
  func addresses() {
    var random = Bytes(seed: 3)
    for _ in 0..<20_000 {
      let host = String(decoding: random.text("0123x:af.", longest: 20), as: UTF8.self)
      guard let address = IPAddress(host: host) else { continue }
      if IPAddress(host: address.description) != address { Issue.record("\(host) is written as \(address)") }
    }
  }

  @Test("makes no inconsistent date, range, tag or pattern")
  func values() {
    var random = Bytes(seed: 4)
    let now = WallTime(seconds: 1_767_225_600)
    for _ in 0..<1_000 {
      func text(_ alphabet: String) -> String { String(decoding: random.text(alphabet, longest: 34), as: UTF8.self) }
      for time in [WallTime(nanoseconds: .min), now, WallTime(nanoseconds: .max)] {
        _ = HTTPDate.parse(text("Sun, 06-Nov 1994:GMT"), now: time)
        _ = RetryAfter.parse(text("0123456789"), now: time)
        _ = HTTPDate.parse("Sunday, 06-Nov-\(random.number(below: 100)) 08:49:37 GMT", now: time)
      }
      _ = ContentRange.parse("bytes " + text("0123456789-/*"))
      _ = HostPattern(text("[a:1]*.?"))?.matches(Origin(isSecure: true, host: text("a1:."), port: 443))
      let fields = HeaderFields([("ETag", text("W/\"a")), ("Last-Modified", text("Sun0 "))])
      _ = Validators(fields, now: now).conditionalFields
    }
  }

  @Test("makes no inconsistent cache decision")
  func caching() {
    var random = Bytes(seed: 5)
    let now = WallTime(seconds: 1_767_225_600)
    for _ in 0..<1_000 {
      func text() -> String { String(decoding: random.text("no-cachemxg=0369,\"\\ *;", longest: 40), as: UTF8.self) }
      let fields = HeaderFields([
        ("Cache-Control", text()), ("Cache-Control", "max-age=" + text()), ("Vary", text()), ("Age", text()),
        ("Expires", text()),
      ])
      let (request, response) = (RequestDirectives(fields), ResponseDirectives(fields))
      _ = StorageRule.obstacle(request: request, status: 200, response: response, fields: fields)
      let freshness = Freshness(
        status: 200, fields: fields, directives: response, requestTime: now, responseTime: now, now: now)
      _ = ReuseRule(request: request, response: response, freshness: freshness).description
      let selected = Variance(fields).selecting(from: fields)
      #expect(Variance(fields).selecting(from: selected) == selected)
    }
  }
}
