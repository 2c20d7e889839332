import ImgfetchCore
import TestSupport
import Testing

/// Names, attributes and what else is asked of output files.
@Suite("Options of output files") struct OutputOptionTests {
  let server: TestServer
  let program: Program
  private let jpeg = TestImages.jpeg(width: 20, height: 10)
  private let png = TestImages.png(width: 6, height: 6)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", jpeg)
    server.serve("/b.png", png, type: "image/png")
  }

  private func list(_ lines: [String], _ arguments: [String] = []) throws -> Outcome {
    try program.run(["get", "--json", "-d", "out", "-i", "-"] + arguments, input: lines.joined(separator: "\n"))
  }

  private var files: [String] { program.folder.files(in: "work/out") }

  private func row(_ outcome: Outcome, _ index: Int = 0) throws -> [String: Any] {
    try JSON.object(outcome.lines[index])
  }

  @Test("A line's name gets an extension where it has none, and one warning counts those of other formats")
  func extensions() throws {
    let (a, b) = (server.url("/a.jpg"), server.url("/b.png"))
    let lines = ["\(a)\tone", "\(a)\ttwo.png", "\(b)\tthree.webp", "\(b)\tfour.v2", "\(b)\tsub/five", "\(a)\tsix.jpe"]
    let outcome = try list(lines)
    #expect(outcome.exitCode == 0)
    #expect(files == ["four.v2", "one.jpg", "six.jpe", "sub/five.png", "three.webp", "two.png"])
    #expect(outcome.errorText.contains("warning: 2 files have the extension of another format ("), "\(outcome)")
    #expect(try list(lines).error.isEmpty)
    let named = try program.run("get", "-o", "x.webp", a)
    #expect(named.errorText.contains("warning: 1 file has the extension of another format (x.webp)"), "\(named)")
  }

  @Test("A line's name that is as long as names may be is cut between letters where it needs digits")
  func longNames() throws {
    let name = "x" + String(repeating: "é", count: 125)
    for url in ["/c.jpg", "/d.jpg"] { server.serve(url, jpeg) }
    let lines = ["/a.jpg\t\(name).jpg", "/c.jpg\t\(name).jpg", "/d.jpg\tsub/\(name)"].map { server.url($0) }
    for _ in 0..<2 {
      let outcome = try list(lines + [server.url("/b.png") + "\tsub/\(name)"])
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(files.count == 4 && files.allSatisfy { $0.split(separator: "/").allSatisfy { $0.utf8.count <= 255 } })
    }
    let digits = ContentHash(of: server.url("/c.jpg")).hex.prefix(8)
    // One byte is left, which holds no half of a letter.
    #expect(files.contains("x" + String(repeating: "é", count: 120) + "-\(digits).jpg"), "\(files)")
  }

  @Test("--name has the query, the line's number and id, the day and the SHA-256 of what is written")
  func template() throws {
    server.serve("/a.jpg?size=7", jpeg)
    let outcome = try list(
      ["# first", server.url("/a.jpg?size=7") + "\tid=../Ä 7"],
      ["--checksum", "--name", "{query}_{line:03}_{id}_{date}_{sha256}.{ext}"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let sum = try #require(row(outcome)["sha256"] as? String)
    let parts = try #require(files.first).split(separator: "_").map(String.init)
    #expect(parts.count == 5 && parts[0] == "size=7" && parts[1] == "002" && parts[2] == "Ä 7", "\(files)")
    let day = parts[3].split(separator: "-")
    #expect(day.map(\.count) == [4, 2, 2] && day.allSatisfy { Int($0) != nil } && parts[4] == sum + ".jpg")
  }

  @Test("A name whose field has nothing is image, and no hidden file")
  func emptyFields() throws {
    for template in ["{id}.{ext}", "{query}{id}.{ext}", "x/{id}.{ext}", ".{name}.{ext}"] {
      let outcome = try list([server.url("/a.jpg")], ["--name", template])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(files == [".a.jpg", "image.jpg", "x/image.jpg"])
  }

  @Test("Names made of the bytes alone have no digits, and images with the same bytes share a file")
  func namedByContent() throws {
    server.serve("/same.jpg", jpeg)
    let lines = ["/a.jpg", "/b.png", "/same.jpg"].map { server.url($0) }
    for _ in 0..<2 {
      let outcome = try list(lines, ["--name", "{sha256}.{ext}"])
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(files.count == 2 && files.allSatisfy { $0.prefix { $0 != "." }.count == 64 }, "\(files)")
    }
  }

  @Test("--xattr notes the origin without user info, and the type, for files that are there, too")
  func attributes() throws {
    server.serve("/moved.jpg", TestServer.Response.redirect(to: "/a.jpg"))
    let url = "http://user:secret@" + server.url("/moved.jpg").dropFirst("http://".count)
    for _ in 0..<2 {
      #expect(try program.run("get", "--xattr", "-d", "out", url).exitCode == 0)
      let file = try Descriptor.open(program.work + "/out/moved.jpg", .read)
      let origin = file.attribute("user.xdg.origin.url").map { String(decoding: $0, as: UTF8.self) }
      #expect(origin == server.url("/a.jpg"))
      #expect(file.attribute("user.mime_type") == Array("image/jpeg".utf8))
      try file.removeAttribute("user.xdg.origin.url")
    }
  }

  @Test(
    "--content-disposition takes the server's name, made safe",
    arguments: [
      ("attachment; filename=cat.jpg", "cat.jpg"), ("inline; filename=\"my \\\"cat\\\".png\"", "my \"cat\".jpg"),
      ("attachment; filename=x.jpg; filename*=UTF-8''K%C3%A4tzchen.jpeg", "Kätzchen.jpeg"),
      ("attachment; filename=\"../../etc/passwd\"", "passwd.jpg"), ("attachment", "a.jpg"),
      ("attachment; filename=\"C:\\\\Bilder\\\\Katze.png\"", "Katze.jpg"), ("attachment; filename=\"/\"", "a.jpg"),
      ("attachment; filename=\"..\"", "image.jpg"), ("attachment; filename*=KOI8-R''x; filename=y", "y.jpg"),
    ])
  func contentDisposition(_ field: String, _ name: String) throws {
    server.serve("/a.jpg", .ok(jpeg, type: "image/jpeg").with("Content-Disposition", field))
    for written in ["new", "same"] {
      let outcome = try program.run("get", "--json", "--content-disposition", "-d", "out", server.url("/a.jpg"))
      #expect(outcome.exitCode == 0 && files == [name], "\(files)")
      #expect(try row(outcome)["written"] as? String == written)
    }
  }

  @Test("The server's name replaces nothing that is another's, and a line's name comes first")
  func serversNames() throws {
    for name in ["1", "2"] {
      server.serve(
        "/\(name)",
        .ok(TestImages.jpeg(width: 9, height: 9, seed: UInt64(name) ?? 0), type: "image/jpeg").with(
          "Content-Disposition", "attachment; filename=same.jpg"))
    }
    try program.folder.write("work/out/same.jpg", "mine")
    let outcome = try list(
      [server.url("/1"), server.url("/2"), server.url("/1") + "\tx.jpg"], ["--content-disposition"])
    #expect(outcome.exitCode == 0 && files.count == 4 && files.contains("x.jpg"), "\(files)")
    #expect(program.folder.text("work/out/same.jpg") == "mine")
  }

  @Test("Of images that their servers name alike, --overwrite replaces none by another")
  func serversNamesOverwriting() throws {
    for name in ["1", "2", "3"] {
      server.serve(
        "/\(name)",
        .ok(TestImages.jpeg(width: 9, height: 9, seed: UInt64(name) ?? 0), type: "image/jpeg").with(
          "Content-Disposition", "attachment; filename=same.jpg"))
    }
    try program.folder.write("work/out/same.jpg", "mine")
    let (urls, options) = (["/1", "/2", "/3"].map { server.url($0) }, ["--content-disposition", "--overwrite"])
    let outcome = try list(urls, options)
    #expect(outcome.exitCode == 0 && files.count == 3 && files.contains("same.jpg"), "\(files)")
    #expect(program.folder.text("work/out/same.jpg") != "mine")
    // Whichever comes first in a later run.
    for urls in [urls, urls.reversed()] {
      let again = try list(urls, options + ["-j", "1"])
      #expect(again.exitCode == 0 && files.count == 3, "\(files)")
      for index in urls.indices { #expect(try row(again, index)["written"] as? String == "same", "\(again)") }
    }
  }

  @Test("A thumbnail that stands is not made anew, whatever became of the cache's memory of it")
  func thumbnails() throws {
    let urls = (0..<3).map { server.url("/\($0).jpg") }
    for number in 0..<3 {
      server.serve("/\(number).jpg", TestImages.jpeg(width: 200, height: 100, seed: UInt64(number)))
    }
    let arguments = ["get", "--json", "-v", "-d", "out", "--resize", "50x", "--convert", "png"] + urls
    let first = try program.run(arguments)
    #expect(first.exitCode == 0 && files == ["0.png", "1.png", "2.png"], "\(first)")
    #expect(!first.errorText.contains("stands in its file"))
    let second = try program.run(arguments)
    #expect(second.errorText.split(separator: "\n").count { $0.contains("stands in its file") } == 3, "\(second)")
    for line in second.lines.dropLast() {
      let row = try JSON.object(line)
      #expect(row["written"] as? String == "same" && row["width"] as? Int == 50 && row["format"] as? String == "png")
      #expect((row["source"] as? [String: Any])?["width"] as? Int == 200)
    }
    // Another transform, another image, an edited file: each is made.
    let other = try program.run(arguments.map { $0 == "50x" ? "60x" : $0 })
    #expect(!other.errorText.contains("stands in its file"))
    #expect(try row(other)["written"] as? String == "changed")
    server.serve("/0.jpg", TestImages.jpeg(width: 300, height: 100))
    let changed = try program.run(arguments.map { $0 == "50x" ? "60x" : $0 } + ["--cache", "refresh"])
    #expect(changed.errorText.split(separator: "\n").count { $0.contains("stands in its file") } == 2, "\(changed)")
  }

  @Test("--dry-run asks nothing, writes nothing, and says what would be done")
  func dryRun() throws {
    #expect(try list([server.url("/a.jpg")]).exitCode == 0)
    try program.folder.write("work/out/b.png", "mine")
    let before = server.requests.count
    let lines = [server.url("/a.jpg"), server.url("/b.png"), server.url("/a.jpg") + "\tnew/x.jpg"]
    let outcome = try list(lines, ["--dry-run", "--ordered", "--failed-list", "again"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(rows.prefix(2).map { $0["cache"] as? String } == ["disk", "none"], "\(outcome)")
    #expect(rows.map { $0["written"] as? String } == ["same", nil, "new"])
    // What stands there is not this program's.
    let digits = try #require(rows[1]["output"] as? String)
    #expect(rows.map { $0["output"] as? String } == ["out/a.jpg", digits, "out/new/x.jpg"])
    let stem = digits.dropFirst("out/b-".count).dropLast(".png".count)
    #expect(digits.hasPrefix("out/b-") && stem.utf8.count == 8, "\(digits)")
    let week = try #require(rows[0]["fresh_until"] as? String)
    #expect(week > (rows[0]["time"] as? String ?? "") && rows[1]["fresh_until"] == nil, "\(outcome)")
    let text = try program.run("get", "-d", "out", "--dry-run", server.url("/a.jpg"))
    #expect(text.outputText.hasSuffix("\(server.url("/a.jpg"))\tfresh until \(week.prefix(19))Z\n"), "\(text)")
    let set = try program.run(
      ["get", "-d", "out", server.url("/b.png")], environment: ["IMGFETCH_DRY_RUN": "1"])
    #expect(set.exitCode == 0 && !set.errorText.contains("IMGFETCH_DRY_RUN"), "\(set)")
    #expect(server.requests.count == before && files == ["a.jpg", "b.png"])
    #expect(program.folder.files(in: "work") == ["out/a.jpg", "out/b.png"])
  }

  @Test("The rows of a dry run are in the order of the lines, whether they are in the cache or not")
  func dryRunInOrder() throws {
    #expect(try list([server.url("/a.jpg")]).exitCode == 0)
    let urls = (0..<200).map { server.url($0 % 3 == 0 ? "/a.jpg?\($0)" : $0 % 3 == 1 ? "/a.jpg" : "/b.jpg?\($0)") }
    for _ in 0..<5 {
      let outcome = try list(urls, ["--dry-run"])
      #expect(try outcome.lines.dropLast().map(JSON.object).map { $0["url"] as? String } == urls, "\(outcome)")
    }
  }

  @Test("A dry run tells of each of several lines with one URL that its origin would be asked")
  func dryRunOfRepeatedLines() throws {
    #expect(try list([server.url("/a.jpg")]).exitCode == 0)
    for policy in ["refresh", "reload"] {
      let outcome = try list(
        (0..<40).map { server.url("/a.jpg") + "\tn\($0)" }, ["--dry-run", "-j", "1", "--cache", policy])
      let rows = try outcome.lines.dropLast().map(JSON.object)
      #expect(rows.count == 40 && rows.allSatisfy { $0["cache"] as? String == "none" }, "\(outcome)")
    }
  }

  @Test("A dry run makes no cache, and leaves one as it is")
  func dryRunOfTheCache() throws {
    let url = server.url("/a.jpg")
    let dry = ["get", "--dry-run", "-d", "out"]
    #expect(try program.run(dry + ["-u", "name:word", url]).rows.first?.first == "none")
    #expect(program.folder.files(in: "home/.cache").isEmpty)
    #expect(try program.run("prefetch", url).exitCode == 0)
    let path = try #require(try program.run("cache", "path", url).lines.first)
    let kept = Command.contents(of: path)
    // Old enough for a use to be noted. Reading the file here notes one, too.
    try Command.setTimes(of: path, daysAgo: 1)
    let listed = try program.run("cache", "list", "--json").outputText
    let files = program.folder.files(in: "home/.cache")
    for options in [[], ["-u", "name:word"], ["--fingerprint", "phash"], ["--cache-derived", "--resize", "5x5"]] {
      let outcome = try program.run(dry + options + [url])
      #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome)")
      #expect(outcome.rows.first?.first == (options.first == "-u" ? "none" : "disk"), "\(outcome)")
    }
    server.serve("/page.html", Array("<img src=a.jpg>".utf8), type: "text/html")
    let sourced = try program.run(dry + ["-v", "--robots", "--from", server.url("/page.html")])
    #expect(sourced.exitCode == 0 && sourced.rows.first?.first == "disk", "\(sourced)")
    #expect(try program.run("cache", "list", "--json").outputText == listed)
    #expect(program.folder.files(in: "home/.cache") == files && Command.contents(of: path) == kept)
    var damaged = try #require(kept)
    damaged[40] ^= 1
    try Command.overwrite(path, with: damaged)
    #expect(try program.run(dry + [url]).rows.first?.first == "none")
    #expect(Command.contents(of: path) == damaged)
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("A dry run knows the extension of an image that is to be made into another format")
  func dryRunOfConversion() throws {
    let outcome = try program.run("get", "--dry-run", "--convert", "webp", "-d", "out", server.url("/a.jpg"))
    #expect(outcome.rows.first?.dropFirst(5).first == "out/a.webp", "\(outcome)")
  }

  @Test("A dry run names no file whose name depends on pixels that have not come", arguments: [false, true])
  func dryRunOfPixels(_ isCached: Bool) throws {
    let url = server.url("/a.jpg")
    if isCached { _ = try program.run("prefetch", url) }
    for (template, name) in [("{width}-{name}.{ext}", "20-a.jpg"), ("{name}.{format}", "a.jpeg")] {
      let outcome = try program.run("get", "--dry-run", "--name", template, url)
      #expect(outcome.rows.first?.dropFirst(5).first == (isCached ? name : "-"), "\(outcome)")
    }
  }

  @Test("A dry run foresees that a line finds the file of an earlier one")
  func dryRunOfRepeated() throws {
    _ = try program.run("prefetch", server.url("/a.jpg"))
    for (options, change) in [([], "same"), (["--no-clobber"], "kept")] {
      let lines = [server.url("/a.jpg"), server.url("/a.jpg")]
      let outcome = try list(lines, ["--dry-run", "--ordered", "-j", "1"] + options)
      #expect(try outcome.lines.dropLast().map { try JSON.object($0)["written"] as? String } == ["new", change])
    }
  }

  @Test("With -o - a dry run prints its row, and no image")
  func dryRunToStandardOutput() throws {
    let (url, dry) = (server.url("/a.jpg"), ["get", "--dry-run", "-o", "-"])
    let before = try program.run(dry + [url])
    #expect(before.exitCode == 0 && before.errorText.isEmpty, "\(before)")
    #expect(before.outputText == "none\t-\t-\t-\t0\t-\t\(url)\n")
    #expect(server.requests.isEmpty)
    _ = try program.run("prefetch", url)
    let after = try program.run(dry + ["--json", url])
    let row = try JSON.object(try #require(after.lines.first))
    #expect(row["cache"] as? String == "disk" && row["output"] as? String == "-", "\(after)")
    #expect(try program.run(dry + ["--offline", server.url("/b.png")]).exitCode == 6)
  }

  @Test("What could do nothing is refused before anything is fetched")
  func contradictions() throws {
    for options in [
      ["--content-disposition", "-o", "x"], ["--content-disposition", "--name", "{index}"], ["--adopt", "-o", "x"],
      ["--xattr", "-o", "-"], ["--remote-time", "-o", "-"], ["--placeholder", "x", "-o", "-"],
    ] {
      let outcome = try program.run(["get"] + options + [server.url("/a.jpg")])
      #expect(outcome.exitCode == 2 && outcome.errorText.contains(options[0]), "\(options): \(outcome)")
    }
    #expect(server.requests.isEmpty)
    // What stands in a configuration file is meant for other runs.
    try program.folder.write("config", "xattr = true\ncontent-disposition = true\nadopt = true\n")
    let typed = try program.run("get", "--config", program.folder.path("config"), "-o", "-", server.url("/a.jpg"))
    #expect(typed.exitCode == 0 && typed.output == jpeg, "\(typed)")
  }
}
