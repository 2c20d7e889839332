import Foundation
import ImgfetchCore

/// One check for each row of "Coming from SDWebImage" that can be tried, under the row's first words. A test of the
/// library compares the two.
enum SDWebImage {
  typealias Row = (row: String, run: @Sendable () async throws -> Void)

  static let checks = (manager + caches + downloader + coders + prefetcher).map {
    (name: "coming from SDWebImage: \($0.row)", run: $0.run)
  }

  static func url(_ name: String = "a") -> String { "http://pictures.test/\(name).gif" }

  static func request(_ name: String = "a", _ change: (inout FetchRequest) -> Void = { _ in }) throws -> FetchRequest {
    var request = try FetchRequest(url: url(name))
    change(&request)
    return request
  }

  /// A fetcher that is answered by a table, and closed afterwards.
  static func with(
    _ table: AnswerTable, hooks: FetchHooks = FetchHooks(), onDisk: Bool = false,
    _ configure: (inout Fetcher.Configuration) -> Void = { _ in }, _ body: (Fetcher) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.retries = 0
      if onDisk { configuration.cacheFolder = folder }
      configure(&configuration)
      let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
      do { try await body(fetcher) } catch {
        await fetcher.close()
        throw error
      }
      await fetcher.close()
    }
  }

  static var small: AnswerTable { AnswerTable([url(): .init(body: tinyGIF())]) }
  static var held: AnswerTable { AnswerTable([url(): AnswerTable.Answer(body: tinyGIF()).held]) }
  static func pngTable(_ width: Int, _ height: Int) throws -> AnswerTable {
    AnswerTable([url(): .init(body: try stripes(width, height).encoded(as: .png))])
  }
}

// MARK: - The manager

extension SDWebImage {
  static let manager: [Row] = [
    ("one image in one call", one), ("memory, disk, network in turn", tiers), ("cancelling one", cancelOne),
    ("cancelling all", cancelAll), ("whether it is running", running), ("failed URLs", failed),
    ("own rule for failed URLs", failedRule), ("whether to download", whether), ("own keys", keys),
    ("options for every request", everyRequest), ("transforming what is shown", transform),
    ("changing what is stored", serializer), ("which caches are asked and filled", policies),
    ("original and made image", originals), ("refreshing what is cached", refresh), ("from the cache only", cacheOnly),
    ("from the loader only", loaderOnly), ("waiting for the store", waitStore), ("priorities", priorities),
    ("pictures while it comes", progressive), ("cookies", cookies), ("invalid certificates", certificates),
    ("scaling large images down", scaleDown), ("the first frame only", firstFrame), ("thumbnails", thumbnails),
    ("no decoding", noDecoding), ("own loaders", loaders),
  ]

  @Sendable static func one() async throws {
    try await with(small) { fetcher in
      let image = try await fetcher.image(for: url())
      try check(image.bytes == tinyGIF() && image.result.url == url(), "\(image)")
    }
  }

  @Sendable static func tiers() async throws {
    try await with(small, onDisk: true) { fetcher in
      for cache in [CacheType.network, .memory, .disk] {
        if cache == .disk { fetcher.memoryCache.clear() }
        let image = try await fetcher.image(for: url())
        try check(image.cache == cache, "\(image.cache)")
      }
    }
  }

  @Sendable static func cancelOne() async throws {
    let table = held
    try await with(table) { fetcher in
      let (left, kept) = (Task { try await fetcher.image(for: url()) }, Task { try await fetcher.image(for: url()) })
      while fetcher.outstanding < 2 { await Task.yield() }
      left.cancel()
      guard case .failure(let error) = await left.result else { throw CheckFailure("not cancelled") }
      try check((error as? FetchError)?.kind == .cancelled, "\(error)")
      table.release(url())
      try check(try await kept.value.bytes == tinyGIF(), "cancelled for all")
    }
  }

  @Sendable static func cancelAll() async throws {
    try await with(held) { fetcher in
      let task = Task { await fetcher.answer(to: try request()) }
      while fetcher.outstanding == 0 { await Task.yield() }
      fetcher.cancelAll()
      try check(try await task.value.error?.kind == .cancelled, "not cancelled")
    }
  }

  @Sendable static func running() async throws {
    let table = held
    try await with(table) { fetcher in
      try check(fetcher.load.requests == 0, "\(fetcher.load)")
      let task = Task { try await fetcher.image(for: url()) }
      while fetcher.load.requests == 0 { await Task.yield() }
      table.release(url())
      _ = try await task.value
      // The answer wakes the task before its request stops counting.
      while fetcher.outstanding > 0 { await Task.yield() }
    }
  }

  @Sendable static func failed() async throws {
    let table = AnswerTable()
    try await with(table) { fetcher in
      for _ in 0..<2 { try check(await fetcher.answer(to: try request()).error?.status == 404, "there") }
      try check(table.requests.count == 1, "asked again")
      table[url()] = .init(body: tinyGIF())
      try check(await fetcher.answer(to: try request { $0.options.retriesFailed = true }).error == nil, "not retried")
      fetcher.memoryCache.clear()
      try check(await fetcher.answer(to: try request()).error == nil, "a success does not clear it")
    }
  }

  @Sendable static func failedRule() async throws {
    var hooks = FetchHooks()
    hooks.remembersFailure = { $0.status != 404 }
    let table = AnswerTable()
    try await with(table, hooks: hooks) { fetcher in
      for _ in 0..<2 { _ = await fetcher.answer(to: try request()) }
      try check(table.requests.count == 2, "\(table.requests)")
    }
  }

  @Sendable static func whether() async throws {
    var hooks = FetchHooks()
    hooks.mayDownload = { _ in false }
    let table = small
    try await with(table, hooks: hooks) { fetcher in
      try check(await fetcher.answer(to: try request()).error?.kind == .offline && table.requests.isEmpty, "downloaded")
    }
  }

  @Sendable static func keys() async throws {
    var hooks = FetchHooks()
    hooks.key = { $0.path }
    let table = AnswerTable { _ in AnswerTable.Answer(body: tinyGIF()) }
    try await with(table, hooks: hooks) { fetcher in
      for number in 0..<2 { _ = try await fetcher.image(for: "\(url())?\(number)") }
      try check(table.requests.count == 1, "\(table.requests)")
    }
  }

  @Sendable static func everyRequest() async throws {
    var hooks = FetchHooks()
    hooks.prepare = { $0.options.headers.append((name: "X-App", value: "1")) }
    let table = small
    try await with(table, hooks: hooks) { fetcher in
      _ = try await fetcher.image(for: url())
      try check(table.sent.first?["X-App"] == "1", "\(table.sent)")
    }
  }

  @Sendable static func transform() async throws {
    try await with(try pngTable(40, 20), onDisk: true) { fetcher in
      for cache in [CacheType.network, .memory] {
        let image = try await fetcher.image(
          for: try request { $0.transform = ImageTransform(steps: [.turn(.quarter)]) })
        try check(image.facts?.width == 20 && image.result.source?.facts.width == 40, "\(image)")
        try check(image.cache == cache, "\(image.cache)")
      }
    }
  }

  @Sendable static func serializer() async throws {
    var hooks = FetchHooks()
    hooks.beforeStoring = { _, _ in tinyGIF(9) }
    try await with(small, hooks: hooks) { fetcher in
      try check(try await fetcher.image(for: url()).bytes == tinyGIF(9), "as it came")
    }
  }

  @Sendable static func policies() async throws {
    let table = small
    try await with(table, onDisk: true) { fetcher in
      for (policy, onDisk, inMemory) in [(CachePolicy.off, 0, 0), (.memory, 0, 1), (.age, 1, 1)] {
        _ = try await fetcher.image(for: try request { $0.options.policy = policy })
        let disk = try await fetcher.diskCache?.size().images
        try check(disk ?? 0 == onDisk && fetcher.memoryCache.size.images == inMemory, "\(policy)")
        fetcher.memoryCache.clear()
      }
    }
  }

  @Sendable static func originals() async throws {
    let table = try pngTable(40, 20)
    try await with(table, onDisk: true) { fetcher in
      var asked = try request { $0.transform = .thumbnail(width: 8, height: 8) }
      for count in [1, 2] {
        asked.options.cachesDerived = count == 2
        fetcher.memoryCache.clear()
        _ = try await fetcher.image(for: asked)
        let images = try await fetcher.diskCache?.size().images
        try check(images ?? 0 == count, "\(images ?? 0) images on disk, and not \(count)")
      }
      try check(table.requests.count == 1, "the original was downloaded again")
    }
  }

  @Sendable static func refresh() async throws {
    let table = small
    try await with(table) { fetcher in
      _ = try await fetcher.image(for: url())
      table[url()] = .init(body: tinyGIF(1))
      var seen: [[UInt8]] = []
      for await event in fetcher.events(for: try request { $0.options.policy = .refresh }) {
        switch event {
        case .stored(let image): seen.append(image.bytes)
        case .done(let image): seen.append(try image.get().bytes)
        case .underway, .partial: break
        }
      }
      try check(seen == [tinyGIF(), tinyGIF(1)], "\(seen.count) images")
    }
  }

  @Sendable static func cacheOnly() async throws {
    let table = small
    try await with(table) { fetcher in
      let only = try request { $0.options.policy = .only }
      try check(await fetcher.answer(to: only).error?.kind == .offline && table.requests.isEmpty, "asked for")
      _ = try await fetcher.image(for: url())
      try check(await fetcher.answer(to: only).cache == .memory, "not from memory")
    }
  }

  @Sendable static func loaderOnly() async throws {
    let table = small
    try await with(table) { fetcher in
      for policy in [CachePolicy.age, .reload, .off] {
        let image = try await fetcher.image(for: try request { $0.options.policy = policy })
        try check(image.cache == .network, "\(policy): \(image.cache)")
      }
      try check(table.requests.count == 3, "\(table.requests)")
    }
  }

  @Sendable static func waitStore() async throws {
    try await with(small, onDisk: true) { fetcher in
      _ = try await fetcher.image(for: url())
      let path = await fetcher.diskCache?.path(of: try request())
      try check(path.map { FileManager.default.fileExists(atPath: $0) } == true, "not on disk yet")
    }
  }

  @Sendable static func priorities() async throws { try await Flying.lending() }

  @Sendable static func progressive() async throws {
    let jpeg = try stripes(800, 600).encoded(as: .jpeg)
    let table = AnswerTable([url(): AnswerTable.Answer(body: jpeg).silent(after: jpeg.count / 2)])
    try await with(table) { fetcher in
      var partial = 0
      for await event in fetcher.events(for: try request(), partialPictures: DecodingOptions()) {
        switch event {
        case .partial:
          partial += 1
          table.release(url())
        case .done(let image): try check(try image.get().bytes == jpeg, "another image")
        case .underway, .stored: break
        }
      }
      try check(partial > 0, "no picture")
    }
  }

  @Sendable static func cookies() async throws {
    let table = small
    try await with(table) {
      $0.identity.cookies = ["session=1"]
    } _: { fetcher in
      _ = try await fetcher.image(for: url())
      try check(table.sent.first?["Cookie"] == "session=1", "\(table.sent)")
    }
  }

  /// The option can be set; a server with such a certificate belongs to the library's own tests.
  @Sendable static func certificates() async throws {
    try await with(small) {
      $0.isInsecure = true
    } _: { fetcher in
      _ = try await fetcher.image(for: url())
    }
  }

  @Sendable static func scaleDown() async throws { try await Pixels.scaledToFit() }

  @Sendable static func firstFrame() async throws {
    try await with(small) { fetcher in
      let image = try await fetcher.image(for: url())
      try check(try await fetcher.decode(image).width == 1, "no picture")
      try check(try await fetcher.decodeAll(image.bytes).count == 1, "more pictures")
    }
  }

  @Sendable static func thumbnails() async throws {
    let table = try pngTable(40, 20)
    try await with(table) { fetcher in
      _ = try await fetcher.image(for: url())
      let thumbnail = try await fetcher.thumbnail(for: url(), width: 10, height: 10)
      try check(thumbnail.facts?.width == 10 && thumbnail.facts?.height == 5, "\(thumbnail)")
      let large = try await fetcher.thumbnail(for: url(), width: 400, height: 400)
      try check(large.facts?.width == 40 && table.requests.count == 1, "\(large)")
    }
  }

  @Sendable static func noDecoding() async throws {
    try await with(small) { fetcher in
      let image = try await fetcher.image(for: try request { $0.options.verification = .none })
      try check(image.facts == nil && image.bytes == tinyGIF(), "\(image)")
    }
  }

  @Sendable static func loaders() async throws { try await Transporting.ownTransport() }
}

// MARK: - Caches

extension SDWebImage {
  static let caches: [Row] = [
    ("bytes in memory", memoryLimit), ("age on disk", diskAge), ("bytes on disk", diskSize),
    ("storing an own image", store), ("asking a cache", query), ("removing and clearing", removing),
    ("size of a cache", size), ("caches that are only read", readOnly), ("own caches", { try await Caches.ownTier() }),
    ("place and name of a cache", place),
  ]

  @Sendable static func memoryLimit() async throws {
    let table = AnswerTable { _ in AnswerTable.Answer(body: tinyGIF()) }
    try await with(table) {
      $0.memoryLimit = 20_000
    } _: { fetcher in
      for number in 0..<100 { _ = try await fetcher.image(for: url("\(number)")) }
      try check(fetcher.memoryCache.size.bytes <= 20_000, "\(fetcher.memoryCache.size)")
      try check(fetcher.memoryCache.contains(try request("99")), "the newest is gone")
    }
  }

  @Sendable static func diskAge() async throws {
    let table = small
    try await with(table, onDisk: true) { fetcher in
      _ = try await fetcher.image(for: url())
      fetcher.memoryCache.clear()
      let image = try await fetcher.image(for: try request { $0.options.policy = .refresh })
      try check(image.bytes == tinyGIF() && table.requests.count == 2, "not asked about")
      let age = await fetcher.diskCache?.image(for: try request())?.age
      try check(age.map { $0 < .seconds(60) } == true, "\(String(describing: age))")
      try check(FetchOptions().maximumAge == .seconds(7 * 24 * 3600), "another default")
    }
  }

  @Sendable static func diskSize() async throws {
    let table = AnswerTable { _ in AnswerTable.Answer(body: tinyGIF()) }
    try await with(table, onDisk: true) { fetcher in
      guard let cache = fetcher.diskCache else { throw CheckFailure("no disk cache") }
      for number in 0..<20 { _ = try await fetcher.image(for: url("\(number)")) }
      let before = try await cache.size()
      let removed = try await cache.clean(maximumAge: nil, maximumSize: before.bytes / 2)
      let after = try await cache.size()
      try check(removed.images > 0 && after.bytes <= before.bytes / 2, "\(after)")
    }
  }

  @Sendable static func store() async throws {
    try await with(AnswerTable(), onDisk: true) { fetcher in
      try fetcher.memoryCache.store(tinyGIF(1), for: request("memory"))
      try await fetcher.diskCache?.store(tinyGIF(2), for: request("disk"))
      try check(try await fetcher.image(for: url("memory")).cache == .memory, "not from memory")
      try check(try await fetcher.image(for: url("disk")).bytes == tinyGIF(2), "another image")
    }
  }

  @Sendable static func query() async throws {
    try await with(small, onDisk: true) { fetcher in
      guard let cache = fetcher.diskCache else { throw CheckFailure("no disk cache") }
      try check(await !cache.contains(try request()) && !fetcher.memoryCache.contains(try request()), "there")
      _ = try await fetcher.image(for: url())
      try check(await cache.contains(try request()) && fetcher.memoryCache.contains(try request()), "not there")
      try check(await cache.image(for: try request())?.bytes == tinyGIF(), "another image")
    }
  }

  @Sendable static func removing() async throws {
    let table = small
    try await with(table, onDisk: true) { fetcher in
      _ = try await fetcher.image(for: url())
      fetcher.memoryCache.remove(try request())
      try check(!fetcher.memoryCache.contains(try request()), "there")
      try await fetcher.diskCache?.remove(try request())
      try check(try await fetcher.image(for: url()).cache == .network, "still there")
      try await fetcher.diskCache?.clear()
      fetcher.memoryCache.clear()
      let size = try await fetcher.diskCache?.size()
      try check(size?.images == 0 && fetcher.memoryCache.size.images == 0, "not empty")
    }
  }

  @Sendable static func size() async throws {
    try await with(small, onDisk: true) { fetcher in
      _ = try await fetcher.image(for: url())
      // In one expression with `?`, the compiler of Swift 6.3.1 fails in release builds.
      guard let cache = fetcher.diskCache else { throw CheckFailure("there is no cache") }
      let size = try await cache.size()
      try check(size.images == 1 && size.bytes > Int64(tinyGIF().count), "\(size)")
    }
  }

  @Sendable static func readOnly() async throws {
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder + "/mine"
      let first = Fetcher(configuration, answers: small)
      _ = try await first.image(for: url())
      await first.close()
      configuration.readOnlyCaches = [folder + "/mine"]
      configuration.cacheFolder = folder + "/other"
      let second = Fetcher(configuration, answers: AnswerTable())
      try check(try await second.image(for: url()).cache == .disk, "not found")
      await second.close()
    }
  }

  @Sendable static func place() async throws {
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      configuration.namespace = "avatars"
      let fetcher = Fetcher(configuration, answers: small)
      _ = try await fetcher.image(for: url())
      let path = await fetcher.diskCache?.path(of: try request()) ?? ""
      try check(path.hasPrefix(folder) && path.contains("/avatars/"), "\(path)")
      await fetcher.close()
    }
  }
}

// MARK: - The downloader and its operations

extension SDWebImage {
  static let downloader: [Row] = [
    ("downloads at once", { try await Flying.limits() }), ("time-outs", { try await Flying.timeLimit() }),
    ("newest first", newestFirst), ("header fields", headers),
    ("changing requests", { try await Transporting.awaiting() }),
    ("changing answers", { try await Transporting.ownTransport() }), ("names and passwords", logins),
    ("accepted statuses", statuses), ("accepted types", types), ("progress", { try await Flying.events() }),
    ("suspending", { try await Flying.suspending() }), ("how many are under way", running),
    ("one download for many", coalescing), ("a token for each asker", cancelOne), ("metrics", metrics),
    ("the protocol's own cache", protocolCache), ("errors", errors), ("bodies that are cut", cut),
  ]

  @Sendable static func newestFirst() async throws {
    let table = AnswerTable { request in
      let answer = AnswerTable.Answer(body: tinyGIF())
      return request.url == url("held") ? answer.held : answer
    }
    let seen = Locked(0)
    var hooks = FetchHooks()
    hooks.mayDownload = { _ in
      seen.with { $0 += 1 }
      return true
    }
    let configure = { (configuration: inout Fetcher.Configuration) in
      configuration.jobs = 1
      configuration.isNewestFirst = true
    }
    try await with(table, hooks: hooks, configure) { fetcher in
      fetcher.submit(try request("held")) { _ in }
      fetcher.kick()
      while table.requests.isEmpty { await Task.yield() }
      for name in ["a", "b", "c"] { fetcher.submit(try request(name)) { _ in } }
      fetcher.kick()
      // One more is looked for after those, and may overtake them: so it is the newest.
      while seen.with({ $0 }) < 4 { await Task.yield() }
      fetcher.submit(try request("d")) { _ in }
      while seen.with({ $0 }) < 5 { await Task.yield() }
      table.release(url("held"))
      fetcher.wait()
      let order = table.requests.filter { $0 != url("d") }
      try check(order == ["held", "c", "b", "a"].map { url($0) }, "\(table.requests)")
    }
  }

  @Sendable static func headers() async throws {
    let table = small
    try await with(table) {
      $0.userAgent = "app/1"
    } _: { fetcher in
      _ = try await fetcher.image(
        for: try request { $0.options.headers = [("Accept-Language", "de"), ("Accept", nil)] })
      let sent = table.sent.first
      try check(sent?["User-Agent"] == "app/1" && sent?["Accept-Language"] == "de", "\(table.sent)")
      try check(sent?["Accept"] == nil, "\(table.sent)")
    }
  }

  @Sendable static func logins() async throws {
    let table = small
    try await with(table) {
      $0.identity.login = Login(user: "alice", password: "secret")
    } _: { fetcher in
      _ = try await fetcher.image(for: url())
      try check(table.sent.first?.login == Login(user: "alice", password: "secret"), "not sent")
    }
  }

  @Sendable static func statuses() async throws {
    try await with(AnswerTable([url(): .init(status: 404, body: tinyGIF())])) { fetcher in
      try check(await fetcher.answer(to: try request()).error?.kind == .http, "taken")
      let any = try request {
        $0.options.acceptedStatuses = StatusSet([200...499])
        $0.options.retriesFailed = true
      }
      try check(try await fetcher.image(for: any).result.status == 404, "not taken")
    }
  }

  @Sendable static func types() async throws {
    try await with(small) { fetcher in
      let error = await fetcher.answer(to: try request { $0.options.filter.formats = [.png] }).error
      try check(error?.kind == .limit, "\(String(describing: error))")
    }
  }

  @Sendable static func coalescing() async throws {
    let table = held
    try await with(table) { fetcher in
      let tasks = (0..<20).map { _ in Task { try await fetcher.image(for: url()) } }
      while fetcher.outstanding < 20 { await Task.yield() }
      table.release(url())
      var shared = 0
      for task in tasks {
        let result = try await task.value.result
        // One that was still on its way to the others finds their image in memory.
        shared += result.isShared || result.cache == .memory ? 1 : 0
      }
      try check(shared == 19 && table.requests.count == 1, "\(table.requests.count) requests, \(shared) shared")
    }
  }

  @Sendable static func metrics() async throws {
    let counters = FetchCounters()
    var hooks = FetchHooks()
    hooks.answered = { counters.count($0) }
    try await with(small, hooks: hooks) { fetcher in
      let image = try await fetcher.image(for: url())
      try check(image.result.attempts == 1 && image.result.elapsedMilliseconds > 0, "\(image.result)")
      try check(counters.values.downloads == 1, "\(counters.values)")
    }
  }

  @Sendable static func protocolCache() async throws {
    let table = AnswerTable([url(): .init(fields: [("Cache-Control", "no-store")], body: tinyGIF())])
    try await with(table, onDisk: true) { fetcher in
      for _ in 0..<2 { _ = try await fetcher.image(for: try request { $0.options.policy = .http }) }
      try check(table.requests.count == 2, "stored what must not be")
    }
  }

  @Sendable static func errors() async throws {
    let page = Array("<!DOCTYPE html><title>no</title>".utf8)
    try await with(AnswerTable([url(): .init(body: page), url("empty"): .init(body: [])])) { fetcher in
      for name in ["a", "empty"] {
        let error = await fetcher.answer(to: try request(name)).error
        try check(error?.kind == .notImage || error?.kind == .damaged, "\(String(describing: error))")
      }
      do throws(FetchError) { _ = try await fetcher.image(for: "") } catch {
        return try check(error.kind == .refused, "\(error)")
      }
      throw CheckFailure("an empty URL has an image")
    }
  }

  @Sendable static func cut() async throws {
    let png = try stripes(100, 100).encoded(as: .png)
    let table = AnswerTable([url(): .init(body: Array(png.dropLast(10)))])
    try await with(table, onDisk: true) { fetcher in
      try check(await fetcher.answer(to: try request()).error?.kind == .damaged, "half a picture was taken")
      let size = try await fetcher.diskCache?.size()
      try check(size?.images == 0, "half a picture was kept")
    }
  }
}

// MARK: - Coders and transformers, the prefetcher

extension SDWebImage {
  static let coders: [Row] = [
    ("own coders", { try await Pixels.ownDecoder() }),
    ("own coders that are fed", { try await Pixels.comingDecoder() }),
    ("what format it is", format), ("animations", { try await Pixels.ownAnimation() }),
    ("encoding", { try await Pixels.byAlpha() }), ("a pixel's colour", colour),
    ("resizing, cropping, turning", { try await Pixels.buffers() }), ("several transformers", several),
    ("orientation", orientation),
  ]

  static let prefetcher: [Row] = [
    ("lists of URLs", { try await Flying.prefetching() }),
    ("three at once, with low priority", { try await Flying.prefetching() }),
    ("counts of finished and skipped", { try await Flying.prefetching() }),
    ("giving a list up", { try await Flying.prefetching() }),
    ("a list of images", { try await Sequences.inOrder() }),
  ]

  @Sendable static func format() async throws {
    for format in [ImageFormat.png, .jpeg, .webp, .gif] {
      let bytes = try stripes(8, 4).encoded(as: format)
      try await with(AnswerTable([url(): .init(fields: [("Content-Type", "text/plain")], body: bytes)])) { fetcher in
        let image = try await fetcher.image(for: url())
        try check(image.facts?.format == format && image.mime.hasPrefix("image/"), "\(image)")
      }
    }
  }

  @Sendable static func colour() async throws {
    try await with(try pngTable(40, 20)) { fetcher in
      let picture = try await fetcher.decode(try await fetcher.image(for: url()))
      try check(picture[0, 0]?.red == 250 && picture[39, 0]?.blue == 250 && picture[40, 0] == nil, "other colours")
    }
  }

  @Sendable static func several() async throws {
    try await with(try pngTable(40, 20)) { fetcher in
      let steps: [ImageTransform.Step] = [
        .crop(Crop(PixelSize(20, 20))), .resize(Resize(.width(10))), .turn(.quarter),
      ]
      let image = try await fetcher.image(for: try request { $0.transform = ImageTransform(steps: steps) })
      try check(image.facts?.width == 10 && image.facts?.height == 10, "\(image)")
    }
  }

  @Sendable static func orientation() async throws {
    let picture = try stripes(40, 20)
    try check(picture.turned(.half).turned(.half) == picture, "half a turn twice is another picture")
    try await with(try pngTable(40, 20)) { fetcher in
      var options = DecodingOptions()
      options.appliesOrientation = false
      let image = try await fetcher.image(for: url())
      try check(try await fetcher.decode(image, options).width == 40, "turned")
    }
  }
}
