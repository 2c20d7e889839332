import TestSupport
import Testing

/// `--prune`: files that no line wants go, and nothing else.
@Suite("Pruning an output folder") struct PruneTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for number in 0..<10 { server.serve("/\(number).jpg", TestImages.jpeg(width: 20 + number, height: 10)) }
  }

  private func urls(_ numbers: Range<Int>) -> [String] { numbers.map { server.url("/\($0).jpg") } }

  private func get(_ numbers: Range<Int>, _ arguments: [String] = [], more: [String] = [], list: String = "list") throws
    -> Outcome
  {
    try program.folder.write("work/\(list)", (urls(numbers) + more).map { $0 + "\n" }.joined())
    return try program.run(["get", "-q", "-d", "out", "-i", list] + arguments)
  }

  private var files: [String] { program.folder.files(in: "work/out") }
  private func names(_ numbers: Range<Int>) -> [String] { numbers.map { "\($0).jpg" } }

  @Test("What is no longer in the list goes, below the folder, too; what is the user's or was edited stays")
  func usual() throws {
    #expect(try get(0..<10, ["--name", "{index}/{name}.{ext}"]).exitCode == 0)
    #expect(try get(0..<10).exitCode == 0)
    try program.folder.write("work/out/mine.jpg", "mine")
    try Command.overwrite(program.work + "/out/9.jpg", with: Array("edited".utf8))
    let trial = try program.run("get", "-d", "out", "-i", "list", "--prune", "--dry-run")
    #expect(trial.exitCode == 0 && files.count == 21, "\(trial)")
    let outcome = try get(0..<6, ["--prune"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Set(files) == Set((1...6).map { "\($0)/\($0 - 1).jpg" } + names(0..<6) + ["9.jpg", "mine.jpg"]))
  }

  @Test("A line that fails keeps its file, and one that is invalid keeps all")
  func failures() throws {
    #expect(try get(0..<6).exitCode == 0)
    server.serve("/5.jpg", .status(500))
    #expect(try get(1..<6, ["--prune", "--cache", "reload", "--retry", "0"]).exitCode == 4)
    #expect(files == names(1..<6))
    let invalid = try get(2..<6, ["--prune"], more: ["ftp://h/x.jpg"])
    #expect(invalid.exitCode != 0 && files == names(1..<6), "\(invalid)")
    #expect(try program.run("get", "-d", "out", "-i", "list", "-i", "nowhere", "--prune").exitCode != 0)
    #expect(files == names(1..<6))
  }

  @Test("More than half goes only with --prune=all, and an empty list removes nothing")
  func half() throws {
    #expect(try get(0..<6).exitCode == 0)
    let outcome = try program.run("get", "-d", "out", "-i", "list", "--prune")
    #expect(outcome.exitCode == 0 && files == names(0..<6))
    try program.folder.write("work/list", server.url("/0.jpg") + "\n")
    let refused = try program.run("get", "-d", "out", "-i", "list", "--prune")
    #expect(refused.exitCode == 0 && refused.errorText.contains("5 of the 6 files"), "\(refused)")
    #expect(files == names(0..<6))
    try program.folder.write("work/list", "# nothing\n")
    #expect(try program.run("get", "-d", "out", "-i", "list", "--prune=all").errorText.contains("names no image"))
    #expect(files == names(0..<6))
    #expect(try get(0..<1, ["--prune=all"]).exitCode == 0)
    #expect(files == names(0..<1))
  }

  @Test("A dry run counts the files that the run would write, too, and so names what that removes")
  func halfOfWhatWillBe() throws {
    #expect(try get(0..<3).exitCode == 0)
    try program.folder.write("work/list", urls(2..<5).map { $0 + "\n" }.joined())
    let trial = try program.run("get", "-d", "out", "-i", "list", "--prune", "--dry-run")
    #expect(trial.errorText.contains("2 files that no line wants: would be removed"), "\(trial)")
    #expect(files == names(0..<3))
    #expect(try get(2..<5, ["--prune"]).exitCode == 0)
    #expect(files == names(2..<5))
  }

  @Test("Another list is an error before anything is fetched, and so is a part of one")
  func another() throws {
    #expect(try get(0..<3, ["--prune"]).exitCode == 0)
    let requests = server.requests.count
    let outcome = try get(4..<6, ["--prune"], list: "other")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("/list)"), "\(outcome)")
    #expect(try get(0..<3, ["--prune", "--shard", "1/2"]).exitCode == 2)
    #expect(try program.run("get", "-o", "x", "--prune", server.url("/0.jpg")).exitCode == 2)
    #expect(server.requests.count == requests && files == names(0..<3))
  }

  @Test("A folder below that another list prunes keeps its files, and so does the one above it")
  func nested() throws {
    #expect(try get(0..<3, ["--prune", "-d", "out/below"], list: "other").exitCode == 0)
    #expect(try get(4..<6).exitCode == 0)
    #expect(try get(4..<7, ["--prune"]).exitCode == 0)
    #expect(Set(files) == Set(names(4..<7) + names(0..<3).map { "below/" + $0 }))
    let inside = try get(0..<1, ["--prune", "-d", "out/below"], list: "third")
    #expect(inside.exitCode == 2, "\(inside)")
    _ = try program.folder.makeFolder("work/out/more")
    for folder in ["out/more", "out/later/below"] {
      let outcome = try get(4..<7, ["--prune", "-d", folder], list: "third")
      #expect(outcome.exitCode == 2, "the one above \(folder) has a list: \(outcome)")
    }
    #expect(Set(files) == Set(names(4..<7) + names(0..<3).map { "below/" + $0 }))
  }

  @Test("A list is the same one however its path is spelt")
  func spelling() throws {
    #expect(try get(0..<3, ["--prune"]).exitCode == 0)
    for list in ["./list", "out/../list", "out/.././list", program.work + "/out/../list"] {
      let outcome = try program.run("get", "-q", "-d", "out", "-i", list, "--prune")
      #expect(outcome.exitCode == 0, "\(list): \(outcome)")
    }
  }

  @Test("Another source of --from is another list, and so is one beside a list")
  func sources() throws {
    for number in 0..<2 {
      try program.folder.write("work/\(number).html", "<img src=\"\(server.url("/\(number).jpg"))\">")
    }
    let arguments = ["get", "-q", "-d", "out", "--prune=all", "--from"]
    for _ in 0..<2 { #expect(try program.run(arguments + ["0.html"]).exitCode == 0) }
    let other = try program.run(arguments + ["1.html"])
    #expect(other.exitCode == 2 && other.errorText.contains("/0.html)"), "\(other)")
    #expect(try program.run(arguments + ["0.html", "--from", "1.html"]).exitCode == 2)
    #expect(files == names(0..<1))
  }

  @Test("A limit that leaves out pages of a source keeps their images")
  func limit() throws {
    for number in 0..<2 {
      let image = "<image:image><image:loc>\(server.url("/\(number).jpg"))</image:loc></image:image>"
      server.serve(
        "/map\(number).xml",
        Array(
          """
          <urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://e.org/page</loc>
          \(image)</url></urlset>
          """.utf8), type: "application/xml")
    }
    let maps = (0..<2).map { "<sitemap><loc>\(server.url("/map\($0).xml"))</loc></sitemap>" }.joined()
    server.serve("/index.xml", Array("<sitemapindex>\(maps)</sitemapindex>".utf8), type: "application/xml")
    let arguments = ["get", "-d", "out", "--prune=all", "--from", server.url("/index.xml")]
    #expect(try program.run(arguments).exitCode == 0)
    #expect(files == names(0..<2))
    let limited = try program.run(arguments + ["--max-pages", "1"])
    #expect(limited.exitCode == 0 && limited.errorText.contains("a limit has left out"), "\(limited)")
    #expect(files == names(0..<2))
  }

  @Test("An interrupt removes nothing")
  func interrupt() throws {
    #expect(try get(0..<4).exitCode == 0)
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    try program.folder.write("work/list", ([server.url("/slow.jpg")] + urls(0..<3)).joined(separator: "\n"))
    let running = try program.start(["get", "-d", "out", "-i", "list", "--prune"])
    try server.waitForRequests("/slow.jpg", 1)
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    #expect(files == names(0..<4))
  }

  @Test("A run that another list keeps from pruning leaves no report behind")
  func noReport() throws {
    #expect(try get(0..<3, ["--prune"]).exitCode == 0)
    #expect(try get(4..<6, ["--prune", "--report", "rows"], list: "other").exitCode == 2)
    #expect(!program.folder.files(in: "work").contains { $0.hasPrefix("rows") })
  }

  /// Runs a script in which `get` prunes by the first images of the list, in a mount namespace of its own.
  private func prune(_ script: String) throws -> Outcome {
    let lists = (1...4).map { "head -n \($0) list > \($0)" }.joined(separator: "; ")
    try program.folder.write("work/list", urls(0..<4).map { $0 + "\n" }.joined())
    let preamble = "\(lists)\nget() { cp $1 now; \"$program\" get -d out -i now --prune --name '{name}/a.{ext}'; }\n"
    var command = MountNamespace.command(["/bin/sh", "-c", preamble + script])
    command.environment = program.command([]).environment.merging(["program": Program.path]) { $1 }
    command.folder = program.work
    return try command.run()
  }

  @Test("Files that cannot be removed are told", .needs(.mounts))
  func left() throws {
    let outcome = try prune("get 4 && mount --bind out/3 out/3 && mount -o remount,bind,ro out/3 && get 2; ls out/*")
    #expect(outcome.errorText.contains("1 file that no line wants: removed (out/2/a.jpg)"), "\(outcome)")
    #expect(outcome.errorText.contains("warning: 1 file that no line wants: could not be removed (out/3/a.jpg)"))
    #expect(outcome.lines.count { $0 == "a.jpg" } == 3, "\(outcome)")
  }

  @Test("A folder that cannot be written to is not pruned, and the reason is told", .needs(.mounts))
  func withoutRights() throws {
    let first = "\"$program\" get -q -d out -i 4 --name '{name}/a.{ext}'"
    let outcome = try prune("\(first) && mount --bind out out && mount -o remount,bind,ro out && get 3")
    #expect(outcome.errorText.contains("nothing in out is pruned: "), "\(outcome)")
    #expect(outcome.errorText.contains(" by which list: Read-only file system"), "\(outcome)")
  }

  @Test("A folder without attributes is not pruned, which each run says", .needs(.mounts))
  func withoutAttributes() throws {
    let outcome = try prune("mkdir out && mount -t ramfs none out && get 4; get 3")
    let told = outcome.errorText.split(separator: "\n").count { $0.contains("nothing in out is pruned") }
    #expect(told == 2, "\(outcome)")
  }
}
