import ImgfetchCore
import TestSupport
import Testing

/// Servers that answer 429 to too many requests.
@Suite("Too many requests") struct TooManyRequestsTests {
  /// Ten tokens a second, at most five: a request without a token is refused.
  private final class Bucket: Sendable {
    private let state = Guarded((tokens: 5.0, last: SystemClock().now()))

    func takes() -> Bool {
      state.withLock { state in
        let now = SystemClock().now()
        state.tokens = min(5, state.tokens + (now - state.last).seconds * 10)
        state.last = now
        guard state.tokens >= 1 else { return false }
        state.tokens -= 1
        return true
      }
    }
  }

  @Test(
    "With defaults, all images come from a server of ten requests a second, with few refusals",
    arguments: [429, 503])
  func bucket(status: Int) throws {
    let (server, program, bucket) = (try TestServer(), try Program(), Bucket())
    let image = TestImages.jpeg(width: 20, height: 10)
    server.onOther { _ in bucket.takes() ? .ok(image, type: "image/jpeg") : .busy(status) }
    let outcome = try program.run(["get"] + (1...20).map { server.url("/\($0).jpg") })
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.files(in: "work").count == 20)
    #expect(server.requests.count <= 40)
  }

  /// Waited for all the same, it would end as a time-out that says nothing of the server.
  @Test("A pause that goes beyond --max-time is not waited for", arguments: [429, 503])
  func overtime(status: Int) throws {
    let (server, program) = (try TestServer(), try Program())
    server.serve("/a.jpg", .status(status).with("Retry-After", "50"))
    let outcome = try program.run("get", "--json", "--max-time", "40s", server.url("/a.jpg"))
    #expect(outcome.exitCode == 4 && server.requests.count == 1, "\(outcome)")
    let row = try JSON.object(outcome.lines[0])
    let error = try #require(row["error"] as? [String: Any])
    #expect(row["status"] as? Int == status && error["transient"] as? Bool == true, "\(outcome)")
  }

  @Test("A pause beyond a minute fails at once, and the message says how long it is", arguments: [429, 503])
  func longPause(status: Int) throws {
    let (server, program) = (try TestServer(), try Program())
    server.serve("/a.jpg", .status(status).with("Retry-After", "90"))
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 4 && server.requests.count == 1, "\(outcome)")
    #expect(outcome.errorText.contains("asks for a pause of 90 s"), "\(outcome)")
  }

  @Test("A pause of no seconds is none")
  func noPause() throws {
    let (server, program) = (try TestServer(), try Program())
    server.serve("/a.jpg", .status(503).with("Retry-After", "0"))
    let outcome = try program.run("get", "--retry", "1", server.url("/a.jpg"))
    #expect(outcome.exitCode == 4 && server.requests.count == 2, "\(outcome)")
    #expect(!outcome.errorText.contains("pause"), "\(outcome)")
  }

  @Test("The date until which a server asks for a pause is one of its own clock, as far ahead as that may be")
  func otherClock() throws {
    let (server, program) = (try TestServer(), try Program())
    let now = "Fri, 31 Dec 2100 23:59:59 GMT"
    server.on("/a.jpg") { request in
      if request.ordinal == 1 { return .busy(retryAfter: now).with("Date", now) }
      return .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg")
    }
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0 && server.requests.count == 2, "\(outcome)")
  }

  @Test("A pause that no number of seconds can hold is told as more than a year")
  func endlessPause() throws {
    let (server, program) = (try TestServer(), try Program())
    server.serve("/a.jpg", .status(429).with("Retry-After", "99999999999999999999999"))
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 4 && server.requests.count == 1, "\(outcome)")
    #expect(outcome.errorText.contains("asks for a pause of more than a year"), "\(outcome)")
  }
}
