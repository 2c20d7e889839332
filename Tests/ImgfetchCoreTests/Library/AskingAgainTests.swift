import TestSupport
import Testing

@testable import ImgfetchCore

/// A library has no run: what imgfetch remembers for one counts for a time.
@Suite("Asking again in a fetcher's life") struct AskingAgainTests {
  private let picture = TestImages.jpeg(width: 20, height: 10)
  private let other = TestImages.jpeg(width: 20, height: 12)
  private let url = "http://a.test/a.jpg"
  private let clock = ShiftedClock()
  private let table = AnswerTable()

  private func fetcher(_ change: (inout Fetcher.Configuration) -> Void = { _ in }) -> Fetcher {
    var configuration = Fetcher.Configuration()
    change(&configuration)
    return Fetcher(configuration, transport: table, clock: clock)
  }

  private func request(_ change: (inout FetchOptions) -> Void = { _ in }) throws -> FetchRequest {
    var options = FetchOptions()
    change(&options)
    return try FetchRequest(url: url, options: options)
  }

  @Test("A URL that failed for good is asked for again after ten minutes, and not before")
  func failures() async throws {
    let fetcher = fetcher()
    #expect(await fetcher.answer(to: try request()).error?.status == 404)
    table[url] = .init(body: picture)
    clock.advance(.seconds(590))
    #expect(await fetcher.answer(to: try request()).error?.status == 404)
    clock.advance(.seconds(20))
    #expect(try await fetcher.image(for: url).bytes == picture)
    #expect(table.requests.count == 2)
    await fetcher.close()
  }

  @Test("The age of failures is the program's to choose, and nil is for ever")
  func failureAge() async throws {
    let short = fetcher { $0.failureAge = .seconds(5) }
    let endless = fetcher { $0.failureAge = nil }
    for fetcher in [short, endless] { #expect(await fetcher.answer(to: try request()).error?.status == 404) }
    clock.advance(.seconds(3_000_000))
    table[url] = .init(body: picture)
    #expect(await short.answer(to: try request()).error == nil)
    #expect(await endless.answer(to: try request()).error?.status == 404)
    for fetcher in [short, endless] { await fetcher.close() }
  }

  @Test("A success forgets the failure, whatever options it was asked with")
  func successes() async throws {
    let fetcher = fetcher()
    #expect(await fetcher.answer(to: try request()).error?.status == 404)
    table[url] = .init(body: picture)
    #expect(await fetcher.answer(to: try request { $0.retriesFailed = true }).error == nil)
    fetcher.memoryCache.clear()
    #expect(await fetcher.answer(to: try request()).error == nil)
    #expect(table.requests.count == 3)
    await fetcher.close()
  }

  @Test("Under refresh and reload each request asks the origin", arguments: [CachePolicy.refresh, .reload])
  func policies(policy: CachePolicy) async throws {
    let folder = try TemporaryFolder()
    let fetcher = fetcher { $0.cacheFolder = folder.path("cache") }
    for bytes in [picture, other, picture] {
      table[url] = .init(fields: [("ETag", "\"\(bytes.count)\"")], body: bytes)
      let request = try request { $0.policy = policy }
      #expect(try await fetcher.image(for: request).bytes == bytes)
    }
    #expect(table.requests.count == 3)
    await fetcher.close()
  }

  @Test("Requests that ask the origin whatever is there share an answer that is on its way")
  func joined() async throws {
    table[url] = .init(body: picture).held
    let fetcher = fetcher()
    let request = try request { $0.policy = .reload }
    let answers = Guarded<[FetchResult]>([])
    for _ in 0..<3 { fetcher.submit(request) { result in answers.withLock { $0.append(result) } } }
    fetcher.kick()
    table.release(url)
    fetcher.wait()
    #expect(answers.withLock { $0.allSatisfy { $0.error == nil } && $0.count == 3 })
    #expect(table.requests.count == 1)
    await fetcher.close()
  }

  @Test("robots.txt counts as long as it says, a minute at least")
  func robots() async throws {
    let robots = "http://a.test/robots.txt"
    func say(_ text: String, age: Int) {
      table[robots] = .init(fields: [("Cache-Control", "max-age=\(age)")], body: Array(text.utf8))
    }
    let asking = try request {
      $0.obeysRobots = true
      $0.policy = .off
    }
    let fetcher = fetcher()
    table[url] = .init(body: picture)
    say("User-agent: *\nDisallow: /a.jpg\n", age: 1)
    #expect(await fetcher.answer(to: asking).error?.kind == .refused)
    say("User-agent: *\nAllow: /\n", age: 1)
    clock.advance(.seconds(50))
    #expect(await fetcher.answer(to: asking).error?.kind == .refused)
    clock.advance(.seconds(15))
    fetcher.memoryCache.clear()
    let error = await fetcher.answer(to: asking).error
    #expect(error == nil, "\(String(describing: error)), \(table.requests)")
    #expect(table.requests.filter { $0 == robots }.count == 2)
    await fetcher.close()
  }

  @Test("A name that was absent is looked up again after a minute")
  func names() {
    var limits = NameBook.Limits()
    limits.absence = .seconds(60)
    var book = NameBook(limits)
    let start = Instant(nanoseconds: 0)
    #expect(book.ask("gone.test", for: 1, at: start) == .wait)
    #expect(book.turn(at: start).begin == ["gone.test"])
    _ = book.learn(.absent, of: "gone.test", at: start, random: 0)
    #expect(book.ask("gone.test", for: 2, at: start + .seconds(59)) == .failed(.absent))
    #expect(book.ask("gone.test", for: 2, at: start + .seconds(60)) == .wait)
  }

  @Test("In a run of a program once is enough")
  func runs() async throws {
    let fetcher = fetcher { $0.isForOneRun = true }
    table[url] = .init(body: picture)
    for _ in 0..<2 { #expect(await fetcher.answer(to: try request { $0.policy = .reload }).error == nil) }
    #expect(table.requests.count == 1)
    table[url] = nil
    let gone = try FetchRequest(url: url + "x")
    for _ in 0..<2 {
      #expect(await fetcher.answer(to: gone).error?.status == 404)
      clock.advance(.seconds(100_000))
    }
    #expect(table.requests.count == 2)
    await fetcher.close()
  }
}
