import ImgfetchCore
import TestSupport
import Testing

@Suite("Feeding a list") struct ListFeederTests {
  private let picture = TestImages.jpeg(width: 20, height: 10)

  @Test("A host that does not answer holds up no other host of the list, and each request is answered once")
  func overtaking() async throws {
    let table = AnswerTable { [picture] request in
      let answer = AnswerTable.Answer(body: picture)
      return request.url.contains("//slow.test/") ? answer.held : answer
    }
    let fetcher = Fetcher(Fetcher.Configuration(), answers: table)
    // A list of several hosts is read on at once, where the network has been asked.
    _ = try await fetcher.image(for: "http://host0.test/first.jpg")
    // More than may be out at once, so that the others are reached by putting some of these aside only.
    let slow = (0..<fetcher.window + 100).map { "http://slow.test/\($0).jpg" }
    let others = (0..<200).map { "http://host\($0 % 10).test/\($0).jpg" }
    var requests: [FetchRequest] = []
    for url in others.prefix(10) + slow + others.dropFirst(10) { requests.append(try FetchRequest(url: url)) }
    let answers = Guarded<[String: Int]>([:])
    let left = Guarded(others.count)
    fetcher.fetchAll(requests) { result in
      if result.error == nil { answers.withLock { $0[result.key, default: 0] += 1 } }
      if result.key.contains("//slow.test/") { return }
      let isLast = left.withLock { left in
        left -= 1
        return left == 0
      }
      if isLast { for url in slow { table.release(url) } }
    }
    #expect(answers.withLock { $0.count } == requests.count)
    #expect(answers.withLock { $0.values.allSatisfy { $0 == 1 } })
    await fetcher.close()
  }

  @Test("One request at a time is fed in the order of the list")
  func serial() async throws {
    let table = AnswerTable { [picture] _ in AnswerTable.Answer(body: picture) }
    var configuration = Fetcher.Configuration()
    configuration.jobs = 1
    configuration.keepsOrder = true
    let fetcher = Fetcher(configuration, answers: table)
    let urls = (0..<300).map { "http://\($0 % 3 == 0 ? "a" : "b").test/\($0).jpg" }
    fetcher.fetchAll(try urls.map { try FetchRequest(url: $0) }) { _ in }
    #expect(table.requests == urls)
    await fetcher.close()
  }
}
