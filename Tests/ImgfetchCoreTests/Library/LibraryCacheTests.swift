import ImgfetchCore
import TestSupport
import Testing

/// The caches of a fetcher, as a program sees them that only imports the library.
@Suite("The caches of the library") struct LibraryCacheTests {
  private let folder: TemporaryFolder
  private let url = "http://pictures.test/a.jpg"
  private let large = TestImages.jpeg(bytes: 700_000)
  private let table: AnswerTable

  init() throws {
    folder = try TemporaryFolder()
    table = AnswerTable([url: .init(body: large)])
  }

  private func fetcher(_ change: (inout Fetcher.Configuration) -> Void = { _ in }) -> Fetcher {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder.path("cache")
    configuration.memoryLimit = 64 << 20
    change(&configuration)
    return Fetcher(configuration, answers: table)
  }

  private func bytes(of stream: ImageStream) async throws -> [UInt8] {
    var all: [UInt8] = []
    for try await piece in stream.pieces() { all += piece }
    return all
  }

  @Test("A large image that was taken into memory, into a file or as a stream answers from memory")
  func large() async throws {
    let fetcher = fetcher()
    let request = try FetchRequest(url: url)
    _ = try await fetcher.download(request, to: folder.path("out.jpg"))
    let image = try await fetcher.image(for: request)
    #expect(image.cache == .memory && image.bytes == large)
    fetcher.memoryCache.clear()
    #expect(try await bytes(of: try await fetcher.stream(for: request)) == large)
    #expect(try await fetcher.image(for: request).cache == .memory)
    #expect(table.requests.count == 1)
  }

  @Test("More images from disk than fit a streak are kept in memory")
  func fromDisk() async throws {
    let urls = (0..<40).map { "http://pictures.test/\($0).jpg" }
    for url in urls { table[url] = .init(body: TestImages.jpeg(width: 9, height: 9)) }
    let first = fetcher()
    for url in urls { _ = try await first.image(for: url) }
    await first.close()
    let second = fetcher()
    for expected in [CacheType.disk, .memory] {
      for url in urls { #expect(try await second.image(for: url).cache == expected) }
    }
  }

  @Test("An image that cannot be read for want of memory stays in the cache")
  func unreadForNow() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder.path("cache")
      let disk = try #require(Fetcher(configuration, answers: AnswerTable([:])).diskCache)
      let request = try FetchRequest(url: "http://pictures.test/a.jpg")
      try await disk.store(TestImages.jpeg(bytes: 700_000), for: request)
      for ordinal in 1...20 {
        Faults.arm { call, number in call == .pread && number >= ordinal ? .fail(.noMemory) : .proceed }
        let image = await disk.image(for: request)
        Faults.disarm()
        #expect(image == nil || ordinal > 1)
        #expect(await disk.contains(request), "\(ordinal)")
      }
    }
  }

  @Test("A damaged large image fails one stream, and is fetched anew by the next")
  func damagedStream() async throws {
    let first = fetcher()
    let request = try FetchRequest(url: url)
    try await first.prefetch(request)
    let path = try #require(await first.diskCache?.path(of: request))
    await first.close()
    var entry = try #require(Command.contents(of: path))
    entry[300_000] ^= 1
    try Command.overwrite(path, with: entry)
    let second = fetcher()
    let stream = try await second.stream(for: request)
    await #expect(throws: FetchError.self) { try await bytes(of: stream) }
    let again = try await second.stream(for: request)
    #expect(try await bytes(of: again) == large)
    #expect(table.requests.count == 2)
  }

  @Test(
    "What is removed is gone from memory and own tiers, and asked at the origin past the others",
    arguments: [true, false])
  func removed(isEverything: Bool) async throws {
    let shared = fetcher { $0.cacheFolder = folder.path("shared") }
    try await shared.prefetch(try FetchRequest(url: url))
    await shared.close()
    let fetcher = fetcher { $0.readOnlyCaches = [folder.path("shared")] }
    let request = try FetchRequest(url: url)
    #expect(try await fetcher.image(for: request).cache == .disk)
    #expect(try await fetcher.image(for: request).cache == .memory)
    let disk = try #require(fetcher.diskCache)
    if isEverything { _ = try await disk.clear() } else { _ = try await disk.remove(request) }
    #expect(!fetcher.memoryCache.contains(request))
    #expect(await !disk.contains(request))
    #expect(try await fetcher.image(for: request).cache == .network)
    #expect(table.requests.count == 2)
    let other = self.fetcher { $0.cacheFolder = folder.path("shared") }
    #expect(try await other.image(for: request).cache == .disk, "a cache that is only read loses nothing")
    await other.close()
  }

  @Test("A folder that cannot be used has no disk cache")
  func unusable() async throws {
    let file = try folder.write("file", "not a folder")
    for path in [file + "/cache", "/proc/imgfetch/cache"] {
      let fetcher = fetcher { $0.cacheFolder = path }
      #expect(fetcher.diskCache == nil, "\(path)")
      #expect(try await fetcher.image(for: url).bytes == large)
      await fetcher.close()
    }
  }

  @Test("The limits of memory can be changed while it works")
  func limits() async throws {
    let fetcher = fetcher()
    _ = try await fetcher.image(for: url)
    #expect(fetcher.memoryCache.size.images == 1)
    fetcher.memoryCache.setLimits(bytes: 1 << 20)
    #expect(fetcher.memoryCache.size.images == 1)
    fetcher.memoryCache.setLimits(bytes: 64 << 20, count: 0)
    #expect(fetcher.memoryCache.size.images == 0)
  }

  /// The amount on disk after a fetcher with a limit of 2 MB has kept some images.
  private func sizeAfterKeeping(_ numbers: Range<Int>, _ image: [UInt8]) async throws -> CacheAmount {
    let fetcher = fetcher { $0.maximumDiskSize = 2 << 20 }
    for number in numbers {
      let url = "http://pictures.test/\(number).jpg"
      table[url] = .init(body: image)
      try await fetcher.prefetch(try FetchRequest(url: url))
    }
    await fetcher.close()
    let left = self.fetcher { $0.maximumDiskSize = nil }
    let size = try #require(try await left.diskCache?.size())
    await left.close()
    return size
  }

  @Test("The disk cache stays within its limit by itself")
  func cleaned() async throws {
    var size = try await sizeAfterKeeping(0..<12, large)
    // A fetcher cleans for a bounded time, in which a slow machine may not come to the end.
    let small = TestImages.jpeg(width: 9, height: 9)
    for number in 12..<24 where size.bytes > 3 << 20 { size = try await sizeAfterKeeping(number..<number + 1, small) }
    #expect(size.bytes <= 3 << 20 && size.images > 0, "\(size)")
  }

  @Test("Requests that differ in a field for tracing share an image")
  func tracing() async throws {
    let fetcher = fetcher()
    for number in 0..<3 {
      var options = FetchOptions()
      options.headers = [(name: "X-Request-ID", value: "\(number)"), (name: "traceparent", value: "00-\(number)")]
      #expect(try await fetcher.image(for: url, options: options).cache == (number == 0 ? .network : .memory))
    }
  }
}
