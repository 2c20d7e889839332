import Foundation
import ImgfetchCore

enum Closing {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("what a closed fetcher owes", closing), ("fetchers that are let go", dropped),
  ]

  @Sendable static func closing() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let fetcher = Fetcher()
    let task = Task { try await fetcher.image(for: server.url("/held/a.gif")) }
    while server.total == 0 { await Task.yield() }
    await fetcher.close()
    for result in [await task.result, await Task { try await fetcher.image(for: server.url("/b.gif")) }.result] {
      guard case .failure(let error) = result, (error as? FetchError)?.kind == .cancelled else {
        throw CheckFailure("\(result)")
      }
    }
    server.release()
  }

  /// The threads and open files of this process, without those of the server.
  private static func held() -> (threads: [String], files: Int) {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let threads = numbers.compactMap { number -> String? in
      guard let line = try? String(contentsOfFile: "/proc/self/task/\(number)/stat", encoding: .utf8),
        let start = line.firstIndex(of: "("), let end = line.lastIndex(of: ")")
      else { return nil }
      let name = String(line[line.index(after: start)..<end])
      // The one that starts helpers belongs to the process.
      guard name.hasPrefix("imgfetch"), !name.hasPrefix("imgfetch-start") else { return nil }
      // State, five numbers, then the flags. A thread that was joined may be listed still: the kernel marks it as
      // exiting before it tells.
      let exiting = 4
      let flags = line[end...].split(separator: " ").dropFirst(7).first.flatMap { Int($0) } ?? 0
      return flags & exiting == 0 ? name : nil
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let kept = files.filter { name in
      let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) ?? "gone"
      return target.contains("imgfetch-consumer") || target.contains("event")
    }
    return (threads, kept.count)
  }

  /// Tells when it is let go.
  private final class Mark: Sendable {
    private let end: AsyncStream<Void>.Continuation
    init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
    deinit { end.yield() }
  }

  /// A fetcher lets its hooks go when it has closed itself, and so has joined its threads.
  @Sendable static func dropped() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let before = held().files
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try await withFolder { folder in
      for number in 0..<50 {
        var configuration = Fetcher.Configuration()
        configuration.cacheFolder = "\(folder)/\(number)"
        let mark = Mark(end)
        var hooks = FetchHooks()
        hooks.answered = { _ in withExtendedLifetime(mark) {} }
        let fetcher = Fetcher(configuration, hooks: hooks)
        _ = try await fetcher.image(for: server.url("/a.gif"))
      }
      var closed = 0
      for await _ in ends {
        closed += 1
        if closed == 50 { break }
      }
      // The threads that have closed them release their last objects now, and nothing holds them up.
      var left = held()
      while left.threads.contains(where: { $0.hasPrefix("imgfetch-close") }) {
        await Task.yield()
        left = held()
      }
      try check(
        left.threads.isEmpty && left.files <= before,
        "\(left.threads) and \(left.files - before) files are left of 50 fetchers")
    }
  }
}
