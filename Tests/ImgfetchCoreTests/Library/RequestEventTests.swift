import ImgfetchCore
import TestSupport
import Testing

@Suite("What a request's events tell") struct RequestEventTests {
  @Test("They begin with a start, tell at the head how much comes, and end with an end")
  func whole() async throws {
    let url = "http://a.test/a.jpg"
    let picture = TestImages.jpeg(width: 20, height: 10)
    let fetcher = Fetcher(answers: AnswerTable([url: .init(body: picture)]))
    var told: [String] = []
    for await event in fetcher.events(for: try FetchRequest(url: url)) {
      switch event {
      case .underway(.started): told.append("started")
      case .underway(.responded): told.append("responded")
      case .underway(.progressed(_, let of, let received, let total)):
        #expect(of == url && total == Int64(picture.count))
        told.append("\(received)")
      case .underway(.ended): told.append("ended")
      case .done(.success(let image)): told.append(image.bytes == picture ? "done" : "another image")
      default: break
      }
    }
    #expect(told == ["started", "responded", "0", "\(picture.count)", "ended", "done"])
    await fetcher.close()
  }

  @Test("A request that is cancelled is told of no end, and one that stays is")
  func ends() async throws {
    let url = "http://a.test/a.jpg"
    let table = AnswerTable([url: AnswerTable.Answer(body: TestImages.jpeg(width: 20, height: 10)).held])
    let fetcher = Fetcher(answers: table)
    let ends = Guarded<[Int]>([])
    let numbers = try (0..<3).map { tag in
      var request = try FetchRequest(url: url, tag: tag)
      request.onEvent = { event in if case .ended = event { ends.withLock { $0.append(tag) } } }
      return fetcher.submit(request) { _ in }
    }
    fetcher.cancel(numbers[1])
    table.release(url)
    fetcher.wait()
    #expect(ends.withLock { $0.sorted() } == [0, 2])
    await fetcher.close()
  }
}
