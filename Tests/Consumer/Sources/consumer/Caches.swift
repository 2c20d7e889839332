import Foundation
import ImgfetchCore

/// A tier that lives in a dictionary, as one does in a store of the program's.
final class DictionaryTier: CacheTier {
  let entries = Locked<[String: [UInt8]]>([:])

  func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry? {
    guard let bytes = entries.with({ $0[key.name] }) else { return nil }
    let now = WallTime(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9))
    let entry = CachedEntry(encoded: bytes, key: key, stored: now)
    if entry == nil { damaged() }
    return entry
  }

  func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    let bytes = metadata.encoded(with: body)
    entries.with { $0[metadata.key.name] = bytes }
  }

  func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    entries.with { $0[entry.key.name] = nil }
  }

  func removeAll(of key: CacheKey) {
    entries.with { entries in entries = entries.filter { !$0.key.hasPrefix(key.family) } }
  }

  func removeEverything() { entries.with { $0 = [:] } }
}

enum Caches {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("the memory cache", memory), ("the disk cache", disk), ("an own tier", ownTier),
  ]

  static let url = "http://pictures.test/a.gif"

  @Sendable static func memory() async throws {
    let fetcher = Fetcher(answers: AnswerTable([url: .init(body: tinyGIF())]))
    let (request, cache) = (try FetchRequest(url: url), fetcher.memoryCache)
    try check(!cache.contains(request), "there before it was fetched")
    _ = try await fetcher.image(for: request)
    try check(cache.image(for: request)?.bytes == tinyGIF() && cache.size.images == 1, "\(cache.size)")
    cache.remove(request)
    try check(!cache.contains(request) && cache.size.images == 0, "\(cache.size)")
    let own = try FetchRequest(url: "http://nowhere.test/own.gif")
    try cache.store(tinyGIF(7), for: own)
    try check(try await fetcher.image(for: own).bytes == tinyGIF(7), "not the stored image")
    cache.clear()
    try check(cache.size == CacheAmount(bytes: 0, images: 0), "\(cache.size)")
    do throws(FetchError) { try cache.store([1, 2, 3], for: own) } catch {
      guard error.kind == .notImage else { throw CheckFailure("\(error)") }
      await fetcher.close()
      return
    }
    throw CheckFailure("stored what is no image")
  }

  @Sendable static func disk() async throws {
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration, answers: AnswerTable([url: .init(body: tinyGIF())]))
      let request = try FetchRequest(url: url)
      guard let cache = fetcher.diskCache else { throw CheckFailure("no disk cache") }
      try check(await !cache.contains(request), "there before it was fetched")
      try await fetcher.prefetch(request)
      try check(await cache.image(for: request)?.bytes == tinyGIF(), "not the image")
      let path = await cache.path(of: request)
      try check(path.map { FileManager.default.fileExists(atPath: $0) } == true, "no file \(path ?? "")")
      let own = try FetchRequest(url: "http://nowhere.test/own.gif")
      try await cache.store(tinyGIF(7), for: own)
      fetcher.memoryCache.clear()
      let image = try await fetcher.image(for: own)
      try check(image.bytes == tinyGIF(7) && image.cache == .disk, "\(image)")
      let size = try await cache.size()
      try check(size.images == 2, "\(size)")
      try check(try await cache.remove(own).images == 1, "another number")
      try check(try await cache.clean(maximumAge: nil, maximumSize: nil).images == 0, "cleaned too much")
      try check(try await cache.clear().images == 1, "another number")
      await fetcher.close()
    }
  }

  @Sendable static func ownTier() async throws {
    let tier = DictionaryTier()
    let table = AnswerTable([url: .init(body: tinyGIF())])
    let explanations = Locked<[String]>([])
    var hooks = FetchHooks()
    hooks.events = { event in
      if case .explained(_, let sentence) = event { explanations.with { $0.append(sentence) } }
    }
    for cache in [CacheType.network, .remote] {
      var configuration = Fetcher.Configuration()
      configuration.tiers = [tier]
      let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
      let image = try await fetcher.image(for: url)
      try check(image.cache == cache && image.bytes == tinyGIF(), "\(image)")
      await fetcher.close()
    }
    try check(table.requests == [url], "\(table.requests)")
    let said = explanations.with { $0 }
    try check(said.contains { $0.hasPrefix("in a tier of the program's own, ") }, "\(said)")
  }
}
