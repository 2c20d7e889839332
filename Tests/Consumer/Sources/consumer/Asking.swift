import Foundation
import ImgfetchCore

enum Asking {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("an image and its bytes", image), ("which cache answered", whichCache), ("into a file", download),
    ("typed errors", errors),
    ("a cancelled task", cancelled), ("a thousand tasks for a hundred images", crowd),
  ]

  @Sendable static func image() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    for cache in [CacheType.network, .memory] {
      let image = try await fetcher.image(for: server.url("/a.gif"))
      try check(image.bytes == tinyGIF() && image.cache == cache, "\(image)")
      try check(image.mime == "image/gif" && image.facts?.width == 1, "\(image)")
    }
    try check(server.total == 1, "\(server.total) requests")
    await fetcher.close()
  }

  /// In the spelling that comes to mind. It must not mean nil.
  @Sendable static func whichCache() async throws {
    let url = "http://pictures.test/a.gif"
    let fetcher = Fetcher(answers: AnswerTable([url: .init(body: tinyGIF())]))
    let request = try FetchRequest(url: url)
    let (first, second) = (await fetcher.answer(to: request), await fetcher.answer(to: request))
    try check(first.cache == .network && second.cache == .memory, "\(first.cache), then \(second.cache)")
    let missing = await fetcher.answer(to: try FetchRequest(url: url + "x"))
    try check(missing.cache == .network && missing.error != nil, "\(missing.cache) of what is not there")
    await fetcher.close()
  }

  @Sendable static func download() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    try await withFolder { folder in
      let path = folder + "/new/a.gif"
      let result = try await fetcher.download(FetchRequest(url: server.url("/a.gif")), to: path)
      try check(FileManager.default.contents(atPath: path).map { Array($0) } == tinyGIF(), "\(result)")
    }
    await fetcher.close()
  }

  @Sendable static func errors() async throws {
    let server = try LocalServer { _ in nil }
    defer { server.stop() }
    let fetcher = Fetcher()
    do throws(FetchError) {
      _ = try await fetcher.image(for: server.url("/a.gif"))
    } catch {
      guard error.kind == .http, error.status == 404 else { throw CheckFailure("\(error)") }
    }
    do throws(FetchError) { _ = try await fetcher.image(for: "ftp://example.org/a.gif") } catch {
      guard error.kind == .refused else { throw CheckFailure("\(error)") }
    }
    await fetcher.close()
  }

  @Sendable static func cancelled() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    let tasks = (0..<10).map { number in Task { try await fetcher.image(for: server.url("/held/\(number).gif")) } }
    for task in tasks[..<5] { task.cancel() }
    for task in tasks[..<5] {
      switch await task.result {
      case .success(let image): throw CheckFailure("\(image)")
      case .failure(let error): try check((error as? FetchError)?.kind == .cancelled, "\(error)")
      }
    }
    server.release()
    for task in tasks[5...] { try check(await task.value.bytes == tinyGIF(), "not the image") }
    await fetcher.close()
  }

  @Sendable static func crowd() async throws {
    let server = try LocalServer { tinyGIF($0.utf8.count) }
    defer { server.stop() }
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<1000 {
          group.addTask { _ = try await fetcher.image(for: server.url("/\(number % 100).gif")) }
        }
        try await group.waitForAll()
      }
      try check(server.total == 100, "\(server.total) requests for a hundred images")
      await fetcher.close()
    }
  }
}
