import ImgfetchCore
import TestSupport
import Testing

/// A disk that has room for an image once, and not for its file beside the cache's copy.
@Suite("A full disk costs the cache, and not the image") struct FullDiskTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// Runs the program with cache and outputs on a disk of that many KiB, twice, and copies the outputs from there.
  private func run(kibibytes: Int, _ arguments: [String]) throws -> Outcome {
    let script = """
      mkdir small copied && mount -t tmpfs -o size=\(kibibytes)k none small || exit 99
      "$@" || exit; echo again >&2; "$@" || exit; cp small/o/* copied
      """
    let command = program.command(arguments + ["--cache-dir", "small/c", "-d", "small/o"])
    var all = MountNamespace.command(["/bin/sh", "-c", script, "sh", Program.path] + command.arguments)
    all.environment = command.environment
    all.folder = program.work
    return try all.run()
  }

  // The ledger and the other files of a cache take some 20 KiB.
  @Test(
    "In memory or in a file, it is written, with one warning a run", .needs(.mounts),
    arguments: [(60_000, 130), (330_000, 560)])
  func fetched(bytes: Int, kibibytes: Int) throws {
    let image = TestImages.jpeg(bytes: bytes)
    server.serve("/a.jpg", image, type: "image/jpeg")
    let outcome = try run(kibibytes: kibibytes, ["get", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/copied/a.jpg") == image)
    let runs = outcome.errorText.split(separator: "again\n")
    #expect(runs.first?.contains("No space left on device; the image is not cached") == true, "\(outcome)")
  }

  @Test(
    "An image that was only to be cached has failed, also in the list of failures", .needs(.mounts),
    arguments: [60_000, 330_000])
  func prefetched(bytes: Int) throws {
    server.serve("/a.jpg", TestImages.jpeg(bytes: bytes), type: "image/jpeg")
    let script = """
      mkdir small && mount -t tmpfs -o size=60k none small || exit 99
      exec "$0" prefetch --cache-dir small/c --failed-list failed.txt "$1"
      """
    var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path, server.url("/a.jpg")])
    all.environment = program.command([]).environment
    all.folder = program.work
    let outcome = try all.run()
    #expect(outcome.exitCode == 7 && outcome.rows.first?.first == "failed", "\(outcome)")
    #expect(outcome.errorText.components(separatedBy: "No space left on device").count == 2, "\(outcome)")
    #expect(program.folder.text("work/failed.txt")?.contains(server.url("/a.jpg")) == true)
  }

  @Test("Without any cache nothing is asked for that was only to be cached")
  func prefetchedNowhere() throws {
    server.serve("/a.jpg", TestImages.jpeg(width: 9, height: 9))
    _ = try program.folder.write("work/file", [])
    let outcome = try program.run("prefetch", "--cache-dir", "file/c", server.url("/a.jpg"))
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("without a disk cache"), "\(outcome)")
    #expect(outcome.errorText.contains("file/c: ") && outcome.errorText.contains("Not a directory"), "\(outcome)")
    // A folder that could be made in no way is found out when it is to be made.
    let unmade = try program.run("prefetch", "--cache-dir", "/proc/nope", server.url("/a.jpg"))
    #expect(unmade.exitCode == 7 && unmade.errorText.contains("/proc/nope: the cache cannot be used: "), "\(unmade)")
    #expect(server.requests.isEmpty)
  }

  @Test(
    "An image that is stored makes room for its file, and is fetched again if it must be", .needs(.mounts),
    arguments: [true, false])
  func stored(isSmall: Bool) throws {
    let image = TestImages.jpeg(bytes: isSmall ? 60_000 : 330_000)
    server.serve("/a.jpg", image, type: "image/jpeg")
    let script = """
      mkdir small copied && mount -t tmpfs -o size=\(isSmall ? 130 : 560)k none small || exit 99
      "$0" prefetch --cache-dir small/c "$1" && "$0" get --cache-dir small/c -d small/o "$1" || exit; cp small/o/* copied
      """
    var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path, server.url("/a.jpg")])
    all.environment = program.command([]).environment
    all.folder = program.work
    let outcome = try all.run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/copied/a.jpg") == image)
    #expect(server.count("/a.jpg") == (isSmall ? 1 : 2))
  }

  @Test(
    "What came from the remote cache and finds no room for its file is an error, and is not asked for again and again",
    .needs(.mounts))
  func fromTheRemoteCache() throws {
    let store = try TestServer(host: "127.0.0.7")
    let objects = Guarded<[String: [UInt8]]>([:])
    store.onOther { request in
      objects.withLock { objects in
        if request.method == "PUT" { objects[request.path] = request.body }
        return objects[request.path].map { request.method == "PUT" ? .status(201) : .ok($0) } ?? .status(404)
      }
    }
    server.serve("/a.jpg", TestImages.jpeg(bytes: 330_000), type: "image/jpeg")
    let remote = ["--remote-cache", store.url("/store"), "--remote-cache-wait", "60s"]
    #expect(try program.run(["prefetch", "--cache-dir", "elsewhere", server.url("/a.jpg")] + remote).exitCode == 0)
    let gets = store.requests.count { $0.method == "GET" }
    let outcome = try run(kibibytes: 560, ["get", server.url("/a.jpg")] + remote)
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("No space left on device"), "\(outcome)")
    #expect(store.requests.count { $0.method == "GET" } == gets + 1 && server.count("/a.jpg") == 1, "\(outcome)")
  }

  @Test(
    "An image that its origin has replaced or removed is not served as fresh because that found no room",
    .needs(.mounts), arguments: [200, 404], ["age", "http"])
  func outdated(status: Int, policy: String) throws {
    let later = TestImages.jpeg(bytes: 61_000)
    server.serve(
      "/a.jpg",
      inTurn: [
        .ok(TestImages.jpeg(bytes: 60_000), type: "image/jpeg").with("Cache-Control", "max-age=3600"),
        status == 200 ? .ok(later, type: "image/jpeg") : .status(status),
      ])
    let script = """
      mkdir small && mount -t tmpfs -o size=200k none small || exit 99
      "$0" prefetch --cache-dir small/c "$1" || exit 98
      dd if=/dev/zero of=small/fill bs=1k 2>/dev/null
      "$0" get --cache-dir small/c --cache refresh "$1"; "$0" cache info --cache-dir small/c "$1"
      "$0" get --cache-dir small/c --cache "$2" "$1"
      """
    var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path, server.url("/a.jpg"), policy])
    all.environment = program.command([]).environment
    all.folder = program.work
    let outcome = try all.run()
    #expect(outcome.exitCode == (status == 200 ? 0 : 4), "\(outcome)")
    #expect(server.count("/a.jpg") == 3, "\(outcome)")
    #expect(outcome.outputText.contains("\tthe last answer of its origin could not be stored\n"), "\(outcome)")
    #expect(program.folder.read("work/a.jpg") == (status == 200 ? later : nil))
  }

  @Test("A list ends with the first image that finds no room, says so once, and keeps the rest", .needs(.mounts))
  func list() throws {
    let image = TestImages.jpeg(bytes: 60_000)
    server.onOther { _ in .ok(image, type: "image/jpeg") }
    let urls = (0..<200).map { server.url("/\($0).jpg") }
    try program.folder.write("work/list.txt", urls.joined(separator: "\n"))
    let options = ["--cache", "off", "--exit-zero", "-j", "4", "-i", "list.txt", "--failed-list", "again.txt"]
    let outcome = try run(kibibytes: 300, ["get"] + options)
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errorText.components(separatedBy: "No space left on device").count <= 5, "\(outcome)")
    let lost = try #require(program.folder.text("work/again.txt")).split(separator: "\n").filter { $0.contains(".jpg") }
    let had = outcome.rows.count { $0.first == "none" }
    #expect(had > 0 && lost.count + had == 200, "\(outcome)")
    #expect(server.requests.count < 40)
  }

  @Test("A full disk ends the run, with one message and the rest in the list of failures", .needs(.mounts))
  func ended() throws {
    server.onOther { _ in .ok(TestImages.jpeg(bytes: 20_000), type: "image/jpeg") }
    let urls = (0..<300).map { server.url("/\($0).jpg") }
    try program.folder.write("work/list.txt", urls.joined(separator: "\n"))
    for command in ["get", "prefetch"] {
      let script = """
        mkdir -p small && mount -t tmpfs -o size=500k none small || exit 99
        "$0" \(command) --cache-dir \(command == "get" ? "cache -d small/o" : "small/c") -i list.txt --failed-list again.txt
        """
      var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path])
      all.environment = program.command([]).environment
      all.folder = program.work
      let outcome = try all.run()
      #expect(outcome.exitCode == 7, "\(outcome)")
      #expect(outcome.errorText.components(separatedBy: "No space left on device").count == 2, "\(outcome)")
      #expect(
        outcome.errorText.contains("the run ends here") && outcome.errorText.contains("not complete"), "\(outcome)")
      let again = try #require(FailedList.lines(of: program.work + "/again.txt"))
      let had = outcome.rows.count { $0.first == "none" }
      #expect(again.count + had == 300 && had > 10 && Set(again).isSubset(of: urls))
    }
  }

  @Test("A data set that has no room says why it ends", .needs(.mounts), arguments: [60_000, 330_000])
  func dataSet(bytes: Int) throws {
    server.serve("/a.jpg", TestImages.jpeg(bytes: bytes), type: "image/jpeg")
    try program.folder.write("work/list.txt", server.url("/a.jpg"))
    let outcome = try run(kibibytes: 40, ["pack", "--cache", "off", "-i", "list.txt"])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("No space left on device"), "\(outcome)")
  }
}
