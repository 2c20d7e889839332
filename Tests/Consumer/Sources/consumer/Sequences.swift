import Foundation
import ImgfetchCore

enum Sequences {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("events of one request", events), ("partial pictures", partialPictures),
    ("partial pictures of another's download", joinedPartialPictures),
    ("many images in order", inOrder), ("many images as they come", asTheyCome),
    ("a list that is let go", letGo), ("a stream", stream), ("ten thousand tasks", tenThousand),
  ]

  @Sendable static func events() async throws {
    let server = try LocalServer { $0 == "/gone.gif" ? nil : tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    var statuses: [Int] = []
    var images: [FetchedImage] = []
    for await event in fetcher.events(for: try FetchRequest(url: server.url("/a.gif"))) {
      switch event {
      case .underway(.responded(_, let status, _, _)): statuses.append(status)
      case .underway, .partial, .stored: break
      case .done(let image): images.append(try image.get())
      }
    }
    try check(statuses == [200] && images.map(\.bytes) == [tinyGIF()], "\(statuses)")
    var errors: [FetchError] = []
    for await event in fetcher.events(for: try FetchRequest(url: server.url("/gone.gif"))) {
      if case .done(.failure(let error)) = event { errors.append(error) }
    }
    try check(errors.map(\.status) == [404], "\(errors)")
    await fetcher.close()
  }

  /// Pictures of an image whose second half does not come before its first half was seen.
  @Sendable static func partialPictures() async throws {
    let jpeg = try stripes(1600, 1200).encoded(as: .jpeg)
    var places = [DecodingPlace.inProcess]
    if let path = ProcessInfo.processInfo.environment["TEST_IMGFETCH"], !path.isEmpty { places.append(.helper(path)) }
    for place in places {
      let server = try LocalServer { _ in jpeg }
      defer { server.stop() }
      var configuration = Fetcher.Configuration()
      configuration.decoding = place
      let fetcher = Fetcher(configuration)
      let request = try FetchRequest(url: server.url("/half/a.jpg"))
      var partial: [PixelBuffer] = []
      var images: [FetchedImage] = []
      let box = DecodingOptions(size: Resize(.box(PixelSize(80, 80))))
      for await event in fetcher.events(for: request, partialPictures: box) {
        switch event {
        case .underway, .stored: break
        case .partial(let picture):
          partial.append(picture)
          server.release()
        case .done(let image): images.append(try image.get())
        }
      }
      guard let first = partial.first else { throw CheckFailure("no partial picture") }
      try check(first.width == 80 && first.height == 60, "\(first.width)x\(first.height)")
      try check(first[0, 0]?.red ?? 0 > 200 && first[79, 0]?.blue ?? 0 > 200, "\(first.bytes.prefix(8))")
      try check(first[0, 59]?.alpha == 0, "the second half was there already")
      try check(images.map(\.bytes) == [jpeg], "\(images.count) images")
      await fetcher.close()
    }
  }

  /// The download is another request's, and waits for more bytes when this one joins.
  @Sendable static func joinedPartialPictures() async throws {
    let jpeg = try stripes(1600, 1200).encoded(as: .jpeg)
    let server = try LocalServer { _ in jpeg }
    defer { server.stop() }
    let fetcher = Fetcher()
    let request = try FetchRequest(url: server.url("/half/a.jpg"))
    var pictures: [PixelBuffer] = []
    var images = 0
    // The first event of the first request tells that its head has come.
    for await event in fetcher.events(for: request) {
      switch event {
      case .underway(.responded):
        for await event in fetcher.events(for: request, partialPictures: DecodingOptions()) {
          switch event {
          case .underway, .stored: break
          case .partial(let picture):
            pictures.append(picture)
            server.release()
          case .done(let image): images += try image.get().bytes == jpeg ? 1 : 0
          }
        }
      case .done(let image): images += try image.get().bytes == jpeg ? 1 : 0
      default: break
      }
    }
    try check(pictures.first?.width == 1600 && pictures.first?[0, 0]?.red ?? 0 > 200, "\(pictures.count) pictures")
    try check(images == 2 && server.count("/half/a.jpg") == 1, "\(images) images, \(server.total) requests")
    await fetcher.close()
  }

  private static func requests(_ server: LocalServer, _ count: Int, under folder: String = "") throws -> [FetchRequest]
  {
    try (0..<count).map { try FetchRequest(url: server.url("\(folder)/\($0).gif"), tag: $0) }
  }

  @Sendable static func inOrder() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    var tags: [Int] = []
    for await outcome in fetcher.images(for: try requests(server, 300), order: .asGiven, lookAhead: 20) {
      try check((try? outcome.image.get())?.bytes == tinyGIF(), "\(outcome.image)")
      tags.append(outcome.request.tag)
    }
    try check(tags == Array(0..<300), "\(tags)")
    await fetcher.close()
  }

  @Sendable static func asTheyCome() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    let given = Locked(0)
    let source = AsyncStream<FetchRequest> { () -> FetchRequest? in
      let number = given.with { number in
        number += 1
        return number
      }
      return number > 200 ? nil : try? FetchRequest(url: server.url("/\(number).gif"), tag: number)
    }
    var tags: Set<Int> = []
    for await outcome in fetcher.images(for: source, lookAhead: 10) {
      tags.insert(outcome.request.tag)
      // One more is read than there is room for.
      try check(given.with { $0 } <= tags.count + 11, "\(given.with { $0 }) were read for \(tags.count) answers")
    }
    try check(tags == Set(1...200), "\(tags.count) of 200")
    await fetcher.close()
  }

  @Sendable static func letGo() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    for await outcome in fetcher.images(
      for: [try FetchRequest(url: server.url("/a.gif"))] + (try requests(server, 50, under: "/held")), lookAhead: 10)
    {
      try check(outcome.request.url.path == "/a.gif", "\(outcome.request.url)")
      break
    }
    // The requests that were under way are cancelled, or this would wait for the server.
    while fetcher.outstanding > 0 { await Task.yield() }
    server.release()
    await fetcher.close()
  }

  @Sendable static func stream() async throws {
    // Bytes behind the end of a GIF are counted and kept.
    let large = tinyGIF() + [UInt8](repeating: 7, count: 1 << 20)
    let server = try LocalServer { _ in large }
    defer { server.stop() }
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration)
      for _ in 0..<2 {
        let stream = try await fetcher.stream(for: FetchRequest(url: server.url("/a.gif")))
        var bytes: [UInt8] = []
        for try await piece in stream.pieces() { bytes += piece }
        try check(bytes == large && stream.count == large.count, "\(bytes.count) of \(large.count) bytes")
      }
      try check(server.total == 1, "\(server.total) requests")
      await fetcher.close()
    }
  }

  /// Each has a place of its own in the cache, and a process may open a thousand files.
  @Sendable static func tenThousand() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      let fetcher = Fetcher(configuration)
      let requests = try requests(server, 10_000)
      let warned = try await withThrowingTaskGroup(of: [String].self) { group in
        for request in requests { group.addTask { try await fetcher.image(for: request).result.warnings } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try check(warned.isEmpty && server.total == 10_000, "\(server.total) requests; \(warned.prefix(3))")
      await fetcher.close()
    }
  }
}
