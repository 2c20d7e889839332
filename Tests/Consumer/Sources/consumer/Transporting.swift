import Foundation
import ImgfetchCore

/// A transport of one's own: images out of a dictionary, each in its own task, in pieces.
struct DictionaryTransport: FetchTransport {
  let images: [String: [UInt8]]
  let requests = Locked<[TransportRequest]>([])
  let cancelled = Locked(0)

  func begin(_ request: TransportRequest, _ answer: TransportAnswer) {
    requests.with { $0.append(request) }
    let task = Task {
      guard let image = images[request.url] else {
        answer.head(status: 404, length: 0)
        return answer.end()
      }
      answer.head(status: 200, fields: [("Content-Type", "image/gif")])
      for start in stride(from: 0, to: image.count, by: 1000) {
        await withCheckedContinuation { go in answer.whenReady { go.resume() } }
        answer.piece(Array(image[start..<min(image.count, start + 1000)]))
      }
      if request.url.hasSuffix("endless.gif") { while !Task.isCancelled { await Task.yield() } }
      answer.end()
    }
    answer.onCancel {
      cancelled.with { $0 += 1 }
      task.cancel()
    }
  }
}

enum Transporting {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("a transport of one's own", ownTransport), ("what a transport may do wrong", wrongTransport),
    ("a table that is slow, silent, in pieces, broken off", table), ("the fields that were sent", fields),
    ("a hook that awaits", awaiting), ("declining to store", declining), ("a sink that reads the image", sink),
  ]

  static let url = "http://pictures.test/a.gif"

  @Sendable static func ownTransport() async throws {
    // Bytes behind the end of a GIF are counted and kept.
    let large = tinyGIF() + [UInt8](repeating: 7, count: 300_000)
    let transport = DictionaryTransport(images: [url: large, "http://pictures.test/endless.gif": large])
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, transport: transport)
      try check(try await fetcher.image(for: url).bytes == large, "another image")
      try check(try await fetcher.image(for: url).cache != .network, "not cached")
      try check(await fetcher.answer(to: try FetchRequest(url: url + "x")).error?.status == 404, "not 404")
      let endless = Task { try await fetcher.image(for: "http://pictures.test/endless.gif") }
      while transport.requests.with({ $0.count }) < 3 { await Task.yield() }
      endless.cancel()
      _ = await endless.result
      while transport.cancelled.with({ $0 }) == 0 { await Task.yield() }
      let sent = transport.requests.with { $0[0] }
      try check(sent.method == "GET" && sent["user-agent"]?.hasPrefix("imgfetch/") == true, "\(sent.fields)")
      await fetcher.close()
    }
  }

  /// Answers each request as its closure does.
  private struct Closure: FetchTransport {
    let answer: @Sendable (TransportAnswer) -> Void
    func begin(_ request: TransportRequest, _ answer: TransportAnswer) { self.answer(answer) }
  }

  @Sendable static func wrongTransport() async throws {
    let faults: [(FetchError.Kind, @Sendable (TransportAnswer) -> Void)] = [
      (.connect, { $0.fail(.lost("gone")) }), (.name, { $0.fail(.noHost("no such host")) }),
      (.tls, { $0.fail(.insecure("not to be trusted")) }), (.connect, { $0.piece([1]) }), (.connect, { $0.end() }),
      (
        .truncated,
        {
          $0.head(status: 200, length: 100)
          $0.piece(tinyGIF())
          $0.end()
        }
      ),
      (
        .connect,
        {
          $0.head(status: 200)
          $0.head(status: 200)
        }
      ), (.timeout, { _ in }),
      (
        .timeout,
        {
          $0.head(status: 200)
          $0.piece(Array(tinyGIF().prefix(8)))
        }
      ),
    ]
    for (kind, fault) in faults {
      var configuration = Fetcher.Configuration()
      configuration.retries = 0
      configuration.stallTimeout = .milliseconds(20)
      let fetcher = Fetcher(configuration, transport: Closure(answer: fault))
      let error = await fetcher.answer(to: try FetchRequest(url: url)).error
      try check(error?.kind == kind, "\(String(describing: error)) where \(kind) was expected")
      await fetcher.close()
    }
    // A public address is told, and judged.
    let elsewhere = Closure {
      $0.head(status: 200, address: "192.168.0.1")
      $0.piece(tinyGIF())
      $0.end()
    }
    let fetcher = Fetcher(transport: elsewhere)
    var request = try FetchRequest(url: url)
    request.options.publicAddressesOnly = true
    try check(await fetcher.answer(to: request).error?.kind == .refused, "a private address was taken")
    // More than was announced is dropped.
    let long = Fetcher(
      transport: Closure {
        $0.head(status: 200, length: Int64(tinyGIF().count))
        $0.piece(tinyGIF() + [1, 2, 3])
        $0.end()
      })
    try check(try await long.image(for: url).bytes == tinyGIF(), "more than was announced")
    for fetcher in [fetcher, long] { await fetcher.close() }
  }

  @Sendable static func table() async throws {
    let image = tinyGIF() + [UInt8](repeating: 7, count: 5000)
    let answer = AnswerTable.Answer(body: image)
    let table = AnswerTable([
      "\(url)?slow": answer.delayed(by: .milliseconds(2)), "\(url)?pieces": answer.inPieces(of: 100),
      "\(url)?paused": answer.inPieces(of: 2000, every: .milliseconds(1)), "\(url)?chunked": answer.withoutLength,
      "\(url)?held": answer.held, "\(url)?silent": answer.silent(after: 1000),
      "\(url)?broken": answer.brokenOff(after: 1000), "\(url)?lost": .lost,
    ])
    var configuration = Fetcher.Configuration()
    configuration.retries = 0
    let fetcher = Fetcher(configuration, answers: table)
    for way in ["slow", "pieces", "paused", "chunked"] {
      try check(try await fetcher.image(for: "\(url)?\(way)").bytes == image, "another image, \(way)")
    }
    for way in ["held", "silent"] {
      let task = Task { try await fetcher.image(for: "\(url)?\(way)") }
      while !table.requests.contains("\(url)?\(way)") { await Task.yield() }
      // The one before may still count.
      while fetcher.outstanding > 1 { await Task.yield() }
      try check(fetcher.outstanding == 1, "not \(way)")
      table.release("\(url)?\(way)")
      try check(try await task.value.bytes == image, "another image, \(way)")
    }
    let broken = await fetcher.answer(to: try FetchRequest(url: "\(url)?broken")).error
    try check(broken?.kind == .truncated && broken?.isTransient == true, "\(String(describing: broken))")
    try check(await fetcher.answer(to: try FetchRequest(url: "\(url)?lost")).error?.kind == .connect, "not lost")
    await fetcher.close()
  }

  @Sendable static func fields() async throws {
    try await withFolder { folder in
      let table = AnswerTable { request in
        if request["if-none-match"] == "\"1\"" { return AnswerTable.Answer(status: 304) }
        return AnswerTable.Answer(fields: [("ETag", "\"1\"")], body: tinyGIF())
      }
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, answers: table)
      var request = try FetchRequest(url: url)
      request.options.policy = .refresh
      request.options.headers = [("X-Trace", "t1")]
      for isRevalidated in [false, true] {
        let image = try await fetcher.image(for: request)
        try check(image.bytes == tinyGIF() && image.result.isRevalidated == isRevalidated, "\(image.result)")
      }
      try check(table.sent.map { $0["x-trace"] } == ["t1", "t1"], "\(table.sent.map(\.fields))")
      try check(table.sent[0]["If-None-Match"] == nil && table.sent[1]["If-None-Match"] == "\"1\"", "\(table.sent)")
      await fetcher.close()
    }
  }

  @Sendable static func awaiting() async throws {
    let table = AnswerTable { request in
      request["authorization"] == "Bearer t1" ? AnswerTable.Answer(body: tinyGIF()) : AnswerTable.Answer(status: 401)
    }
    let asked = Locked(0)
    var hooks = FetchHooks()
    hooks.awaitBeforeAsking { request async throws(FetchError) in
      await Task.yield()
      asked.with { $0 += 1 }
      if request.tag == 7 { throw FetchError(.refused, request.url.display, "there is no token") }
      return [(name: "Authorization", value: "Bearer t1")]
    }
    let fetcher = Fetcher(hooks: hooks, answers: table)
    try check(try await fetcher.image(for: url).bytes == tinyGIF(), "another image")
    try check(try await fetcher.image(for: url).cache == .memory && asked.with { $0 } == 1, "asked for what is there")
    let refused = await fetcher.answer(to: try FetchRequest(url: url + "x", tag: 7)).error
    try check(refused?.reason == "there is no token" && table.requests.count == 1, "\(String(describing: refused))")
    await fetcher.close()
  }

  @Sendable static func declining() async throws {
    try await withFolder { folder in
      let table = AnswerTable([
        url: .init(body: tinyGIF()), "\(url)?kept": .init(fields: [("X-Keep", "yes")], body: tinyGIF()),
      ])
      var hooks = FetchHooks()
      hooks.mayStore = { _, facts, fields in facts?.format == .gif && fields.first("X-Keep") == "yes" }
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
      for address in [url, "\(url)?kept"] {
        for number in 0..<2 {
          let image = try await fetcher.image(for: address)
          let cache = address == url || number == 0 ? CacheType.network : .memory
          try check(image.bytes == tinyGIF() && image.cache == cache, "\(image.cache) for \(address)")
        }
      }
      try check(try await fetcher.diskCache?.size().images == 1, "kept what was declined")
      await fetcher.close()
    }
  }

  /// Keeps what it reads, all at once and piece by piece.
  private struct ReadingSink: ImageSink {
    let taken = Locked<[[UInt8]]>([])

    func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
      let whole = try image.bytes()
      var pieces: [UInt8] = []
      try image.read { (piece) throws(FetchError) in for index in piece.indices { pieces.append(piece[index]) } }
      taken.with { $0 += [whole, pieces] }
      if request.tag == 3 {
        try image.read { (_) throws(FetchError) in throw FetchError(.file, "there", "no room for it") }
      }
      return Delivery(output: "memory", isNew: true)
    }
  }

  @Sendable static func sink() async throws {
    let large = tinyGIF() + [UInt8](repeating: 7, count: 300_000)
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, answers: AnswerTable([url: .init(body: large)]))
      let sink = ReadingSink()
      for _ in 0..<2 {
        let result = await fetcher.answer(to: try FetchRequest(url: url, sink: sink))
        try check(result.output == "memory" && result.error == nil, "\(result)")
      }
      try check(sink.taken.with { $0 == [large, large, large, large] }, "other bytes")
      let full = await fetcher.answer(to: try FetchRequest(url: url, tag: 3, sink: sink)).error
      try check(full?.reason == "no room for it" && full?.subject == "there", "\(String(describing: full))")
      await fetcher.close()
    }
  }
}
