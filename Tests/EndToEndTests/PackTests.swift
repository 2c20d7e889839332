import Glibc
import TestSupport
import Testing

/// `pack`: shards that any number of attempts make together.
@Suite("Data sets") struct PackTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<9 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    server.serve(
      "/refused.jpg", .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg").with("X-Robots-Tag", "noai"))
    server.serve("/page.jpg", .text("<html>"))
    var lines = (0..<40).map { "\(server.url("/\($0 % 9).jpg"))\tid=line \($0) \u{1F600}\"" }
    (lines[3], lines[4], lines[5]) = (server.url("/missing.jpg"), server.url("/page.jpg"), server.url("/refused.jpg"))
    lines[6] = "no URL"
    try program.folder.write("work/list.txt", "# a comment\n" + lines.joined(separator: "\n"))
  }

  private let list = ["-i", "list.txt", "--per-shard", "15"]

  private func pack(_ arguments: String...) throws -> Outcome { try program.run(["pack"] + list + arguments) }

  /// The rows that Python finds in the shards of a folder, and how it reads each member.
  private func read(_ folder: String) throws -> Outcome {
    let script = """
      import glob, json, sys, tarfile
      for path in sorted(glob.glob(sys.argv[1] + "/*.tar")):
          tar = tarfile.open(path)
          names = tar.getnames()
          assert names[0] == "__imgfetch__/job" and names[-1] == "__imgfetch__/end", names
          rows = [json.load(tar.extractfile(n)) for n in names if n.endswith(".json") and not n.startswith("__")]
          for row in rows:
              assert len(tar.extractfile(row["record"] + ".jpg").read()) == row["bytes"]
          failed = [json.loads(l) for l in tar.extractfile("__imgfetch__/failed").read().splitlines()]
          end = json.loads(open(path, "rb").read()[-1536:-1024])
          assert end["images"] == len(rows) and end["failed"] == len(failed)
          at = end["failed_offset"]
          assert open(path, "rb").read()[at:at + 11] == b'{"record":"' or not failed
          for row in rows + failed:
              print(row["record"], row.get("id", "-"), row.get("error", {}).get("kind", "image"), sep="\\t")
      """
    return try Command(Command.find("python3"), ["-c", script, program.folder.path("work/\(folder)")]).run()
  }

  @Test("A row has its own spelling of a URL, whatever other line or run has asked for it")
  func spelling() throws {
    let url = server.url("/1.jpg")
    let spellings = [
      url.replacing("http:", with: "HTTP:"), url.replacing("/1.jpg", with: "/a/../1.jpg"), url + "#part",
    ]
    server.serve("/moved.jpg", .status(302).with("Location", "/2.jpg"))
    let moved = server.url("/moved.jpg").replacing("http:", with: "HTTP:")
    var made: [[UInt8]?] = []
    for (at, first) in (spellings + [moved, server.url("/moved.jpg")]).enumerated() {
      try program.folder.write("work/list", (spellings + [moved]).joined(separator: "\n"))
      #expect(try program.run("prefetch", "--cache-dir", "cache\(at)", first).exitCode == 0)
      let outcome = try program.run("pack", "-i", "list", "-d", "set\(at)", "--cache-dir", "cache\(at)", "-j", "1")
      #expect(outcome.exitCode == 0, "\(outcome)")
      made.append(program.folder.read("work/set\(at)/00000.tar"))
    }
    #expect(Set(made).count == 1 && made[0] != nil)
    let text = String(decoding: made[0] ?? [], as: UTF8.self)
    for spelling in spellings { #expect(text.contains("\"final_url\":\"\(spelling)\""), "\(spelling)") }
    #expect(text.contains("\"final_url\":\"\(server.url("/2.jpg"))\""))
  }

  @Test("Every line is in one row, and tar and Python read the shards")
  func rows() throws {
    let outcome = try pack("-d", "set")
    #expect(outcome.exitCode == 0 && outcome.errorText.contains(", 4 failed"), "\(outcome)")
    #expect(
      Set(outcome.rows.map { $0[0] + $0[1] + " " + $0[2] + " " + $0[3] })
        == ["made00000 11 4", "made00001 15 0", "made00002 10 0"], "\(outcome)")
    let rows = try read("set")
    #expect(rows.exitCode == 0, "\(rows)")
    #expect(Set(rows.rows.map { $0[0] }).count == 40 && rows.rows.count == 40)
    #expect(rows.rows[0] == ["000000000000", "line 0 \u{1F600}\"", "image"])
    let kinds = rows.rows.filter { $0[2] != "image" }.map { $0[2] }
    #expect(kinds == ["http", "not-image", "refused", "refused"])
    let tar = try Command(Command.find("tar"), ["-tf", program.folder.path("work/set/00002.tar")]).run()
    #expect(tar.exitCode == 0 && tar.error.isEmpty && tar.lines[1] == "000000000030.jpg", "\(tar)")
  }

  @Test("The same bytes make the same files, in whichever process; finished shards are passed over")
  func same() throws {
    #expect(try pack("-d", "one", "-j", "1", "--cache", "off").exitCode == 0)
    for part in ["2/2", "1/2"] { #expect(try pack("-d", "two", "--shard", part).exitCode == 0) }
    for shard in ["00000.tar", "00001.tar", "00002.tar"] {
      #expect(program.folder.read("work/one/\(shard)") == program.folder.read("work/two/\(shard)"), "\(shard)")
    }
    let before = server.requests.count
    let again = try pack("-d", "one", "--json", "--cache", "off")
    #expect(again.exitCode == 0 && server.requests.count == before, "\(again)")
    #expect(again.lines.filter { $0.contains("\"outcome\":\"kept\"") }.count == 3, "\(again)")
  }

  @Test("A shard of another job is exit 2, before anything is fetched")
  func otherJob() throws {
    #expect(try pack("-d", "set").exitCode == 0)
    let before = server.requests.count
    for other in [["--resize", "8x8"], ["--min-size", "9x9"]] {
      let outcome = try program.run(["pack"] + list + ["-d", "set", "--cache", "off"] + other)
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("00000.tar"), "\(outcome)")
    }
    #expect(server.requests.count == before)
  }

  @Test("Options count by their values: other words and orders are the same job")
  func sameJob() throws {
    let words = [
      "--max-bytes", "256M", "--only-format", "jpeg,png", "--background", "white", "--deny-host", "a.example",
    ]
    let others = [
      "--max-bytes", "268435456", "--only-format", "png,jpeg", "--background", "#fff", "--deny-host", "A.example",
    ]
    #expect(try program.run(["pack"] + list + ["-d", "set"] + words).exitCode == 0)
    let before = server.requests.count
    let outcome = try program.run(["pack"] + list + ["-d", "set", "--cache", "off"] + others)
    #expect(outcome.exitCode == 0 && outcome.rows.map { $0[0] } == ["kept", "kept", "kept"], "\(outcome)")
    #expect(server.requests.count == before)
    for others in [["--only-format", "png"], ["--insecure"], ["--allow-downgrade"]] {
      let outcome = try program.run(["pack"] + list + ["-d", "set"] + words + others)
      #expect(outcome.exitCode == 2, "\(others) \(outcome)")
    }
  }

  @Test("Own header fields are of the job, but for credentials and what only identifies a request")
  func headers() throws {
    let accepts = ["-H", "Accept: image/png", "-H", "X-Api-Key: s3cret"]
    func pack(_ headers: [String]) throws -> Int32? {
      try program.run(["pack"] + list + ["-d", "set", "--cache", "off"] + headers).exitCode
    }
    #expect(try pack(accepts) == 0)
    #expect(try pack(accepts + ["-H", "Authorization: Bearer x", "-H", "X-Request-ID: 7"]) == 0)
    for others in [[], ["-H", "Accept: image/webp", "-H", "X-Api-Key: s3cret"], ["-H", "Accept: image/png"]] {
      #expect(try pack(others) == 2)
    }
    let shard = program.folder.read("work/set/00000.tar") ?? []
    #expect(!String(decoding: shard.prefix(4096), as: UTF8.self).contains("s3cret"))
  }

  @Test("A list that was changed is exit 2 before anything is fetched, though an earlier shard is missing")
  func otherList() throws {
    #expect(try pack("-d", "set").exitCode == 0)
    try program.folder.remove("work/set/00000.tar")
    let text = String(decoding: program.folder.read("work/list.txt") ?? [], as: UTF8.self)
    try program.folder.write("work/list.txt", text + "&changed")
    let before = server.requests.count
    let outcome = try pack("-d", "set", "--cache", "off")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("00002.tar"), "\(outcome)")
    #expect(server.requests.count == before)
  }

  @Test(
    "Rows of failures say why in words that hang on kind and status alone; the object of a shard has the whole message")
  func failures() throws {
    let made = try pack("-d", "set", "--json", "--rows")
    let row = made.lines.first { $0.contains(#""kind":"http""#) && $0.hasPrefix(#"{"record""#) }
    #expect(
      row?.contains(#""error":{"kind":"http","status":404,"exit":4,"message":"the server said no (status 404)"}"#)
        == true)
    #expect(made.lines.contains { $0.contains(#""outcome":"made""#) && $0.contains("404 Not Found") }, "\(made)")
    let kept = try pack("-d", "set", "--json")
    let first = kept.lines.first { $0.contains(#""shard":"00000""#) } ?? ""
    #expect(first.contains(#""outcome":"kept""#) && first.contains(#""failed":4,"#), "\(kept)")
    #expect(first.contains(#"{"kind":"refused","status":200,"count":1"#), "\(kept)")
    #expect(first.contains(#"{"kind":"http","status":404,"count":1,"message":"the server said no (status 404)"}"#))
  }

  @Test("The job has the effective values of the options, defaults too, and the number of what they make")
  func job() throws {
    #expect(try pack("-d", "set", "--checksum").exitCode == 0)
    let job = try Command(
      Command.find("tar"), ["-xOf", program.folder.path("work/set/00000.tar"), "__imgfetch__/job"]
    ).run().outputText
    #expect(job.hasPrefix(#"{"job":{"makes":2,"shard":"00000","records":15,"#), "\(job)")
    for option in [
      "per-shard=15", "max-bytes=268435456", "verify=structure", "robots=false", "checksum=true", "strip=false",
      "allow-downgrade=false", "insecure=false",
    ] {
      #expect(job.contains("\"\(option)\""), "\(option) in \(job)")
    }
    #expect(try read("set").exitCode == 0)
    let row = try Command(
      Command.find("tar"), ["-xOf", program.folder.path("work/set/00000.tar"), "000000000000.json"]
    ).run().outputText
    #expect(row.contains(#""sha256":""#))
  }

  @Test("One extension for all images")
  func memberExtension() throws {
    server.serve("/1.jpg", .ok(TestImages.png(), type: "image/png"))
    #expect(try pack("-d", "set", "--member-ext", "img").exitCode == 0)
    let list = try Command(Command.find("tar"), ["-tf", program.folder.path("work/set/00001.tar")]).run()
    #expect(list.lines.filter { $0.hasSuffix(".img") }.count == 15, "\(list)")
    #expect(try pack("-d", "set").exitCode == 2)
    #expect(try pack("-d", "other", "--member-ext", "json").exitCode == 2)
  }

  @Test("The robots tag can be ignored, and images be transformed")
  func options() throws {
    #expect(try pack("-d", "set", "--ignore-robots-tag", "--resize", "8x8", "--fit", "cover").exitCode == 0)
    let rows = try read("set")
    #expect(rows.rows.filter { $0[2] != "image" }.map { $0[2] } == ["http", "not-image", "refused"], "\(rows)")
  }

  @Test("A shard with too many passing failures is not made: exit 3")
  func outage() throws {
    for at in 0..<3 { server.serve("/\(at).jpg", .busy(503)) }
    let outcome = try pack("-d", "set", "--retry", "0", "--json")
    #expect(outcome.exitCode == 3 && outcome.errorText.contains("is not made"), "\(outcome)")
    // Which shard is done first depends on the machine.
    let refusal = try JSON.object(try #require(outcome.lines.first { $0.contains(#""outcome":"not-made""#) }))
    #expect((refusal["shard"] as? String)?.hasPrefix("0000") == true, "\(outcome)")
    #expect((refusal["reason"] as? String)?.contains("--max-transient") == true, "\(outcome)")
    let kinds = (refusal["failures"] as? [[String: Any]])?.map { $0["status"] as? Int }
    #expect(kinds?.contains(503) == true, "\(outcome)")
    #expect(program.folder.files(in: "work/set").isEmpty)
    #expect(try pack("-d", "set", "--retry", "0", "--max-transient", "50%").exitCode == 0)
  }

  @Test("A list that ends with a shard has no empty one behind it, the next time neither")
  func noEmptyShard() throws {
    let lines = (0..<30).map { server.url("/\($0 % 9).jpg") }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n") + "\n")
    for word in ["made", "kept"] {
      let outcome = try pack("-d", "set")
      #expect(outcome.exitCode == 0 && outcome.rows.map { $0[0] } == [word, word], "\(outcome)")
    }
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"])
  }

  @Test("Ctrl-C ends it with 130 and nothing half, and the next run goes on")
  func interrupted() throws {
    server.serve("/hang.jpg", .nothing)
    let text = String(decoding: program.folder.read("work/list.txt") ?? [], as: UTF8.self)
    try program.folder.write("work/list.txt", text + "\n" + server.url("/hang.jpg"))
    let run = try program.start(["pack"] + list + ["-d", "set", "--cache", "off"])
    let first = [try run.nextLine(), try run.nextLine()].compactMap { $0?.prefix(10) }
    #expect(Set(first) == ["made\t00000", "made\t00001"])
    run.send(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"])
    server.serve("/hang.jpg", TestImages.jpeg(width: 20, height: 10))
    let next = try pack("-d", "set", "--cache", "off")
    #expect(next.exitCode == 0 && next.rows.map { $0[0] } == ["kept", "kept", "made"], "\(next)")
  }

  @Test("With --json there is an object of each shard, then the summary")
  func summary() throws {
    let outcome = try pack("-d", "set", "--shard", "2/2", "--json")
    #expect(outcome.exitCode == 0 && outcome.lines.count == 2, "\(outcome)")
    #expect(
      outcome.lines[0].hasPrefix(
        #"{"shard":"00001","file":"set/00001.tar","outcome":"made","rows":15,"images":15,"failed":0,"#))
    #expect(outcome.lines[1].contains(#""complete":true"#) && outcome.lines[1].contains(#""shards":1"#))
  }

  @Test("Two attempts at once both succeed, and leave nothing but the shards")
  func race() throws {
    let runs = try (0..<2).map {
      try program.start(["pack"] + list + ["-d", "set", "--cache", "\($0 == 0 ? "off" : "age")"])
    }
    for run in runs { #expect(try run.wait().exitCode == 0) }
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar", "00002.tar"])
    #expect(try read("set").rows.count == 40)
  }

  @Test("Where no name exists no shard is made: exit 3")
  func noNames() throws {
    let lines = (0..<3).map { "http://none\($0).invalid/a.jpg" }
    try program.folder.write("work/names.txt", lines.joined(separator: "\n"))
    let outcome = try program.run("pack", "-i", "names.txt", "-d", "set", "--retry", "0")
    #expect(outcome.exitCode == 3 && outcome.errorText.contains("shard 00000 is not made"), "\(outcome)")
    #expect(program.folder.files(in: "work/set").isEmpty)
  }

  @Test("What the cache lacks under --offline is no row of a set: exit 3, and the next run has it")
  func offline() throws {
    #expect(try program.run(["prefetch", "-q"] + (0..<7).map { server.url("/\($0).jpg") }).exitCode == 0)
    let outcome = try pack("-d", "set", "--offline")
    #expect(outcome.exitCode == 3 && program.folder.files(in: "work/set").isEmpty, "\(outcome)")
    #expect(try pack("-d", "set").exitCode == 0)
    let known = try program.run(["pack"] + list + ["-d", "other", "--offline", "--max-transient", "20%"])
    #expect(known.exitCode == 0, "\(known)")
    for shard in ["00001.tar", "00002.tar"] {
      #expect(program.folder.read("work/set/\(shard)") == program.folder.read("work/other/\(shard)"), "\(shard)")
    }
  }

  @Test(
    "A set has shards of the same options only, whichever process made those that are there",
    arguments: [["--shard", "2/2", "--resize", "8x8"], ["--shard", "2/2", "--checksum"], ["--shard-by", "host"]])
  func otherProcess(options: [String]) throws {
    #expect(try pack("-d", "set", "--shard", "1/2").exitCode == 0)
    let (requests, shards) = (server.requests.count, program.folder.files(in: "work/set"))
    let other = try program.run(["pack"] + list + ["-d", "set"] + options)
    let option = try #require(options.last { $0.hasPrefix("--") })
    #expect(other.errorText.contains(option), "\(other)")
    #expect(other.exitCode == 2 && other.errorText.contains("set/00000.tar"), "\(other)")
    #expect(server.requests.count == requests && program.folder.files(in: "work/set") == shards)
    #expect(try pack("-d", "set", "--shard", "2/2").exitCode == 0)
  }

  @Test("Two processes with different options that begin at once do not make one set")
  func atOnce() throws {
    let gate = Gate()
    server.on("/held.jpg") { _ in
      .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg").held(by: gate)
    }
    let lines = ["/0.jpg", "/1.jpg", "/2.jpg", "/held.jpg"].map { server.url($0) }
    try program.folder.write("work/four.txt", lines.joined(separator: "\n"))
    let four = ["pack", "-i", "four.txt", "--per-shard", "2", "-d", "set", "--cache", "off"]
    let slow = try program.start(four + ["--shard", "2/2", "--checksum"])
    try server.waitForRequests("/held.jpg", 1)
    #expect(try program.run(four + ["--shard", "1/2"]).exitCode == 0)
    gate.open()
    let outcome = try slow.wait()
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("set/00000.tar"), "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar"])
  }

  /// A caption with all that a table can hold: a megabyte of it.
  private static let caption =
    "tab\t, \"quotes\", \\, line\nbreak\r\n, \u{1F600}" + String(repeating: "né\u{1F600}", count: 1 << 17) + "end"

  /// Writes a table as Python does, and compares the texts that Python finds in the shard with its own.
  private func checkTable(_ format: String, _ write: String) throws {
    let address = server.url("/")
    let script = """
      import csv, json, sys, tarfile
      folder, caption, address = sys.argv[1], open(sys.argv[1] + "/caption", newline="").read(), sys.argv[2]
      rows = [{"id": f"a\\t{n}\\"", "url": f"{address}{n}.jpg", "caption": caption if n == 2 else f"c\\n{n}",
               "width": str(n), "a,\\tb": "x,\\"y\\"\\nz\\t"} for n in range(8)]
      rows[3]["url"] = "no URL"
      rows[4]["url"] = address + "missing.jpg"
      if len(sys.argv) == 3:
          with open(folder + "/table", "w", newline="", encoding="utf-8") as out:
              \(write)
      else:
          tar = tarfile.open(folder + "/set/00000.tar")
          read = lambda name: tar.extractfile(name).read()
          failed = {r["record"]: r for r in map(json.loads, read("__imgfetch__/failed").splitlines())}
          assert sorted(failed) == ["000000000003", "000000000004"], failed
          for n, row in enumerate(rows):
              key = f"{n:012}"
              made = failed.get(key) or json.loads(read(key + ".json"))
              assert made["id"] == row["id"] and made["caption"] == row["caption"], (made["id"], n)
              assert made["columns"] == {"width": row["width"], "a,\\tb": row["a,\\tb"]}, made["columns"]
              if key not in failed: assert read(key + ".txt").decode() == row["caption"]
      """
    try program.folder.write("work/caption", Self.caption)
    let python = try Command.find("python3")
    let arguments = ["-c", script, program.folder.path("work"), address]
    let made = try Command(python, arguments).run()
    #expect(made.exitCode == 0, "\(made)")
    let outcome = try program.run(["pack", "-i", "table", "--list-format", format, "-d", "set"])
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(4) == ["made", "00000", "6", "2"], "\(outcome)")
    let read = try Command(python, arguments + ["read"]).run()
    #expect(read.exitCode == 0, "\(read)")
  }

  @Test("Ids, captions and columns of tables come through unchanged")
  func tables() throws {
    try checkTable("csv", "w = csv.DictWriter(out, rows[0]); w.writeheader(); w.writerows(rows)")
  }

  @Test("So do those of tables with TABs")
  func tabTables() throws {
    try checkTable("tsv", "w = csv.DictWriter(out, rows[0], delimiter='\\t'); w.writeheader(); w.writerows(rows)")
  }

  @Test("So do those of JSON Lines")
  func objects() throws { try checkTable("jsonl", "[print(json.dumps(row), file=out) for row in rows]") }

  @Test(
    "A table whose columns are not named as they should be is told of, and nothing is fetched",
    arguments: [
      ("link,page\nURL,URL\n", "--url-column"), ("url,a,a\nURL,x,y\n", "column a twice"), ("", "empty"),
      ("url,a\rURL,x\rURL,y\r", "carriage return"),
    ])
  func columns(table: String, reason: String) throws {
    try program.folder.write("work/table", table.replacing("URL", with: server.url("/1.jpg")))
    let outcome = try program.run(["pack", "-i", "table", "--list-format", "csv", "-d", "set"])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains(reason), "\(outcome)")
    #expect(server.requests.isEmpty && program.folder.files(in: "work/set").isEmpty)
  }

  /// An open quotation would take all later rows into one field, and a table that was cut off looks the same.
  @Test("A table that ends inside quotation marks is no whole table")
  func unclosed() throws {
    let rows = (1...6).map { "\(server.url("/\($0).jpg")),\($0 == 5 ? "\"never closed" : "x")\n" }
    try program.folder.write("work/table", "url,caption\n" + rows.joined())
    let outcome = try program.run(["pack", "-i", "table", "--list-format", "csv", "--per-shard", "2", "-d", "set"])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("quotation mark of record 6"), "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"])
  }
}
