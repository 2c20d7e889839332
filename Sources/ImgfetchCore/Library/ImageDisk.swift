/// A fetcher's disk cache. All calls are made on the fetcher's threads, and none blocks the task's.
///
/// Any number of processes may use the same folder meanwhile.
public struct ImageDisk: Sendable {
  let pipeline: Pipeline
  let cache: DiskCache

  /// The folder of this namespace, whether or not it exists yet.
  public var path: String { cache.path }

  func key(_ request: FetchRequest) -> CacheKey { pipeline.identity.key(of: request) }

  /// The standing of a request's entry, or nil if there is none.
  package func standing(of request: FetchRequest) -> EntryStanding? {
    cache.standing(of: key(request), request.options, now: pipeline.clock.wallTime())
  }

  func image(_ request: FetchRequest) -> CachedImage? {
    guard let entry = cache.lookup(key(request)) else { return nil }
    guard let image = CachedImage(entry, now: pipeline.clock.wallTime()) else {
      if entry.body.isDamaged { cache.forget(entry, because: .damaged) }
      return nil
    }
    cache.touch(entry)
    return image
  }

  func store(_ bytes: [UInt8], _ request: FetchRequest) throws(FetchError) {
    let metadata = try EntryMetadata(ofOwn: bytes, for: request, in: pipeline)
    do throws(CacheFailure) { try cache.store(ImageBody(.bytes(bytes)), metadata) } catch { throw failure(error) }
    pipeline.care.note(Int64(bytes.count))
  }

  func asking<Value>(_ body: () throws(CacheFailure) -> Value) throws(FetchError) -> Value {
    do throws(CacheFailure) { return try body() } catch { throw failure(error) }
  }

  private func failure(_ error: CacheFailure) -> FetchError {
    if case .beingCleaned = error { return FetchError(.file, path, "the cache \(error.message)", isTransient: true) }
    return FetchError(.file, path, "\(error)", cause: error.code.map { FetchError.Cause(errno: $0) })
  }
}

// MARK: - With `await`: what waits for a disk is compiled into the calling program, see `AwaitedRequest`.

extension ImageDisk {
  /// True if there is an image, however old.
  @export(implementation)
  public func contains(_ request: FetchRequest) async -> Bool { await path(of: request) != nil }

  /// The image, however old, or nil if there is none.
  @export(implementation)
  public func image(for request: FetchRequest) async -> CachedImage? {
    await withCheckedContinuation { found in look(for: request) { found.resume(returning: $0) } }
  }

  /// The file that begins with the image, or nil if there is none. The file may be removed or replaced at any time,
  /// and may be read by others.
  @export(implementation)
  public func path(of request: FetchRequest) async -> String? {
    await withCheckedContinuation { found in path(of: request) { found.resume(returning: $0) } }
  }

  /// Stores an image of the program's own, as if it had just been fetched. Throws if the bytes are not a complete
  /// image, or cannot be stored.
  @export(implementation)
  public func store(_ bytes: [UInt8], for request: FetchRequest) async throws(FetchError) {
    try await withCheckedContinuation { done in store(bytes, for: request) { done.resume(returning: $0) } }.get()
  }

  /// Removes an image with all images derived from it, from this cache, the fetcher's memory and its own
  /// ``Fetcher/Configuration/tiers``. Read-only caches and the remote cache keep it, but are not asked for it from then
  /// on: the origin is. Returns the amount removed from this cache.
  @discardableResult
  @export(implementation)
  public func remove(_ request: FetchRequest) async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.remove(request)) { done.resume(returning: $0) } }.get()
  }

  /// The present amount of images, from a file that keeps count.
  @export(implementation)
  public func size() async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.nothing) { done.resume(returning: $0) } }.get()
  }

  /// Removes images that are older than `maximumAge` and were not used for as long. If there are more than
  /// `maximumSize` bytes then, it removes the least recently used until half of that is left, so that a full cache is
  /// not cleaned again at once. Returns the removed amount.
  @discardableResult
  @export(implementation)
  public func clean(maximumAge: Duration?, maximumSize: Int64?) async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in
      change(.clean(maximumAge, maximumSize)) { done.resume(returning: $0) }
    }.get()
  }

  /// Removes everything except downloads in progress, as ``remove(_:)`` removes one image. Returns the removed amount.
  @discardableResult
  @export(implementation)
  public func clear() async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.clear) { done.resume(returning: $0) } }.get()
  }
}

// The calls that the functions above await. Each closure is called once.
extension ImageDisk {
  @usableFromInline
  enum Change: Sendable {
    case nothing
    case remove(FetchRequest)
    case clean(Duration?, Int64?)
    case clear
  }

  @usableFromInline
  func look(for request: FetchRequest, _ found: @escaping @Sendable (CachedImage?) -> Void) {
    pipeline.workers.addOrRun { found(image(request)) }
  }

  @usableFromInline
  func path(of request: FetchRequest, _ found: @escaping @Sendable (String?) -> Void) {
    pipeline.workers.addOrRun { found(cache.path(of: key(request))) }
  }

  @usableFromInline
  func store(
    _ bytes: [UInt8], for request: FetchRequest, _ done: @escaping @Sendable (Result<Void, FetchError>) -> Void
  ) {
    pipeline.workers.addOrRun { done(Result { () throws(FetchError) in try store(bytes, request) }) }
  }

  @usableFromInline
  func change(_ change: Change, _ done: @escaping @Sendable (Result<CacheAmount, FetchError>) -> Void) {
    pipeline.workers.addOrRun {
      done(Result { () throws(FetchError) in try asking { () throws(CacheFailure) in try carryOut(change) } })
    }
  }

  private func carryOut(_ change: Change) throws(CacheFailure) -> CacheAmount {
    switch change {
    case .nothing: return CacheAmount(try cache.size())
    case .remove(let request):
      let key = key(request)
      cache.passOver(key)
      pipeline.memory.removeAll(of: key)
      for tier in pipeline.configuration.ownTiers { tier.removeAll(of: key) }
      return CacheAmount(try cache.remove(key))
    case .clean(let age, let size):
      let done = try cache.clean(maximumAge: age?.inSeconds, maximumSize: size)
      if let failure = done.failure { throw .notRemoved(failure) }
      return CacheAmount(done.removed)
    case .clear:
      cache.passOver(nil)
      pipeline.memory.clear()
      for tier in pipeline.configuration.ownTiers { tier.removeEverything() }
      return CacheAmount(try cache.clear())
    }
  }
}
