import TestSupport
import Testing

/// The cache is cleaned at the end of a run, and a cache that cannot be used costs nothing but the cache.
@Suite("Automatic cleaning of the cache") struct CacheCareTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(bytes: 20_000)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.onOther { [image] _ in .ok(image, type: "image/jpeg") }
  }

  private func urls(_ numbers: Range<Int>) -> [String] { numbers.map { server.url("/\($0).jpg") } }

  private func size() throws -> (bytes: Int, entries: Int) {
    let row = try program.run("cache", "size").rows.first ?? []
    return (Int(row.first ?? "") ?? -1, Int(row.last ?? "") ?? -1)
  }

  @Test("A run that leaves the cache over its limit reduces it to half of that, unless told not to")
  func overTheLimit() throws {
    _ = try program.run(["prefetch", "--no-auto-clean", "--max-size", "200K"] + urls(0..<20))
    #expect(try size().entries == 20)
    // A run cleans for a tenth of a second, which may be short on a busy machine; the next run continues.
    for _ in 0..<50 where try size().bytes > 200 << 10 {
      _ = try program.run(["prefetch", "--max-size", "200K"] + urls(20..<21))
    }
    let left = try size()
    #expect(left.bytes <= 200 << 10)
    #expect(left.entries > 0)
    #expect(try program.run("cache", "size", "--exact").outputText == "\(left.bytes)\t\(left.entries)\n")
  }

  @Test("A limit of 0 is none: nothing is removed because of it, neither after a run nor by cache clean")
  func noLimit() throws {
    _ = try program.run(["prefetch", "--max-size", "0"] + urls(0..<3))
    #expect(try size().entries == 3)
    let cleaned = try program.run("cache", "clean", "--max-size", "0")
    #expect(cleaned.exitCode == 0 && cleaned.rows.first?.first == "0", "\(cleaned)")
    _ = try program.run(["get", "--max-size", "0"] + urls(0..<1))
    #expect(try size().entries == 3)
    #expect(try program.run("cache", "clean", "--max-size", "1").rows.first?.first == "3")
  }

  @Test(
    "What cannot be removed is told by its name, with the way out", .needs(.mounts),
    arguments: [["clean", "--max-size", "1"], ["clear"], ["remove", "*"]])
  func notRemoved(arguments: [String]) throws {
    _ = try program.run(["prefetch", "--cache-dir", "c"] + urls(0..<1))
    let entry = program.folder.files(in: "work/c/v1/default").first { $0.contains("/") } ?? "none"
    let script = #"mount --bind c c && mount -o remount,bind,ro c || exit 99; exec "$0" cache "$@" --cache-dir c"#
    var command = MountNamespace.command(["/bin/sh", "-c", script, Program.path] + arguments)
    command.environment = program.command([]).environment
    command.folder = program.work
    let outcome = try command.run()
    #expect(
      outcome.exitCode == 7 && outcome.errorText.contains(": \(entry): Read-only file system; mount"), "\(outcome)")
  }

  /// Runs a script while one entry cannot be removed (a mount stands on it), as if it was immutable, or open over NFS.
  private func withObstacle(_ script: String) throws -> (entry: String, outcome: Outcome) {
    _ = try program.run(["prefetch", "--cache-dir", "c", "--no-auto-clean"] + urls(0..<20))
    let entries = program.folder.files(in: "work/c/v1/default").filter { $0.contains("/") }.sorted()
    let entry = try #require(entries.first)
    let mount = "cd c/v1/default/\(entry.prefix(2)) && mount --bind \(entry.dropFirst(3)) \(entry.dropFirst(3))"
    var command = MountNamespace.command(["/bin/sh", "-c", "(\(mount)) || exit 99; \(script)", Program.path])
    command.environment = program.command([]).environment
    command.folder = program.work
    return (entry, try command.run())
  }

  @Test(
    "A file that cannot be removed is told, and keeps no other from being removed", .needs(.mounts),
    arguments: ["clean --max-size 1", "clear", "remove '*'"])
  func oneNotRemoved(arguments: String) throws {
    let (entry, outcome) = try withObstacle("exec \"$0\" cache \(arguments) --cache-dir c")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains(": \(entry): Device or resource busy"), "\(outcome)")
    let left = try program.run("cache", "size", "--exact", "--cache-dir", "c")
    #expect(left.rows.first?.last == "1", "\(outcome), \(left)")
  }

  @Test("Nor does it keep a run from cleaning", .needs(.mounts))
  func automaticPastObstacle() throws {
    let again = "\"$0\" prefetch --cache-dir c --max-size 100K \(server.url("/20.jpg")); "
    // A run cleans for a tenth of a second.
    let (_, outcome) = try withObstacle(String(repeating: again, count: 5) + "exec \"$0\" cache size --cache-dir c")
    #expect(Int(outcome.rows.last?.first ?? "").map { $0 < 100 << 10 } == true, "\(outcome)")
  }

  @Test("A run whose own images were removed says so, and how much it would take; a miss says that it was evicted")
  func ownImages() throws {
    var outcome = try program.run(["prefetch", "--max-size", "100K"] + urls(0..<20))
    #expect(outcome.exitCode == 0)
    #expect(outcome.errorText.contains("of this run") && outcome.errorText.contains("it would take"), "\(outcome)")
    let left = Set(try program.run("cache", "list").rows.compactMap(\.first))
    let lost = try #require(urls(0..<20).first { !left.contains($0) })
    outcome = try program.run("get", "-v", lost)
    #expect(outcome.errorText.contains("cleaning has removed it"), "\(outcome)")
    outcome = try program.run("get", "-v", server.url("/never.jpg"))
    #expect(!outcome.errorText.contains("cleaning has removed it"), "\(outcome)")
    outcome = try program.run(["prefetch", "--max-size", "100M"] + urls(30..<31))
    #expect(!outcome.errorText.contains("of this run"), "\(outcome)")
  }

  @Test("Each run whose images are removed tells their number, however quickly it has begun")
  func ownImagesEachTime() throws {
    var outcome = try program.run("prefetch", "--max-size", "1K", server.url("/one.jpg"))
    #expect(outcome.errorText.contains("1 image of this run, "), "\(outcome)")
    #expect(outcome.errorText.contains(", was removed from the cache again"), "\(outcome)")
    for run in 0..<6 {
      let own = (0..<60).map { server.url("/\(run)-\($0).jpg") }
      outcome = try program.run(["prefetch", "--max-size", "100K"] + own)
      let left = Set(try program.run("cache", "list").rows.compactMap(\.first))
      let gone = own.count { !left.contains($0) }
      #expect(gone > 1 && outcome.errorText.contains("\(gone) images of this run, "), "\(gone): \(outcome)")
      #expect(outcome.errorText.contains(", were removed from the cache again"), "\(outcome)")
      _ = try program.run("cache", "clear")
    }
  }

  @Test("Old images are removed once a day; a smaller --max-age does not remove others")
  func onceADay() throws {
    _ = try program.run(["prefetch"] + urls(0..<2))
    for (number, days) in [(0, 8.0), (1, 3.0)] {
      let path = try #require(try program.run("cache", "path", server.url("/\(number).jpg")).lines.first)
      try Command.setTimes(of: path, daysAgo: days)
    }
    _ = try program.run(["prefetch"] + urls(2..<3))
    #expect(try size().entries == 3, "it was cleaned within the day")
    try program.folder.remove("home/.cache/imgfetch/v1/default/ledger")
    _ = try program.run(["get", "--offline", "--max-age", "0s"] + urls(2..<3))
    #expect(try size().entries == 3, "what an offline run removed it could not fetch")
    try program.folder.remove("home/.cache/imgfetch/v1/default/ledger")
    // A run cleans for a tenth of a second. A slow machine needs more, and the next run goes on.
    for _ in 0..<20 where try size().entries > 2 {
      _ = try program.run(["prefetch", "--max-age", "1s"] + urls(2..<3))
    }
    #expect(try size().entries == 2)
    #expect(try program.run("get", "--offline", server.url("/1.jpg")).exitCode == 0)
  }

  @Test("A folder that others can write to is not used, with one warning")
  func writableByOthers() throws {
    let folder = try program.folder.makeFolder("shared")
    try Command.setMode(of: folder, 0o777)
    let outcome = try program.run(["get", "--cache-dir", folder] + urls(0..<2))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.rows.map(\.first) == ["none", "none"])
    #expect(outcome.error.split(separator: 10).count == 1 && outcome.errorText.contains("others may write in it"))
    #expect(program.folder.files(in: "shared").isEmpty)
    let quiet = try program.run(["get", "-q", "--overwrite", "--cache-dir", folder] + urls(0..<2))
    #expect(quiet.exitCode == 0 && quiet.errorText.contains("others may write in it"), "\(quiet)")
    let prefetch = try program.run(["prefetch", "-q", "--cache-dir", folder] + urls(0..<1))
    #expect(prefetch.exitCode == 7 && prefetch.errorText.contains("others may write in it"), "\(prefetch)")
    let command = try program.run("cache", "size", "--cache-dir", folder)
    #expect(command.exitCode == 7, "\(command)")
  }

  @Test("Without HOME there is no cache, with one warning, and without one where no cache is wanted")
  func withoutHome() throws {
    var command = program.command(["get"] + urls(0..<2))
    command.environment["HOME"] = nil
    command.environment["XDG_CACHE_HOME"] = nil
    let outcome = try command.run()
    #expect(outcome.exitCode == 0 && outcome.rows.map(\.first) == ["none", "none"], "\(outcome)")
    #expect(outcome.error.split(separator: 10).count == 1 && outcome.errorText.contains("there is no cache"))
    command.arguments += ["--cache", "off"]
    #expect(try command.run().error.isEmpty)
  }

  @Test("A read-only cache costs a warning and no image", .needs(.plainBuild))
  func unwritable() throws {
    // No file may be larger than two kilobytes, wherever it is; the image goes to a pipe.
    for number in 0..<2 {
      let limited = "ulimit -f 2; exec \"$@\""
      var command = program.command([])
      command.path = try Command.find("bash")
      command.arguments = ["-c", limited, "bash", Program.path, "get", "-o", "-", server.url("/\(number).jpg")]
      let outcome = try command.run()
      #expect(outcome.exitCode == 0, "\(outcome.exitCode ?? -1) \(outcome.errorText)")
      #expect(outcome.output == image)
      #expect(outcome.errorText.contains("cache"), "\(outcome.errorText)")
      #expect(outcome.errorText.contains(program.folder.path("home/.cache")), "\(outcome.errorText)")
      #expect(outcome.errorText.contains("the image is not cached"), "\(outcome.errorText)")
    }
    #expect(try size().entries == 0)
    #expect(try program.run("cache", "verify").exitCode == 0)
    let leftovers = program.folder.files(in: "home/.cache").filter { $0.hasSuffix(".part") }
    #expect(leftovers.isEmpty)
  }

  @Test("A cache whose folder is a file costs a warning and no image")
  func noFolder() throws {
    let file = try program.folder.write("file", "not a folder")
    let outcome = try program.run(["get", "--cache-dir", file + "/cache"] + urls(0..<1))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText.contains(file))
    #expect(program.folder.read("work/0.jpg") == image)
  }

  @Test("A cache that is removed during a run is created again")
  func removedUnderneath() throws {
    let run = try program.start(["prefetch", "-i", "-"])
    for number in 0..<3 {
      run.write(server.url("/\(number).jpg") + "\n")
      #expect(try run.nextLine()?.hasPrefix("none") == true)
      if number < 2 { try program.folder.remove("home/.cache/imgfetch") }
    }
    run.closeInput()
    #expect(try run.wait().exitCode == 0)
    #expect(try size().entries == 1)
    #expect(try program.run("get", "--offline", server.url("/2.jpg")).exitCode == 0)
  }
}
