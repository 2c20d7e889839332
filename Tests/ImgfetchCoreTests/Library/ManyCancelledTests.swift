import ImgfetchCore
import TestSupport
import Testing

@Suite("Cancelling many requests") struct ManyCancelledTests {
  private let picture = TestImages.jpeg(width: 20, height: 10)

  @Test("Of thousands that are cancelled in random order none is asked for, and each is told so once")
  func none() async throws {
    let (seed, blocker) = (Seed(), "http://a.test/blocker.jpg")
    var random = seed.random(for: 0)
    let table = AnswerTable { [picture] in
      $0.url == blocker ? AnswerTable.Answer(body: picture).held : AnswerTable.Answer(body: picture)
    }
    var configuration = Fetcher.Configuration()
    configuration.jobs = 1
    let fetcher = Fetcher(configuration, answers: table)
    let answers = Guarded<[Int: FetchError.Kind?]>([:])
    func submit(_ url: String, _ tag: Int) throws -> UInt64 {
      fetcher.submit(try FetchRequest(url: url, tag: tag)) { result in
        answers.withLock { $0[result.tag] = .some(result.error?.kind) }
      }
    }
    _ = try submit(blocker, -1)
    var numbers: [UInt64] = []
    // Half of them share a flight with another one, and a hundred all share one.
    for tag in 0..<4000 { numbers.append(try submit("http://a.test/\(tag < 100 ? 0 : tag / 2).jpg", tag)) }
    for number in numbers.shuffled(using: &random) { fetcher.cancel(number) }
    table.release(blocker)
    fetcher.wait()
    #expect(table.requests == [blocker], "\(seed)")
    let all = answers.withLock { $0 }
    #expect(all.count == 4001 && all[-1] == .some(nil), "\(seed)")
    #expect(all.filter { $0.value == .cancelled }.count == 4000, "\(seed)")
    await fetcher.close()
  }

  @Test("Those that stay of a shared download get it when others leave")
  func rest() async throws {
    let url = "http://a.test/a.jpg"
    let table = AnswerTable([url: AnswerTable.Answer(body: picture).held])
    let fetcher = Fetcher(answers: table)
    let answers = Guarded<[FetchResult]>([])
    let numbers = try (0..<50).map { tag in
      fetcher.submit(try FetchRequest(url: url, tag: tag)) { result in answers.withLock { $0.append(result) } }
    }
    for (tag, number) in numbers.enumerated() where tag % 5 != 3 { fetcher.cancel(number) }
    table.release(url)
    fetcher.wait()
    let fetched = answers.withLock { $0.filter { $0.error == nil }.map(\.tag).sorted() }
    #expect(fetched == Array(stride(from: 3, to: 50, by: 5)))
    #expect(answers.withLock { $0.count } == 50 && table.requests == [url])
    await fetcher.close()
  }
}
