import ImgfetchCore
import TestSupport
import Testing

/// As a program sees it that only imports the library.
@Suite("An image that a task awaits") struct FetcherAsyncTests {
  private let server: TestServer
  private let folder: TemporaryFolder
  private let fetcher: Fetcher

  init() throws {
    server = try TestServer()
    folder = try TemporaryFolder()
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder.path("cache")
    // A task goes on when the tests beside it leave it a thread, which may be in a minute.
    configuration.connectTimeout = .seconds(3600)
    configuration.stallTimeout = .seconds(3600)
    fetcher = Fetcher(configuration)
  }

  @Test func comesWithItsBytes() async throws {
    let picture = TestImages.jpeg(width: 20, height: 10)
    server.serve("/a.jpg", picture)
    let url = try WebURL(server.url("/a.jpg"))
    for cache in [CacheType.network, .memory] {
      let image = try await fetcher.image(for: url)
      #expect(image.result.cache == cache)
      #expect(image.bytes == picture)
    }
    #expect(server.count("/a.jpg") == 1)
    await fetcher.close()
  }

  @Test func orWhyThereIsNone() async throws {
    server.serve("/gone.jpg", .status(404))
    let url = try WebURL(server.url("/gone.jpg"))
    let error = await #expect(throws: FetchError.self) { try await fetcher.image(for: url) }
    #expect(error?.kind == .http && error?.status == 404)
    await fetcher.close()
  }

  @Test("A task that is cancelled is answered at once, and who waits for the same image gets it")
  func cancelled() async throws {
    let picture = TestImages.jpeg(width: 20, height: 10)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    server.on("/slow.jpg") { _ in
      arrival.yield()
      return .ok(picture).stallAfter(10)
    }
    let url = try WebURL(server.url("/slow.jpg"))
    let left = Task { try await fetcher.image(for: url) }
    let patient = Task { try await fetcher.image(for: url) }
    for await _ in arrivals { break }
    left.cancel()
    let error = await #expect(throws: FetchError.self) { try await left.value }
    #expect(error?.kind == .cancelled)
    server.release("/slow.jpg")
    #expect(try await patient.value.bytes == picture)
    await fetcher.close()
  }

  @Test func soIsOneThatWasCancelledBefore() async throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(width: 20, height: 10)).stallAfter(10))
    let url = try WebURL(server.url("/slow.jpg"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await fetcher.image(for: url)
    }
    let error = await #expect(throws: FetchError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    await fetcher.close()
  }
}
