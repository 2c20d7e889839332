import Glibc
import TestSupport
import Testing

/// `report`: what runs did.
@Suite("Reports of rows") struct ReportTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for number in 1...3 { server.serve("/\(number).jpg", TestImages.jpeg(width: 20 + number, height: 10)) }
    server.serve("/copy.jpg", TestImages.jpeg(width: 21, height: 10))
  }

  /// Fetches a list, and leaves its rows in a file.
  private func fetch(_ paths: [String], into name: String, _ options: String...) throws {
    let list = paths.map { server.url($0) + "\n" }.joined()
    _ = try program.run(
      ["get", "--retry", "0", "--ordered", "--report", name, "--checksum", "-d", "out", "-i", "-"] + options,
      input: list)
  }

  @Test("The tables tell causes, hosts and formats, and the object has the names of the summary")
  func counts() throws {
    try fetch(["/1.jpg", "/2.jpg", "/none.jpg", "/gone.jpg"], into: "run.jsonl")
    let text = try program.run("report", "run.jsonl")
    #expect(text.exitCode == 0, "\(text)")
    #expect(text.lines.first?.hasPrefix("4 lines: 2 images, 2 failed; ") == true, "\(text)")
    for word in ["http:404", "127.0.0.1:\(server.port)", "jpeg", "Failures by cause", "Failures by host", "Times"] {
      #expect(text.outputText.contains(word), "\(word): \(text)")
    }
    let object = try JSON.object(try program.run("report", "--json", "run.jsonl").lines[0])
    #expect(object["rows"] as? Int == 4 && object["images"] as? Int == 2 && object["failed"] as? Int == 2)
    #expect((object["kinds"] as? [String: Int]) == ["http": 2])
    #expect((object["caches"] as? [String: Int]) == ["none": 2])
    let host = (object["hosts"] as? [[String: Any]])?.first
    #expect(host?["failed"] as? Int == 2 && host?["total"] as? Int == 4, "\(object)")
    #expect((host?["causes"] as? [String: Int]) == ["http:404": 2] && text.outputText.contains("2 http:404"), "\(text)")
    #expect((object["times"] as? [String: Any])?["p95"] is Double || (object["times"] as? [String: Any])?["p95"] is Int)
  }

  @Test("Lists of failures and duplicates are lines that get reads")
  func lists() throws {
    try fetch(["/1.jpg", "/none.jpg", "/copy.jpg"], into: "run.jsonl")
    let failed = try program.run("report", "--list", "failed", "run.jsonl")
    #expect(failed.outputText == "\(server.url("/none.jpg"))\twas=http:404\n", "\(failed)")
    let typed = try program.run(["report", "--list", "failed", "run.jsonl"], environment: ["IMGFETCH_JSON": "1"])
    #expect(typed.outputText == failed.outputText, "\(typed)")
    server.serve("/none.jpg", TestImages.jpeg(width: 5, height: 5))
    #expect(try program.run(["get", "-d", "out", "-i", "-"], input: failed.outputText).exitCode == 0)
    let copies = try program.run("report", "--list", "duplicates", "run.jsonl")
    #expect(copies.outputText == "\(server.url("/copy.jpg"))\n", "\(copies)")
    let groups = try program.run("report", "run.jsonl", "--duplicates")
    #expect(groups.rows.map { $0[0] + " " + $0[3] } == ["1 \(server.url("/1.jpg"))", "1 \(server.url("/copy.jpg"))"])
  }

  @Test("Two lines that name one URL are duplicates, and the same lines of another night are not")
  func linesOfOneURL() throws {
    let list = "\(server.url("/1.jpg"))\tone.jpg\n\(server.url("/2.jpg"))\n\(server.url("/1.jpg"))\ttwo.jpg\n"
    // In the second night another line comes first.
    for (name, before) in [("first", ""), ("second", server.url("/3.jpg\n"))] {
      _ = try program.run(
        ["get", "--report", name, "--checksum", "-d", name + ".d", "-i", "-"], input: before + list)
    }
    let both = try ["first", "second"].map { try #require(program.folder.text("work/" + $0)) }.joined()
    try program.folder.write("work/both", both)
    for inputs in [["first"], ["second"], ["both"], ["first", "second"]] {
      let groups = try program.run(["report", "--duplicates", "bytes"] + inputs)
      #expect(groups.rows.map { $0.last } == [server.url("/1.jpg"), server.url("/1.jpg")], "\(inputs): \(groups)")
      let copies = try program.run(["report", "--list", "duplicates"] + inputs)
      #expect(copies.outputText == "\(server.url("/1.jpg"))\n", "\(inputs): \(copies)")
    }
  }

  @Test("--against tells what is new, changed, gone, newly failing and fixed")
  func changes() throws {
    try fetch(["/1.jpg", "/2.jpg", "/3.jpg", "/none.jpg"], into: "old.jsonl", "--cache", "reload")
    server.serve("/1.jpg", TestImages.jpeg(width: 50, height: 50))
    server.serve("/2.jpg", TestServer.Response(404))
    server.serve("/none.jpg", TestImages.jpeg(width: 5, height: 5))
    try fetch(["/1.jpg", "/2.jpg", "/none.jpg", "/copy.jpg"], into: "new.jsonl", "--cache", "reload")
    let object = try JSON.object(
      try program.run("report", "--json", "new.jsonl", "--against", "old.jsonl").lines[0])
    let changes = object["against"] as? [String: Any]
    for name in ["new", "changed", "gone", "failing", "fixed"] {
      #expect(changes?[name] as? Int == 1, "\(name): \(object)")
    }
    let changed = try program.run("report", "--list", "changed", "--against", "old.jsonl", "new.jsonl")
    #expect(changed.outputText == "\(server.url("/1.jpg"))\n", "\(changed)")
    let text = try program.run("report", "--against", "old.jsonl", "new.jsonl").outputText
    #expect(text.contains("newly failing") && text.contains(server.url("/3.jpg")), "\(text)")
    #expect(text.contains("\(server.url("/2.jpg")) (http:404)\n"), "\(text)")
  }

  @Test("--against names five images of each change")
  func examplesOfChanges() throws {
    let row = #","bytes":1,"error":null}"# + "\n"
    try program.folder.write("work/old", #"{"url":"http://h.example/0""# + row)
    try program.folder.write("work/new", (0...8).map { #"{"url":"http://h.example/\#($0)""# + row }.joined())
    let lines = try program.run("report", "--against", "old", "new").lines
    let added = lines.filter { $0.hasPrefix("  new ") }
    #expect(added.count == 5 && added[0].contains(" 8 ") && added[4].hasSuffix(" http://h.example/5"), "\(lines)")
  }

  @Test("--against says how many images there were, and which were compared without checksums")
  func before() throws {
    let sum = #","sha256":"\#(String(repeating: "a", count: 64))""#
    func row(_ name: String, _ more: String = "") -> String {
      #"{"url":"http://h.example/\#(name)","bytes":1\#(more),"error":null}"# + "\n"
    }
    let failed = #"{"url":"http://h.example/c","error":{"kind":"http","message":"no"}}"# + "\n"
    try program.folder.write("work/old", row("a", sum) + row("b", sum) + failed)
    try program.folder.write("work/new", row("a", sum) + row("b") + row("c"))
    let text = try program.run("report", "--against", "old", "new").outputText
    #expect(text.contains("then: 2 images, 1 failed; 1 compared by size and format"), "\(text)")
    #expect(!(try program.run("report", "--against", "old", "old").outputText.contains("compared by size")))
    let object = try JSON.object(try program.run("report", "--json", "--against", "old", "new").lines[0])
    let against = object["against"] as? [String: Any]
    #expect(against?["inexact"] as? Int == 1, "\(object)")
    #expect(against?["before"] as? [String: Int] == ["images": 2, "failed": 1], "\(object)")
  }

  @Test("That there are no duplicates is told, but not to a quiet user or a program")
  func noDuplicates() throws {
    try fetch(["/1.jpg", "/2.jpg"], into: "run.jsonl")
    for command in [["report", "run.jsonl"], ["inspect", "-r", "out"]] {
      let told = try program.run(command + ["--duplicates", "bytes"])
      #expect(told.exitCode == 0 && told.lines.isEmpty, "\(told)")
      #expect(told.errorText == "no duplicates among 2 images\n", "\(told)")
      for option in ["-q", "--json"] {
        let outcome = try program.run(command + ["--duplicates", "bytes", option])
        #expect(outcome.errorText.isEmpty && outcome.lines.isEmpty, "\(outcome)")
      }
    }
  }

  @Test("Rows are of one image if their keys are the same: signed URLs differ from run to run")
  func signed() throws {
    for night in 1...2 {
      let row = #"{"url":"http://h.example/a?sign=\#(night)","key":"http://h.example/a","bytes":10,"#
      let sum = #""line":1,"sha256":"\#(String(repeating: "a", count: 64))","error":null}"#
      try program.folder.write("work/night\(night)", row + sum + "\n")
    }
    let outcome = try program.run("report", "--json", "--against", "night1", "night2")
    let changes = try JSON.object(outcome.lines[0])["against"] as? [String: Any]
    #expect(changes?["same"] as? Int == 1 && changes?["new"] as? Int == 0, "\(outcome)")
    #expect(changes?["gone"] as? Int == 0, "\(outcome)")
    #expect(try program.run("report", "--duplicates", "night1", "night2").lines.isEmpty)
  }

  @Test("Images that --unique left out are counted, in rows of a run and of a shard")
  func leftOut() throws {
    try fetch(["/1.jpg", "/copy.jpg", "/2.jpg"], into: "run.jsonl", "--unique")
    let list = ["/1.jpg", "/copy.jpg", "/2.jpg"].map { server.url($0) + "\n" }.joined()
    #expect(try program.run(["pack", "--unique", "-d", "set", "-i", "-"], input: list).exitCode == 0)
    for rows in ["run.jsonl", "set"] {
      #expect(try JSON.object(try program.run("report", "--json", rows).lines[0])["left_out"] as? Int == 1, "\(rows)")
      #expect(try program.run("report", rows).outputText.contains("1 left out, as duplicates"), "\(rows)")
    }
  }

  @Test("The twenty largest are told, in a table and in the object")
  func largest() throws {
    let rows = (1...30).map { #"{"url":"http://h.example/\#($0)","bytes":\#(1_000 * $0),"error":null}"# + "\n" }
    let object = try JSON.object(try program.run(["report", "--json", "-"], input: rows.joined()).lines[0])
    let bytes = (object["largest"] as? [[String: Any]])?.compactMap { $0["bytes"] as? Int }
    #expect(bytes == (11...30).reversed().map { 1_000 * $0 }, "\(object)")
    #expect((object["smallest"] as? [[String: Any]])?.count == 20)
    let text = try program.run(["report", "-"], input: rows.joined()).outputText
    #expect(text.contains("h.example/11\n") && !text.contains("h.example/10\n"), "\(text)")
  }

  @Test("Rows come from a stream, compressed, from shards and from the cache as well")
  func sources() throws {
    try fetch(["/1.jpg", "/copy.jpg", "/none.jpg"], into: "run.jsonl")
    let rows = try #require(Command.text(of: "\(program.work)/run.jsonl"))
    let stream = try program.run(["report", "--json", "-"], input: rows)
    #expect(try JSON.object(stream.lines[0])["rows"] as? Int == 3, "\(stream)")
    let groups = try program.run(["report", "--duplicates", "bytes", "-"], input: rows)
    #expect(groups.rows.count == 2, "\(groups)")
    let list = ["/1.jpg", "/none.jpg"].map { server.url($0) + "\n" }.joined()
    #expect(try program.run(["pack", "-d", "set", "-i", "-"], input: list).exitCode == 0)
    let shards = try JSON.object(try program.run("report", "--json", "set").lines[0])
    #expect(shards["images"] as? Int == 1 && (shards["kinds"] as? [String: Int]) == ["http": 1], "\(shards)")
    let shard = try #require(program.folder.files(in: "work/set").first { $0.hasSuffix(".tar") })
    try #require(symlink("set/" + shard, program.folder.path("work/link")) == 0)
    let linked = try JSON.object(try program.run("report", "--json", "link").lines[0])
    #expect(linked["images"] as? Int == 1, "\(linked)")
    let cache = try program.run("cache", "list", "--json")
    let cached = try program.run(["report", "--json", "-"], input: cache.outputText)
    #expect(try JSON.object(cached.lines[0])["images"] as? Int == 2, "\(cached)")
  }

  @Test("A damaged shard ends the report with 7 and its name: the others are not the whole set")
  func damagedShard() throws {
    try program.folder.write("work/two", ["/1.jpg", "/2.jpg"].map { server.url($0) }.joined(separator: "\n"))
    #expect(try program.run("pack", "-i", "two", "--per-shard", "1", "-d", "set").exitCode == 0)
    let whole = try #require(program.folder.read("work/set/00001.tar"))
    try program.folder.write("work/set/00001.tar", Array(whole.dropLast(2_048)))
    for rows in ["set", "set/00001.tar"] {
      let outcome = try program.run("report", "--json", rows)
      #expect(outcome.exitCode == 7 && outcome.lines.isEmpty, "\(outcome)")
      #expect(outcome.errorText.contains("set/00001.tar") && outcome.errorText.contains("damaged"), "\(outcome)")
    }
  }

  @Test("A set may have more shards than a process may have open files")
  func manyShards() throws {
    let count = 40
    try program.folder.write("work/many", String(repeating: server.url("/1.jpg") + "\n", count: count))
    #expect(try program.run("pack", "-i", "many", "--per-shard", "1", "-d", "many-set").exitCode == 0)
    var limited = program.command(["report", "--json", "many-set"])
    limited.arguments = ["-c", "ulimit -n 24; exec \"$0\" \"$@\"", Program.path] + limited.arguments
    limited.path = try Command.find("sh")
    let outcome = try limited.run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try JSON.object(outcome.lines.first ?? "")["images"] as? Int == count, "\(outcome)")
  }

  @Test("There may be more inputs than a process may have open files: rows of runs, and shards with their pictures")
  func manyInputs() throws {
    let sum = String(repeating: "a", count: 64)
    for number in 0..<120 {
      let row = #"{"url":"http://h.example/\#(number)","bytes":1,"sha256":"\#(sum)","line":1,"error":null}"#
      try program.folder.write("work/runs/\(number)", row + "\n")
    }
    try program.folder.write("work/many", String(repeating: server.url("/1.jpg") + "\n", count: 120))
    #expect(try program.run("pack", "-i", "many", "--per-shard", "1", "-d", "many-set").exitCode == 0)
    for inputs in ["runs/*", "many-set/*.tar --html page.html --pictures 200"] {
      let line = "ulimit -n 100; exec '\(Program.path)' report --json \(inputs)"
      var limited = program.command([])
      (limited.path, limited.arguments) = (try Command.find("sh"), ["-c", line])
      let outcome = try limited.run()
      #expect(outcome.exitCode == 0, "\(outcome)")
      let object = try JSON.object(outcome.lines.first ?? "")
      #expect(object["images"] as? Int == 120, "\(outcome)")
      guard inputs.hasPrefix("runs") else { continue }
      let bytes = (object["duplicates"] as? [String: Any])?["bytes"] as? [String: Any]
      #expect(bytes?["extra"] as? Int == 119 && bytes?["bytes"] as? Int == 119, "\(outcome)")
    }
  }

  @Test("Objects of shards lead to their folder, and other objects are no rows")
  func objects() throws {
    let list = server.url("/1.jpg") + "\n"
    let packed = try program.run(["pack", "--json", "-d", "set", "-i", "-"], input: list)
    #expect(packed.exitCode == 0, "\(packed)")
    try program.folder.write("work/pack.jsonl", packed.outputText)
    let shards = try program.run("report", "pack.jsonl")
    #expect(shards.exitCode == 7 && shards.lines.isEmpty, "\(shards)")
    #expect(shards.errorText.contains("pack.jsonl: it tells of shards"), "\(shards)")
    try program.folder.write("work/other.json", "{\"name\":\"x\"}\n")
    let other = try program.run("report", "other.json")
    #expect(other.exitCode == 7 && other.errorText.contains("1 line of the input is no row,"), "\(other)")
  }

  @Test(
    "Lines without a URL have failed like others, and cannot be listed or compared", arguments: ["run.jsonl", "set"])
  func withoutURL(rows: String) throws {
    try program.folder.write("work/list", "{\"url\":\"\(server.url("/1.jpg"))\"}\n{\"url\":null}\n[1]\n")
    let list = ["-i", "list", "--list-format", "jsonl"]
    _ = try program.run(["prefetch", "--report", "run.jsonl"] + list)
    _ = try program.run(["pack", "-d", "set", "--max-invalid", "100%"] + list)
    let report = try program.run("report", "--json", "--against", rows, rows)
    #expect(report.exitCode == 0 && report.errorText.isEmpty, "\(report)")
    let object = try JSON.object(report.lines[0])
    #expect(object["rows"] as? Int == 3 && object["failed"] as? Int == 2, "\(report)")
    #expect((object["kinds"] as? [String: Int]) == ["refused": 2], "\(report)")
    #expect(try program.run("report", "--against", rows, rows).outputText.contains("the same"), "\(report)")
    let failed = try program.run("report", "--list", "failed", rows)
    #expect(failed.exitCode == 0 && failed.outputText.isEmpty, "\(failed)")
  }

  @Test("Rows without a summary are of a run that did not come to its end")
  func unended() throws {
    try fetch(["/1.jpg", "/2.jpg"], into: "run.jsonl")
    let rows = try #require(Command.text(of: "\(program.work)/run.jsonl")).split(separator: "\n")
    try program.folder.write("work/killed.jsonl", rows.dropLast().joined(separator: "\n") + "\n")
    let whole = try program.run("report", "--json", "run.jsonl")
    #expect(try JSON.object(whole.lines[0])["complete"] as? Bool == true, "\(whole)")
    let killed = try JSON.object(try program.run("report", "--json", "killed.jsonl").lines[0])
    #expect(killed["complete"] as? Bool == false && killed["runs"] as? Int == 0, "\(killed)")
    let both = try program.run("report", "killed.jsonl", "run.jsonl")
    #expect(both.lines[1].hasSuffix("; 1 run without a summary, broken off or still going on"), "\(both)")
    let cached = try program.run(["report", "--json", "-"], input: program.run("cache", "list", "--json").outputText)
    #expect(try JSON.object(cached.lines[0])["complete"] as? Bool == true, "\(cached)")
  }

  @Test("An earlier run may have had an empty list; a file that is none of a run is a mistake")
  func emptyEarlier() throws {
    try fetch([], into: "old.jsonl")
    try fetch(["/1.jpg"], into: "new.jsonl")
    let outcome = try program.run("report", "--json", "--against", "old.jsonl", "new.jsonl")
    let changes = try JSON.object(outcome.lines[0])["against"] as? [String: Any]
    #expect(outcome.exitCode == 0 && changes?["new"] as? Int == 1 && changes?["gone"] as? Int == 0, "\(outcome)")
    try program.folder.write("work/text", "no rows\n")
    #expect(try program.run("report", "--against", "text", "new.jsonl").exitCode == 7)
  }

  @Test("Images that find has listed are not told as had")
  func listed() throws {
    server.serve("/page", Array("<img src=a.png><img src=b.png>".utf8), type: "text/html")
    let found = try program.run("find", "--json", server.url("/page"))
    let outcome = try program.run(["report", "-"], input: found.outputText)
    #expect(outcome.outputText.contains("listed, not fetched"), "\(outcome)")
    #expect(!outcome.outputText.contains("had, from where"), "\(outcome)")
  }

  @Test("A cached image is shown with the format of its media type")
  func cachedFormat() throws {
    try fetch(["/1.jpg"], into: "run.jsonl")
    let cached = try program.run(["report", "--json", "-"], input: program.run("cache", "list", "--json").outputText)
    let largest = try JSON.object(cached.lines[0])["largest"] as? [[String: Any]]
    #expect(largest?.first?["format"] as? String == "jpeg", "\(cached)")
  }

  @Test("Of many hosts that fail alike those come first of which a message was kept")
  func messagesOfHosts() throws {
    let rows = (1...600).reversed().map {
      #"{"url":"http://h\#($0).example/a","error":{"kind":"http","message":"no \#($0)","exit":4}}"# + "\n"
    }
    let outcome = try program.run(["report", "--json", "-"], input: rows.joined())
    let hosts = try #require(try JSON.object(outcome.lines[0])["hosts"] as? [[String: Any]])
    #expect(hosts.count == 100 && hosts.allSatisfy { $0["message"] as? String != "" }, "\(outcome)")
  }

  @Test("A file that is not there, or has no rows, is exit 7; an option too many is exit 2")
  func errors() throws {
    #expect(try program.run("report", "none.jsonl").exitCode == 7)
    try program.folder.write("work/text", "no rows\n")
    let text = try program.run("report", "text")
    #expect(text.exitCode == 7 && text.errorText.contains("there are no rows in it"), "\(text)")
    #expect(try program.run("report").exitCode == 2)
    #expect(try program.run("report", "--list", "failed", "--json", "text").exitCode == 2)
    #expect(try program.run("report", "--pictures", "3", "text").exitCode == 2)
  }

  @Test("Credentials that cannot be used for a place are exit 2, as elsewhere, and are not asked for without one")
  func credentials() throws {
    let key = ["--store-key", "key.pem"]
    let place = try program.run(["report"] + key + [server.url("/set")])
    #expect(place.exitCode == 2 && place.errorText.contains("add --store-cert"), "\(place)")
    var bucket = program.command(["report", "s3://images/set"])
    bucket.environment["AWS_PROFILE"] = "missing"
    let account = try bucket.run()
    #expect(account.exitCode == 2 && account.errorText.contains("AWS_PROFILE"), "\(account)")
    try fetch(["/1.jpg"], into: "run.jsonl")
    #expect(try program.run(["report"] + key + ["run.jsonl"]).exitCode == 0)
    #expect(server.count("/set") == 0)
  }
}
