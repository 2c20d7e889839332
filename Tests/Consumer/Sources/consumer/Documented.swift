import Foundation
import ImgfetchCore

// The examples of the documentation, word for word.

/// The pictures that pages will show, fetched before anyone asks.
struct Prefetcher: Sendable {
  let fetcher: Fetcher

  /// Fetches what is not cached yet, with low priority, and returns the URLs that have no image.
  func warm(_ urls: [String]) async -> [String] {
    let requests = urls.compactMap { url -> FetchRequest? in
      var request = try? FetchRequest(url: url)
      request?.priority = .low
      return request
    }
    var missing: [String] = []
    for await outcome in fetcher.images(for: requests, lookAhead: 32) {
      if case .failure(let error) = outcome.image, error.kind != .cancelled {
        missing.append(outcome.request.url.display)
      }
    }
    return missing
  }
}

/// Pictures with and without a network.
struct OfflinePictures: Sendable {
  let fetcher: Fetcher

  init(folder: String) {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder
    fetcher = Fetcher(configuration)
  }

  /// The newest there is: from the origin while it can be reached, else from the cache, however old.
  func picture(_ url: String, isOnline: Bool) async throws(FetchError) -> FetchedImage {
    var options = FetchOptions()
    options.policy = isOnline ? .refresh : .only
    return try await fetcher.image(for: url, options: options)
  }

  /// Keeps at most `bytes`, the most recently used first.
  func trim(to bytes: Int64) async throws(FetchError) {
    try await fetcher.diskCache?.clean(maximumAge: nil, maximumSize: bytes)
  }
}

/// Small pictures of large ones, each made once.
struct Thumbnails: Sendable {
  let fetcher: Fetcher

  init(folder: String, helper: String? = nil) {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder
    configuration.memoryLimit = 64 << 20
    if let helper { configuration.decoding = .helper(helper) }
    fetcher = Fetcher(configuration)
  }

  /// The answer of a server: a status, a media type and bytes.
  func answer(_ url: String, width: Int, height: Int) async -> (status: Int, mime: String, body: [UInt8]) {
    var options = FetchOptions()
    options.cachesDerived = true
    options.publicAddressesOnly = true
    do throws(FetchError) {
      let image = try await fetcher.thumbnail(for: url, width: width, height: height, options: options)
      return (200, image.mime, image.bytes)
    } catch {
      let status =
        switch error.kind {
        case .refused, .notImage, .limit: 400
        case .http: 404
        default: 502
        }
      return (status, "text/plain", Array(error.message.utf8))
    }
  }
}

/// A gallery: a hundred pictures are asked for, half of them are given up, and of the rest small ones are made.
struct Gallery: Sendable {
  let fetcher: Fetcher

  func run(_ urls: [String], givingUp: Int, progress: @escaping @Sendable (String, Int64) -> Void) async
    -> [PixelBuffer]
  {
    await withTaskGroup(of: PixelBuffer?.self) { group in
      for (number, url) in urls.enumerated() {
        group.addTask {
          guard let request = try? FetchRequest(url: url, tag: number) else { return nil }
          for await event in fetcher.events(for: request) {
            switch event {
            case .underway(.progressed(_, let url, let received, _)): progress(url, received)
            case .underway(.started) where number < givingUp: return nil
            case .underway, .partial, .stored: break
            case .done(.failure): return nil
            case .done(.success(let image)):
              return try? await fetcher.decode(image, DecodingOptions(size: Resize(.box(PixelSize(16, 16)))))
            }
          }
          return nil
        }
      }
      return await group.reduce(into: []) { all, made in if let made { all.append(made) } }
    }
  }
}

enum Documented {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("the prefetcher", prefetcher), ("the offline cache", offline), ("the thumbnails", thumbnails),
    ("the gallery", gallery),
  ]

  @Sendable static func prefetcher() async throws {
    let fetcher = Fetcher(answers: AnswerTable(["http://x.test/1.gif": .init(body: tinyGIF())]))
    let missing = await Prefetcher(fetcher: fetcher).warm(["http://x.test/1.gif", "http://x.test/2.gif"])
    try check(missing == ["http://x.test/2.gif"], "\(missing)")
    try check(fetcher.memoryCache.contains(try FetchRequest(url: "http://x.test/1.gif")), "not warm")
    await fetcher.close()
  }

  @Sendable static func offline() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    try await withFolder { folder in
      let pictures = OfflinePictures(folder: folder)
      let url = server.url("/a.gif")
      let newest = try await pictures.picture(url, isOnline: true)
      let stored = try await pictures.picture(url, isOnline: false)
      try check(newest.cache == .network && stored.cache == .memory, "\(newest.cache), \(stored.cache)")
      do throws(FetchError) { _ = try await pictures.picture(server.url("/b.gif"), isOnline: false) } catch {
        guard error.kind == .offline else { throw CheckFailure("\(error)") }
      }
      try await pictures.trim(to: 0)
      try check(try await pictures.fetcher.diskCache?.size().images == 0, "not trimmed")
      await pictures.fetcher.close()
    }
  }

  @Sendable static func thumbnails() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    try await withFolder { folder in
      let thumbnails = Thumbnails(folder: folder)
      let refused = await thumbnails.answer(server.url("/a.gif"), width: 8, height: 8)
      try check(refused.status == 400, "\(refused.status): an address of this machine was asked")
      await thumbnails.fetcher.close()
    }
  }

  @Sendable static func gallery() async throws {
    let png = try stripes(64, 64).encoded(as: .png)
    let dots = Array("DOTS".utf8) + [1, 1, 200]
    let server = try LocalServer { $0.hasSuffix(".dots") ? dots : png }
    defer { server.stop() }
    let tier = DictionaryTier()
    var configuration = Fetcher.Configuration()
    configuration.tiers = [tier]
    configuration.decoders = [DotsDecoder()]
    let fetcher = Fetcher(configuration)
    let told = Locked<Set<String>>([])
    let urls = (0..<100).map { server.url($0 < 50 ? "/held/\($0).png" : $0 < 99 ? "/\($0).png" : "/\($0).dots") }
    let made = await Gallery(fetcher: fetcher).run(urls, givingUp: 50) { url, _ in told.with { _ = $0.insert(url) } }
    server.release()
    try check(made.count == 50 && made.filter { $0.width == 16 }.count == 50, "\(made.count) of 50")
    try check(tier.entries.with { $0.count } >= 50, "\(tier.entries.with { $0.count }) in the own tier")
    await fetcher.close()
  }
}
