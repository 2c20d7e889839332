// The caches by themselves. What waits for a disk is compiled into the calling program, see `AwaitedRequest`.

extension Fetcher {
  /// The images in memory.
  public var memoryCache: ImageMemory { ImageMemory(pipeline: pipeline) }

  /// The images on disk; nil if there is no disk cache, or none that can be used.
  public var diskCache: ImageDisk? { pipeline.disk.map { ImageDisk(pipeline: pipeline, cache: $0) } }
}

extension ImageDisk {
  /// Whether there is an image, however old.
  @export(implementation)
  public func contains(_ request: FetchRequest) async -> Bool { await path(of: request) != nil }

  /// The image, however old; nil if there is none.
  @export(implementation)
  public func image(for request: FetchRequest) async -> CachedImage? {
    await withCheckedContinuation { found in look(for: request) { found.resume(returning: $0) } }
  }

  /// The file that begins with the image; nil if there is none. It may be removed or replaced at any time, and may be read by others.
  @export(implementation)
  public func path(of request: FetchRequest) async -> String? {
    await withCheckedContinuation { found in path(of: request) { found.resume(returning: $0) } }
  }

  /// Puts an image of one's own in, as if it had just been fetched. Throws if the bytes are no whole image, or cannot be stored.
  @export(implementation)
  public func store(_ bytes: [UInt8], for request: FetchRequest) async throws(FetchError) {
    try await withCheckedContinuation { done in store(bytes, for: request) { done.resume(returning: $0) } }.get()
  }

  /// Removes an image with everything that was made of it. Returns how much that was.
  @discardableResult
  @export(implementation)
  public func remove(_ request: FetchRequest) async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.remove(request)) { done.resume(returning: $0) } }.get()
  }

  /// How much there is, from a file that keeps count.
  @export(implementation)
  public func size() async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.nothing) { done.resume(returning: $0) } }.get()
  }

  /// Removes what is older than `maximumAge` seconds and was not used for as long, then the least recently used while there are more than
  /// `maximumSize` bytes. Returns how much was removed.
  @discardableResult
  @export(implementation)
  public func clean(maximumAge: Double?, maximumSize: Int64?) async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in
      change(.clean(maximumAge, maximumSize)) { done.resume(returning: $0) }
    }.get()
  }

  /// Removes everything but downloads in progress. Returns how much that was.
  @discardableResult
  @export(implementation)
  public func clear() async throws(FetchError) -> CacheAmount {
    try await withCheckedContinuation { done in change(.clear) { done.resume(returning: $0) } }.get()
  }
}

// What the above waits for. Each closure is called once.
extension ImageDisk {
  @usableFromInline
  enum Change: Sendable {
    case nothing
    case remove(FetchRequest)
    case clean(Double?, Int64?)
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
    case .nothing: CacheAmount(try cache.size())
    case .remove(let request): CacheAmount(try cache.remove(key(request)))
    case .clean(let age, let size): CacheAmount(try cache.clean(maximumAge: age, maximumSize: size).removed)
    case .clear: CacheAmount(try cache.clear())
    }
  }
}
