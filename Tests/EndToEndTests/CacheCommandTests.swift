import Foundation
import TestSupport
import Testing

/// The `cache` commands, for a terminal, a pipe and a program.
@Suite("The commands of the cache") struct CacheCommandTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.png", TestImages.png(width: 31, height: 17), type: "image/png")
  }

  private func fetchBoth() throws {
    let outcome = try program.run("get", server.url("/a.jpg"), server.url("/b.png"))
    try #require(outcome.exitCode == 0, "\(outcome)")
  }

  private func atTerminal(_ arguments: String...) throws -> String {
    var command = program.command(arguments)
    command.terminal = .init(columns: 200)
    return try command.run().terminalText
  }

  @Test("Clean prints what was removed and what is left, as two lines of entries and bytes")
  func clean() throws {
    try fetchBoth()
    let size = try program.run("cache", "size").rows
    let bytes = try #require(size.first?.first)
    #expect(size == [[bytes, "2"]])

    let nothing = try program.run("cache", "clean")
    #expect(nothing.outputText == "0\t0\n2\t\(bytes)\n")
    let dry = try program.run("cache", "clean", "--max-size", "1", "--dry-run")
    let listed = try program.run("cache", "list").rows
    #expect(listed.count == 2 && dry.rows.count == 4, "\(dry)")
    #expect(Set(dry.rows.prefix(2).compactMap(\.first)) == Set(listed.compactMap(\.first)), "\(dry)")
    #expect(dry.outputText.hasSuffix("\n2\t\(bytes)\n0\t0\n"), "\(dry)")
    let objects = try program.run("cache", "clean", "--max-size", "1", "--dry-run", "--json").lines.map(JSON.object)
    #expect(Set(objects.compactMap { $0["key"] as? String }) == Set(listed.compactMap(\.first)), "\(objects)")
    #expect(objects.count == 3 && objects.last?["dry_run"] as? Bool == true, "\(objects)")
    #expect(try program.run("cache", "size").rows == size)
    #expect(try atTerminal("cache", "clean", "--max-size", "1", "--dry-run").contains("would remove 2 images, "))
    #expect(try program.run("cache", "clean", "--dry-run").outputText == "0\t0\n2\t\(bytes)\n")

    let done = try program.run("cache", "clean", "--max-size", "1", "--json")
    let object = try JSON.object(done.outputText)
    #expect((object["removed"] as? [String: Any])?["entries"] as? Int == 2)
    #expect((object["left"] as? [String: Any])?["bytes"] as? Int == 0)
    #expect(object["dry_run"] as? Bool == false)
    #expect(try program.run("cache", "size").outputText == "0\t0\n")
  }

  @Test("An entry under a key of the user's own is found by that key, and by a pattern of it")
  func givenKey() throws {
    #expect(try program.run("get", "--cache-key", "k1", server.url("/a.jpg")).exitCode == 0)
    for word in ["k1", "k*", "|k1", "|k*"] {
      #expect(try program.run("cache", "list", word).rows.map(\.first) == ["|k1"], "\(word)")
    }
    #expect(try program.run("cache", "info", "k1").exitCode == 0)
    #expect(try program.run("cache", "path", "k1").exitCode == 0)
    #expect(try program.run("cache", "remove", "k2").exitCode == 8, "no URL, and no key")
    #expect(try program.run("cache", "remove", "k1").rows.first?.first == "1")
    #expect(try program.run("get", "--cache-key", "k1", server.url("/a.jpg")).exitCode == 0)
    #expect(try program.run("cache", "remove", "k*").rows.first?.first == "1")
    #expect(try program.run("cache", "info", "k1").exitCode == 8)
  }

  @Test("Clean removes entries that are old and have not been used for as long, and no others")
  func cleanByAge() throws {
    try fetchBoth()
    let old = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    try Command.setTimes(of: old, daysAgo: 8)
    let done = try program.run("cache", "clean", "--max-age", "7d")
    #expect(done.rows.map(\.first) == ["1", "1"])
    #expect(try program.run("cache", "list").rows.map(\.first) == [server.url("/b.png")])
  }

  @Test("A cache that another process is cleaning is not cleaned twice")
  func twoCleaners() throws {
    try fetchBoth()
    let lock = try Command.lock(program.home + "/.cache/imgfetch/v1/default/ledger")
    let refused = try program.run("cache", "clean", "--max-size", "1")
    #expect(refused.exitCode == 1)
    #expect(refused.errorText.contains("being cleaned"), "\(refused)")
    #expect(try program.run("cache", "size").rows.first?.last == "2")
    withExtendedLifetime(lock) {}
  }

  @Test("List prints a line of fields, an object, or the key alone for each entry")
  func list() throws {
    try fetchBoth()
    let rows = try program.run("cache", "list").rows.sorted { ($0.first ?? "") < ($1.first ?? "") }
    #expect(rows.map(\.count) == [7, 7])
    #expect(rows.map(\.first) == [server.url("/a.jpg"), server.url("/b.png")])
    let image = TestImages.jpeg(width: 20, height: 10)
    #expect(rows.first?[1] == String(image.count))
    #expect(rows.first?[2].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(rows)")
    #expect(rows.first?[4...] == ["image/jpeg", "20", "10"])

    let objects = try program.run("cache", "list", "--json").lines.map { try JSON.object($0) }
    let png = try #require(objects.first { $0["key"] as? String == server.url("/b.png") })
    #expect(png["width"] as? Int == 31 && png["height"] as? Int == 17 && png["mime"] as? String == "image/png")
    #expect(png["stored"] as? String == rows.last?[2])
    let path = try #require(png["path"] as? String)
    #expect(Command.contents(of: path)?.starts(with: TestImages.png(width: 31, height: 17)) == true)

    let keys = try program.run("cache", "list", "--print0").output.split(separator: 0)
    #expect(Set(keys.map { String(decoding: $0, as: UTF8.self) }) == [server.url("/a.jpg"), server.url("/b.png")])
    // What is typed counts more than a variable that asks for something else.
    let typed = try program.run(["cache", "list", "--print0"], environment: ["IMGFETCH_JSON": "1"])
    #expect(typed.exitCode == 0 && typed.output.split(separator: 0) == keys, "\(typed)")
    #expect(try atTerminal("cache", "list").contains("20x10"))
  }

  @Test("A key is printed once, however many answers of its URL there are")
  func keysOfSeveralAnswers() throws {
    let url = server.url("/a.jpg")
    for cookie in ["id=1", "id=2"] { _ = try program.run("prefetch", "--cookie", cookie, url) }
    for order in [[], ["--sort", "size"]] {
      #expect(try program.run(["cache", "list", "--print0"] + order).outputText == url + "\0")
    }
    #expect(try program.run("cache", "list").rows.count == 2)
  }

  @Test("The printed keys can be fetched again as a list")
  func listAsInput() throws {
    try fetchBoth()
    let keys = try program.run("cache", "list", "--print0").outputText
    let outcome = try program.run(["prefetch", "--cache", "refresh", "-0", "-i", "-"], input: keys)
    #expect(outcome.exitCode == 0 && outcome.rows.count == 2, "\(outcome)")
    #expect(server.count("/a.jpg") == 2)
  }

  @Test("An added file is a hit afterwards")
  func add() throws {
    let image = TestImages.webp(width: 13, height: 21)
    let file = try program.folder.write("mine.webp", image)
    let added = try program.run("cache", "add", server.url("/poster"), file)
    #expect(added.exitCode == 0, "\(added)")
    #expect(added.rows.first?.first == server.url("/poster"))
    #expect(added.rows.first?[4...] == ["image/webp", "13", "21"])
    let outcome = try program.run("get", server.url("/poster"))
    #expect(outcome.rows.first?.first == "disk", "\(outcome)")
    #expect(program.folder.read("work/poster.webp") == image)
    #expect(server.requests.isEmpty)
  }

  @Test("The URL of an added file is told with its scheme, however it was typed")
  func addWithoutScheme() throws {
    let file = try program.folder.write("mine.png", TestImages.png(width: 4, height: 3))
    let added = try program.run("cache", "add", "--json", "example.org/poster.png", file)
    let object = try JSON.object(try #require(added.lines.first))
    #expect(object["final_url"] as? String == "https://example.org/poster.png", "\(added)")
  }

  @Test("A file that is not an image is added only with --verify none; a missing one is a file error")
  func addRefused() throws {
    let file = try program.folder.write("page.jpg", TestImages.html())
    let refused = try program.run("cache", "add", server.url("/page"), file)
    #expect(refused.exitCode == 5)
    #expect(refused.errorText.contains(file))
    #expect(try program.run("cache", "size").outputText == "0\t0\n")
    #expect(try program.run("cache", "add", server.url("/page"), program.folder.path("none")).exitCode == 7)

    #expect(try program.run("cache", "add", "--verify", "none", server.url("/page"), file).exitCode == 0)
    #expect(try program.run("get", "--offline", server.url("/page")).exitCode == 6, "a strict run does not take it")
    let lenient = try program.run("get", "--offline", "--verify", "none", "-o", "-", server.url("/page"))
    #expect(lenient.output == TestImages.html())
  }

  @Test("An image with damaged pixels is added unless --verify decode is given")
  func addDecoded() throws {
    let whole = try program.folder.write("whole.png", TestImages.png(width: 31, height: 17))
    #expect(try program.run("cache", "add", "--verify", "decode", server.url("/whole"), whole).exitCode == 0)
    let strict = try program.run("get", "--offline", "--verify", "decode", "-o", "-", server.url("/whole"))
    #expect(strict.exitCode == 0, "\(strict.errorText)")
    // Every chunk is right, but the pixels are only half of what the header says.
    let header = TestImages.pngHeader(width: 20, height: 20, depth: 8, colourType: 2)
    let rows = TestImages.deflated([UInt8](repeating: 0, count: 10 * 61))
    let chunks = [("IHDR", header), ("IDAT", rows), ("IEND", [])].flatMap { TestImages.pngChunk($0.0, $0.1) }
    let broken = try program.folder.write("broken.png", TestImages.pngSignature + chunks)
    #expect(try program.run("cache", "add", "--verify", "decode", server.url("/broken"), broken).exitCode == 5)
    #expect(try program.run("cache", "add", server.url("/broken"), broken).exitCode == 0)
  }

  @Test("Every printed key can be passed back to the commands")
  func listedKeys() throws {
    for option in [["--key-ignore-query"], ["--key-ignore-param", "sig"], ["--cache-key", "my poster"], []] {
      _ = try program.run(["get", "-q"] + option + [server.url("/a.jpg?sig=1")])
    }
    let listed = try program.run("cache", "list", "--print0").output.split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(listed.count == 4)
    for key in listed {
      #expect(try program.run("cache", "path", key).exitCode == 0, "\(key)")
      #expect(try program.run("cache", "remove", key).rows.first?.first == "1", "\(key)")
      #expect(try program.run("cache", "path", key).exitCode == 6, "\(key)")
    }
  }

  @Test("Verify prints the URLs of damaged entries, and removes them with --repair")
  func verify() throws {
    try fetchBoth()
    #expect(try program.run("cache", "verify").exitCode == 0)
    #expect(try atTerminal("cache", "verify").contains("2 images"))
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    let bytes = try #require(Command.contents(of: path))
    // Damage in the image, in the metadata, in the footer; and a cut after the key.
    for damage in [5, TestImages.jpeg(width: 20, height: 10).count + 5, bytes.count - 20, nil] {
      var damaged = bytes
      if let damage { damaged[damage] ^= 1 } else { damaged.removeLast(70) }
      try Command.overwrite(path, with: damaged)
      let found = try program.run("cache", "verify")
      #expect(found.exitCode == 5)
      #expect(found.outputText == "\(server.url("/a.jpg"))\t\(path)\n")
      #expect(found.errorText.contains(server.url("/a.jpg")))
    }
    let object = try JSON.object(try program.run("cache", "verify", "--repair", "--json").outputText)
    #expect((object["damaged"] as? [[String: Any]])?.first?["url"] as? String == server.url("/a.jpg"))
    #expect((object["sound"] as? [String: Any])?["entries"] as? Int == 1)
    #expect(try program.run("cache", "verify").exitCode == 0)
    #expect(try program.run("cache", "size").rows.first?.last == "1")
  }

  @Test("Verify --repair does not say that an entry was removed if it could not be", .needs(.mounts))
  func verifyReadOnly() throws {
    let script = """
      mkdir disk && "$0" prefetch --cache-dir disk/c "$1" || exit 99
      path=$("$0" cache path --cache-dir disk/c "$1")
      printf damage | dd of="$path" bs=1 seek=20 conv=notrunc 2>/dev/null || exit 98
      mount --bind disk disk && mount -o remount,bind,ro disk || exit 97
      "$0" cache verify --repair --json --cache-dir disk/c
      """
    var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path, server.url("/a.jpg")])
    all.environment = program.command([]).environment
    all.folder = program.work
    let outcome = try all.run()
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(outcome.errorText.contains("cannot be removed: Read-only file system"), "\(outcome)")
    #expect(outcome.outputText.contains("\"repaired\":false"), "\(outcome)")
  }

  @Test("Remove removes the images of its URLs, and nothing if one of them is invalid")
  func remove() throws {
    try fetchBoth()
    #expect(try program.run("cache", "remove", server.url("/a.jpg"), "ftp://example.org/").exitCode == 8)
    #expect(try program.run("cache", "size").rows.first?.last == "2")
    let done = try program.run("cache", "remove", server.url("/a.jpg"), server.url("/none.jpg"))
    #expect(done.exitCode == 0)
    #expect(done.rows.first?.first == "1")
    #expect(try program.run("cache", "list").rows.map(\.first) == [server.url("/b.png")])
  }

  @Test("Size --exact walks the cache and prints the same")
  func exactSize() throws {
    try fetchBoth()
    let size = try program.run("cache", "size").outputText
    #expect(try program.run("cache", "size", "--exact").outputText == size)
    let exact = try JSON.object(try program.run("cache", "size", "--exact", "--json").outputText)
    #expect((exact["allocated"] as? Int ?? 0) > 0, "what the disk has allocated")
    let object = try JSON.object(try program.run("cache", "size", "--json").outputText)
    #expect(object["entries"] as? Int == 2)
    #expect("\(object["bytes"] as? Int ?? 0)\t2\n" == size)
    #expect(try atTerminal("cache", "size").contains("in 2 images"))
  }

  @Test("Patterns mean the keys that they match, and a URL with a star in it means itself if it is there")
  func patterns() throws {
    server.onOther { _ in .ok(TestImages.jpeg(width: 9, height: 9), type: "image/jpeg") }
    let paths = ["/x/1.jpg", "/x/2.jpg", "/y/1.jpg", "/y/*.jpg", "/y/2.jpg"]
    _ = try program.run(["prefetch"] + paths.map { server.url($0) })
    func listed(_ patterns: String...) throws -> [String] {
      try program.run(["cache", "list", "--sort", "key"] + patterns).rows.compactMap(\.first)
    }
    let urls = paths.map { server.url($0) }.sorted()
    #expect(try listed() == urls)
    #expect(try listed("*") == urls)
    #expect(try listed(server.url("/x/*")) == urls.filter { $0.contains("/x/") })
    #expect(try listed("*/1.jpg") == urls.filter { $0.hasSuffix("/1.jpg") })
    #expect(try listed(server.url("/x/?.jpg")) == [], "only * is special")
    #expect(try listed(server.url("/y/*.jpg")) == [server.url("/y/*.jpg")])
    #expect(try listed(server.url("/x/1.jpg"), "*/2.jpg").count == 3)
    let dry = try program.run("cache", "remove", "--dry-run", "*/y/*")
    #expect(dry.exitCode == 0 && Set(dry.rows.compactMap(\.first)) == Set(urls.filter { $0.contains("/y/") }), "\(dry)")
    #expect(try listed().count == 5)
    #expect(try program.run("cache", "remove", server.url("/y/*.jpg")).rows.first?.first == "1")
    #expect(try program.run("cache", "remove", "\(server.address.authority)/y/*").rows.first?.first == "2")
    #expect(try listed() == urls.filter { $0.contains("/x/") })
    #expect(try program.run("cache", "remove", "*").rows.first?.first == "2")
  }

  @Test("Sort puts the largest first")
  func sorted() throws {
    try fetchBoth()
    let sizes = try program.run("cache", "list", "--sort", "size").rows.compactMap { Int($0[1]) }
    #expect(sizes.count == 2 && sizes == sizes.sorted(by: >))
    #expect(try program.run("cache", "list", "--sort", "colour").exitCode == 2)
  }

  @Test("On a terminal times are local, with their offset, under headings")
  func localTimes() throws {
    try fetchBoth()
    var command = program.command(["cache", "list"])
    command.environment["TZ"] = "<+0530>-5:30"
    command.terminal = .init(columns: 200)
    let lines = try command.run().terminalText.split(separator: "\r\n")
    #expect(lines.count == 3 && lines.first?.hasPrefix("STORED") == true, "\(lines)")
    #expect(lines.dropFirst().allSatisfy { $0.contains(" +0530") }, "\(lines)")
  }

  @Test("Info says from where, since when, until when, why, and what get would do")
  func info() throws {
    server.on("/i.jpg") { request in
      request["If-None-Match"] == nil
        ? .ok(TestImages.jpeg(width: 20, height: 10)).with("ETag", "\"v1\"").with("Cache-Control", "max-age=3600")
        : .status(304)
    }
    let url = server.url("/i.jpg")
    func info(_ arguments: String...) throws -> [String: Any] {
      try JSON.object(try #require(try program.run(["cache", "info", "--json"] + arguments + [url]).lines.first))
    }
    #expect(try program.run("cache", "info", url).exitCode == 6)
    _ = try program.run("get", url)
    let fresh = try info()
    #expect(fresh["would"] as? String == "serve" && fresh["fresh_until"] is String && fresh["gone"] is NSNull)
    #expect(fresh["rule"] as? String == "its server says max-age=3600")
    #expect(fresh["etag"] as? String == "\"v1\"" && fresh["width"] as? Int == 20)
    #expect(fresh["last_used"] as? String ?? "" >= fresh["stored"] as? String ?? "-")
    #expect(fresh["address"] as? String == "private" && (fresh["origins"] as? [String])?.isEmpty == true)
    #expect(try info("--max-age", "7d")["rule"] as? String == "--max-age is 7 d")
    #expect(try info("--cache", "refresh")["would"] as? String == "ask")
    #expect(try info("--cache", "http")["would"] as? String == "serve")
    let path = try #require(fresh["path"] as? String)
    try Command.setTimes(of: path, daysAgo: 1)
    #expect(try info()["would"] as? String == "ask")
    server.serve("/i.jpg", .status(410))
    _ = try program.run("get", url)
    let gone = try info()
    #expect((gone["gone"] as? [String: Any])?["status"] as? Int == 410 && gone["would"] as? String == "ask")
    let words = try atTerminal("cache", "info", url)
    #expect(words.contains("gone:") && words.contains("get would:"), "\(words)")
  }

  @Test("Info does not promise an answer that is no image", arguments: [301, 410])
  func infoOfNoImage(status: Int) throws {
    server.serve("/i.jpg", status == 301 ? .redirect(to: "/none.jpg", status: 301) : .text("gone", status: status))
    let url = server.url("/i.jpg")
    #expect(try program.run("get", "--cache", "http", url).exitCode == 4)
    let outcome = try program.run("cache", "info", "--json", url)
    let object = try JSON.object(try #require(outcome.lines.first, "\(outcome)"))
    #expect(object["status"] as? Int == status && object["would"] as? String == "fetch", "\(outcome)")
    #expect(object["fresh_until"] is NSNull, "\(outcome)")
    let count = server.count("/i.jpg")
    #expect(try program.run("get", url).exitCode == 4)
    #expect(server.count("/i.jpg") == count + 1)
  }

  @Test("Entries of info are kept apart by an empty line, and what is missing leaves none")
  func infoOfSeveral() throws {
    try fetchBoth()
    let urls = ["/none.jpg", "/a.jpg", "/none.jpg", "/b.png"].map { server.url($0) }
    let outcome = try program.run(["cache", "info"] + urls)
    #expect(outcome.exitCode == 6, "\(outcome)")
    #expect(outcome.lines.first == "key\t\(server.url("/a.jpg"))")
    #expect(outcome.outputText.components(separatedBy: "\n\n").count == 2)
  }

  @Test("Quiet prints nothing about actions")
  func quiet() throws {
    try fetchBoth()
    for command in [["clean"], ["verify"], ["remove", server.url("/a.jpg")], ["clear"]] {
      let outcome = try program.run(["cache"] + command + ["-q"])
      #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.error.isEmpty, "\(command): \(outcome)")
    }
  }

  @Test("A cache that was cleared holds nothing, even if an entry was damaged")
  func clearedOfDamage() throws {
    for name in ["/a.jpg", "/b.jpg"] { server.serve(name, TestImages.jpeg(width: 20, height: 10)) }
    #expect(try program.run("prefetch", server.url("/a.jpg"), server.url("/b.jpg")).exitCode == 0)
    let path = try #require(try program.run("cache", "path", server.url("/b.jpg")).lines.first)
    #expect(truncate(path, 0) == 0)
    #expect(try program.run("cache", "clear").exitCode == 0)
    #expect(try program.run("cache", "size").lines == ["0\t0"])
  }

  @Test("An image that only other askers have is said to be theirs", arguments: ["info", "path"])
  func ofOtherAskers(command: String) throws {
    let url = server.url("/a.jpg")
    let before = try program.run("cache", command, url)
    #expect(before.exitCode == 6 && before.errorText == "imgfetch: \(url): not in the cache\n", "\(before)")
    _ = try program.run("prefetch", "--cookie", "id=1", url)
    let theirs = try program.run("cache", command, url)
    #expect(theirs.exitCode == 6 && theirs.errorText.contains("not in the cache, but for other askers"), "\(theirs)")
    _ = try program.run("prefetch", url)
    #expect(try program.run("cache", command, url).exitCode == 0)
  }
}
