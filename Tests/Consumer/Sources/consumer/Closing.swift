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
  private static func held() -> (threads: Int, files: Int) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let threads = names.filter { name in
      let comm = (try? String(contentsOfFile: "/proc/self/task/\(name)/comm", encoding: .utf8)) ?? ""
      // The one that starts helpers belongs to the process.
      return comm.hasPrefix("imgfetch") && !comm.hasPrefix("imgfetch-start")
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let kept = files.filter { name in
      let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) ?? "gone"
      return target.contains("imgfetch-consumer") || target.contains("event")
    }
    return (threads.count, kept.count)
  }

  @Sendable static func dropped() async throws {
    let server = try LocalServer { _ in tinyGIF() }
    defer { server.stop() }
    let before = held().files
    try await withFolder { folder in
      for number in 0..<50 {
        var configuration = Fetcher.Configuration()
        configuration.cacheFolder = "\(folder)/\(number)"
        let fetcher = Fetcher(configuration)
        _ = try await fetcher.image(for: server.url("/a.gif"))
      }
      // They end by themselves, and it is a matter of milliseconds. What never comes is a failure after ten seconds.
      var left = held()
      for _ in 0..<1000 where left.threads > 0 || left.files > before {
        try await Task.sleep(for: .milliseconds(10))
        left = held()
      }
      try check(
        left.threads == 0 && left.files <= before,
        "\(left.threads) threads and \(left.files - before) files are left of 50 fetchers")
    }
  }
}
