import ImgfetchCore
import TestSupport
import Testing

@Suite("Closing a fetcher") struct ClosingTests {
  private let picture = TestImages.jpeg(width: 20, height: 10)

  @Test("Requests under way are answered as cancelled, and those that follow are refused at once")
  func answers() async throws {
    let server = try TestServer()
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    server.on("/slow.jpg") { [picture] _ in
      arrival.yield()
      return .ok(picture).stallAfter(10)
    }
    var configuration = Fetcher.Configuration()
    configuration.stallTimeout = .seconds(3600)
    let fetcher = Fetcher(configuration)
    let request = try FetchRequest(url: server.url("/slow.jpg"))
    let task = Task { await fetcher.answer(to: request) }
    for await _ in arrivals { break }
    await fetcher.close()
    #expect(await task.value.error?.kind == .cancelled)
    let refused = await fetcher.answer(to: request)
    #expect(refused.error?.message.hasSuffix("not asked for, since the fetcher is closed") == true)
    server.release("/slow.jpg")
  }

  @Test("It may be closed twice, and by several tasks")
  func twice() async throws {
    let table = AnswerTable(["http://a.test/a.jpg": .init(body: picture)])
    let fetcher = Fetcher(answers: table)
    #expect(try await fetcher.image(for: "http://a.test/a.jpg").bytes == picture)
    await withTaskGroup { group in for _ in 0..<4 { group.addTask { await fetcher.close() } } }
    await fetcher.close()
    #expect(await fetcher.answer(to: try FetchRequest(url: "http://a.test/a.jpg")).error?.kind == .cancelled)
  }

  @Test("What is awaited keeps its fetcher, though nothing else does")
  func letGo() async throws {
    let table = AnswerTable(["http://a.test/a.jpg": .init(body: picture)])
    let result = await Fetcher(answers: table).answer(to: try FetchRequest(url: "http://a.test/a.jpg"))
    #expect(result.error == nil)
  }
}
