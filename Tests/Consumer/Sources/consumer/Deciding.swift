import Foundation
import ImgfetchCore

enum Deciding {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("an own key", key), ("whether to download", mayDownload), ("header fields", fields),
    ("a change before storing", beforeStoring), ("failures that are forgotten", failures), ("counters", counters),
    ("causes", causes), ("doubles", doubles),
  ]

  static let url = "http://pictures.test/a.gif"

  @Sendable static func key() async throws {
    let table = AnswerTable(["\(url)?1": .init(body: tinyGIF(1)), "\(url)?2": .init(body: tinyGIF(2))])
    var hooks = FetchHooks()
    hooks.key = { $0.path }
    let fetcher = Fetcher(hooks: hooks, answers: table)
    for number in 1...2 {
      let image = try await fetcher.image(for: "\(url)?\(number)")
      try check(image.bytes == tinyGIF(1) && image.result.key == "|/a.gif", "\(image.result.key)")
    }
    await fetcher.close()
  }

  @Sendable static func mayDownload() async throws {
    let table = AnswerTable([url: .init(body: tinyGIF())])
    var hooks = FetchHooks()
    hooks.mayDownload = { $0.tag == 1 }
    let fetcher = Fetcher(hooks: hooks, answers: table)
    let request = try FetchRequest(url: url)
    try check(await fetcher.answer(to: request).error?.kind == .offline && table.requests.isEmpty, "downloaded")
    var permitted = request
    permitted.tag = 1
    _ = try await fetcher.image(for: permitted)
    try check(try await fetcher.image(for: request).cache == .memory, "not from memory")
    await fetcher.close()
  }

  @Sendable static func fields() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    var hooks = FetchHooks()
    hooks.prepare = { $0.options.headers.append((name: "X-Trace", value: "t1")) }
    let fetcher = Fetcher(hooks: hooks)
    _ = try await fetcher.image(for: server.url("/a.gif"))
    try check(server.heads.contains { $0.contains("X-Trace: t1") }, "\(server.heads)")
    await fetcher.close()
  }

  @Sendable static func beforeStoring() async throws {
    let table = AnswerTable([url: .init(body: tinyGIF(1)), "\(url)?broken": .init(body: tinyGIF(2))])
    var hooks = FetchHooks()
    hooks.beforeStoring = { bytes, _ in bytes == tinyGIF(1) ? tinyGIF(9) : [1, 2, 3] }
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
      try check(try await fetcher.image(for: url).bytes == tinyGIF(9), "not what was made")
      fetcher.memoryCache.clear()
      let stored = try await fetcher.image(for: url)
      try check(stored.bytes == tinyGIF(9) && stored.cache == .disk, "\(stored)")
      let kept = try await fetcher.image(for: "\(url)?broken")
      try check(kept.bytes == tinyGIF(2) && kept.result.warnings.count == 1, "\(kept.result.warnings)")
      await fetcher.close()
    }
  }

  @Sendable static func failures() async throws {
    let table = AnswerTable()
    for isRemembered in [true, false] {
      var hooks = FetchHooks()
      hooks.remembersFailure = { _ in isRemembered }
      let fetcher = Fetcher(hooks: hooks, answers: table)
      for _ in 0..<2 {
        let error = await fetcher.answer(to: try FetchRequest(url: "http://x.test/\(isRemembered)")).error
        try check(error?.status == 404, "\(String(describing: error))")
      }
      await fetcher.close()
    }
    try check(table.requests.count == 3, "\(table.requests)")
  }

  @Sendable static func counters() async throws {
    let counters = FetchCounters()
    var hooks = FetchHooks()
    hooks.answered = { counters.count($0) }
    let fetcher = Fetcher(hooks: hooks, answers: AnswerTable([url: .init(body: tinyGIF())]))
    for _ in 0..<3 { _ = try await fetcher.image(for: url) }
    _ = await fetcher.answer(to: try FetchRequest(url: "http://x.test/"))
    let values = counters.values
    try check(values.downloads == 1 && values.memoryHits == 2 && values.failures == 1, "\(values)")
    try check(values.bytes == tinyGIF().count, "\(values)")
    await fetcher.close()
    try check(fetcher.load == FetcherLoad(requests: 0, flights: 0, waitingJobs: 0), "\(fetcher.load)")
  }

  @Sendable static func causes() async throws {
    var configuration = Fetcher.Configuration()
    configuration.retries = 0
    let fetcher = Fetcher(configuration)
    // Nothing listens on port 1.
    let refused = await fetcher.answer(to: try FetchRequest(url: "http://127.0.0.1:1/a.gif")).error
    try check(refused?.cause?.curl == 7, "\(String(describing: refused?.cause))")
    await fetcher.close()
  }

  @Sendable static func doubles() async throws {
    var result = FetchResult(url: url, key: url)
    result.cache = .disk
    result.facts = ImageFacts(format: .gif, width: 1, height: 1)
    let image = FetchedImage(result: result, bytes: tinyGIF())
    try check(image.cache == .disk && image.facts?.width == 1, "\(image)")
    let error = FetchError(.http, url, "the server answered 503", isTransient: true, status: 503)
    try check(error.message == "\(url): the server answered 503", "\(error)")
    var configuration = Fetcher.Configuration()
    configuration.retries = 0
    let fetcher = Fetcher(configuration, answers: AnswerTable([url: .lost]))
    let lost = await fetcher.answer(to: try FetchRequest(url: url)).error
    try check(lost?.kind == .connect && lost?.isTransient == true, "\(String(describing: lost))")
    await fetcher.close()
  }
}
