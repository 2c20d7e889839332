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
}
