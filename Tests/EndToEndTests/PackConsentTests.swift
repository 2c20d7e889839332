import TestSupport
import Testing

/// `pack`: what owners say of the use of their images is in each row, and is obeyed where a purpose is given.
@Suite("Consent in data sets") struct PackConsentTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<6 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    try program.folder.write("work/list", (0..<6).map { server.url("/\($0).jpg") }.joined(separator: "\n"))
  }

  /// The rows' consents, by record.
  private func pack(_ arguments: String...) throws -> (
    outcome: Outcome, rows: [String: String], kinds: [String: String]
  ) {
    let outcome = try program.run(["pack", "-i", "list", "-d", "set"] + arguments)
    let script = """
      import json, sys, tarfile
      tar = tarfile.open(sys.argv[1])
      rows = [json.load(tar.extractfile(n)) for n in tar.getnames() if n.endswith(".json")]
      rows += [json.loads(l) for l in tar.extractfile("__imgfetch__/failed").read().splitlines()]
      for row in rows:
          c = row["consent"]
          print(int(row["record"]), c["verdict"], c["source"] or "-", row.get("error", {}).get("kind", "image"), c["text"] or "-", sep="\\t")
      """
    var rows: [String: String] = [:]
    var kinds: [String: String] = [:]
    if program.folder.files(in: "work/set").contains("00000.tar") {
      let read = try Command(Command.find("python3"), ["-c", script, program.folder.path("work/set/00000.tar")]).run()
      #expect(read.exitCode == 0, "\(read)")
      for row in read.rows {
        rows[row[0]] = "\(row[1]) \(row[2])"
        kinds[row[0]] = row[3]
      }
    }
    return (outcome, rows, kinds)
  }

  private func answer(_ name: String, _ value: String) -> TestServer.Response {
    .ok(TestImages.jpeg(), type: "image/jpeg").with(name, value)
  }

  @Test("Without a purpose nothing is asked for, what comes is told, and noai is refused as before")
  func told() throws {
    server.serve("/robots.txt", .text("User-Agent: *\nContent-Signal: ai-train=no"))
    server.serve("/1.jpg", answer("Content-Usage", "train-ai=n"))
    server.serve("/2.jpg", answer("TDM-Reservation", "0"))
    server.serve("/3.jpg", answer("X-Robots-Tag", "noai"))
    server.serve("/4.jpg", answer("X-Robots-Tag", "noindex"))
    let (outcome, rows, kinds) = try pack()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      rows == [
        "0": "silent -", "1": "no content-usage", "2": "yes tdm-reservation", "3": "no x-robots-tag", "4": "silent -",
        "5": "silent -",
      ])
    #expect(kinds["3"] == "refused" && kinds["1"] == "image" && kinds["4"] == "image")
    // A loader that takes the columns' types from the first rows has to find texts.
    let list = try program.run("pack", "-i", "list", "-d", "set", "--rows", "--json")
    #expect(list.lines.first?.contains(#""consent":{"verdict":"silent","source":"","text":""}"#) == true, "\(list)")
    #expect(!server.requests.contains { $0.path == "/robots.txt" || $0.path.hasPrefix("/.well-known") })
  }

  @Test("With a purpose what its owner forbids is left out, by its answer, and an owner's no for another use is none")
  func fields() throws {
    server.serve("/1.jpg", answer("Content-Usage", "train-ai=n, search=y"))
    server.serve("/2.jpg", answer("TDM-Reservation", "1"))
    server.serve("/3.jpg", answer("X-Robots-Tag", "noai"))
    server.serve("/4.jpg", answer("Content-Usage", "train-ai=y"))
    let (outcome, rows, kinds) = try pack("--purpose", "train-ai")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      rows == [
        "0": "silent -", "1": "no content-usage", "2": "no tdm-reservation", "3": "no x-robots-tag",
        "4": "yes content-usage", "5": "silent -",
      ])
    #expect(kinds.filter { $0.value == "refused" }.keys.sorted() == ["1", "2", "3"])
    try program.folder.remove("work/set/00000.tar")
    let search = try pack("--purpose", "search")
    #expect(search.kinds.filter { $0.value == "refused" }.keys.sorted() == ["2"], "\(search)")
  }

  @Test("robots.txt and tdmrep.json are asked for once an origin, and what they forbid is not asked for")
  func files() throws {
    server.serve("/robots.txt", .text("User-Agent: *\nContent-Usage: /1 train-ai=n\nDisallow: /2"))
    server.serve(
      "/.well-known/tdmrep.json",
      .text(
        #"[{"location":"/3.jpg","tdm-reservation":1,"tdm-policy":"http://127.0.0.1:1/never"},{"location":"/4.jpg","tdm-reservation":0}]"#
      ))
    let (outcome, rows, kinds) = try pack("--purpose", "train-ai")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      rows == [
        "0": "silent -", "1": "no robots.txt", "2": "no robots.txt", "3": "no tdmrep.json", "4": "yes tdmrep.json",
        "5": "silent -",
      ])
    #expect(kinds.filter { $0.value == "refused" }.keys.sorted() == ["1", "2", "3"])
    let paths = server.requests.map(\.path)
    #expect(paths.filter { $0 == "/robots.txt" }.count == 1 && paths.filter { $0.hasSuffix("tdmrep.json") }.count == 1)
    #expect(!paths.contains("/1.jpg") && !paths.contains("/2.jpg") && !paths.contains("/3.jpg"))
  }

  @Test("The same rows come from a cache that was filled before the owner spoke", arguments: ["age", "off"])
  func cached(policy: String) throws {
    #expect(try program.run(["prefetch", "-i", "list"]).exitCode == 0)
    server.serve("/robots.txt", .text("User-Agent: *\nContent-Signal: ai-train=no"))
    let (outcome, rows, _) = try pack("--purpose", "train-ai", "--cache", policy)
    #expect(outcome.exitCode == 0 && Set(rows.values) == ["no robots.txt"], "\(outcome)")
  }

  @Test(
    "A robots.txt that cannot be had is a no for this attempt: the shard is not made, and later it is",
    arguments: ["--purpose=train-ai", "--robots"])
  func unreachable(option: String) throws {
    server.serve("/robots.txt", .busy(503))
    let (outcome, _, _) = try pack(option, "--retry", "0", "--cache", "off")
    #expect(outcome.exitCode == 3 && program.folder.files(in: "work/set").isEmpty, "\(outcome)")
    server.serve("/robots.txt", .text("User-Agent: *\nAllow: /"))
    #expect(try pack(option, "--cache", "off").kinds.values.allSatisfy { $0 == "image" })
  }

  @Test("A tdmrep.json that cannot be had is the source that the rows name")
  func unreachableReservations() throws {
    server.serve("/.well-known/tdmrep.json", .busy(503))
    let (outcome, rows, _) = try pack(
      "--purpose", "search", "--retry", "0", "--cache", "off", "--max-transient", "100%")
    #expect(outcome.exitCode == 0 && Set(rows.values) == ["no tdmrep.json"], "\(outcome)")
  }

  @Test("noindex is refused where that is asked for")
  func noIndex() throws {
    server.serve("/1.jpg", answer("X-Robots-Tag", "noimageindex"))
    server.serve("/2.jpg", answer("X-Robots-Tag", "noai"))
    let (outcome, _, kinds) = try pack("--refuse-noindex", "--ignore-robots-tag")
    #expect(outcome.exitCode == 0 && kinds.filter { $0.value == "refused" }.keys.sorted() == ["1"], "\(outcome)")
  }

  @Test("Where an image is redirected to, that owner has a say, too")
  func redirected() throws {
    let other = try TestServer()
    other.serve("/robots.txt", .text("User-Agent: *\nContent-Signal: ai-train=no"))
    other.serve("/there.jpg", TestImages.jpeg())
    server.serve("/1.jpg", .redirect(to: other.url("/there.jpg")))
    let (outcome, rows, kinds) = try pack("--purpose", "train-ai")
    #expect(outcome.exitCode == 0 && rows["1"] == "no robots.txt" && kinds["1"] == "refused", "\(outcome)")
  }

  @Test("What stands in the image's bytes counts for what is made of it, too")
  func bytes() throws {
    let jpeg = TestImages.jpeg(width: 64, height: 48)
    let xmp = Array(
      "http://ns.adobe.com/xap/1.0/\u{0}<x plus:DataMining=\"http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED\"/>".utf8)
    let segment = [0xFF, 0xE1, UInt8((xmp.count + 2) >> 8), UInt8((xmp.count + 2) & 0xFF)] + xmp
    server.serve("/1.jpg", Array(jpeg[..<2]) + segment + jpeg[2...])
    let (outcome, rows, kinds) = try pack("--resize", "16x16", "--strip")
    #expect(outcome.exitCode == 0 && rows["1"] == "no iptc" && kinds["1"] == "image", "\(outcome)")
    try program.folder.remove("work/set/00000.tar")
    #expect(try pack("--resize", "16x16", "--strip", "--purpose", "train-ai").kinds["1"] == "refused")
  }

  @Test(
    "Where an image is redirected to, or has a mirror, that owner is asked before the image is",
    arguments: ["redirect", "mirror", "same host"], ["Disallow: /there", "Content-Usage: /there train-ai=n"])
  func askedBefore(way: String, rule: String) throws {
    let other = try TestServer()
    let target = way == "same host" ? server : other
    target.serve("/robots.txt", .text("User-Agent: *\n" + rule))
    target.serve("/there.jpg", TestImages.jpeg())
    if way == "mirror" {
      server.serve("/1.jpg", .status(404))
      try program.folder.write(
        "work/list", "\(server.url("/0.jpg"))\n\(server.url("/1.jpg"))\tmirror=\(other.url("/there.jpg"))")
    } else {
      server.serve("/1.jpg", .redirect(to: target.url("/there.jpg")))
    }
    // The second run has it from the cache.
    for _ in 0..<2 {
      let (outcome, rows, kinds) = try pack("--purpose", "train-ai")
      #expect(outcome.exitCode == 0 && rows["1"] == "no robots.txt" && kinds["1"] == "refused", "\(outcome) \(rows)")
      #expect(kinds["0"] == "image" && target.count("/there.jpg") == 0 && target.count("/robots.txt") == 1)
      try program.folder.remove("work/set/00000.tar")
    }
  }

  @Test("Redirects to owners who agree are followed, over several hosts, and each is asked once")
  func followed() throws {
    let others = try (0..<2).map { _ in try TestServer() }
    others[1].serve("/there.jpg", TestImages.jpeg())
    others[0].serve("/on.jpg", .redirect(to: others[1].url("/there.jpg")))
    for at in 0..<6 { server.serve("/\(at).jpg", .redirect(to: others[0].url("/on.jpg"))) }
    let (outcome, _, kinds) = try pack("--purpose", "train-ai")
    #expect(outcome.exitCode == 0 && kinds.count == 6 && kinds.values.allSatisfy { $0 == "image" }, "\(outcome)")
    for other in others { #expect(other.count("/robots.txt") == 1 && other.count("/.well-known/tdmrep.json") == 1) }
  }

  @Test("Without a network an owner who was never asked has not agreed; one who has no such files is remembered")
  func offline() throws {
    #expect(try program.run(["prefetch", "-i", "list"]).exitCode == 0)
    let unknown = try pack("--purpose", "train-ai", "--offline")
    #expect(unknown.outcome.exitCode != 0 && program.folder.files(in: "work/set").isEmpty, "\(unknown)")
    #expect(unknown.outcome.errorText.contains("shard 00000 is not made"), "\(unknown)")
    let online = try pack("--purpose", "train-ai")
    #expect(online.outcome.exitCode == 0 && online.kinds.values.allSatisfy { $0 == "image" }, "\(online)")
    try program.folder.remove("work/set/00000.tar")
    let requests = server.requests.count
    let known = try pack("--purpose", "train-ai", "--offline")
    #expect(known.outcome.exitCode == 0 && known.rows == online.rows && known.kinds == online.kinds, "\(known)")
    #expect(server.requests.count == requests)
  }

  @Test("A robots.txt that is too large to be read is a no")
  func huge() throws {
    server.serve("/robots.txt", .text(String(repeating: "#", count: 17 << 20)))
    let (outcome, rows, kinds) = try pack("--purpose", "train-ai")
    #expect(outcome.exitCode == 0 && Set(rows.values) == ["no robots.txt"], "\(outcome)")
    #expect(Set(kinds.values) == ["refused"] && !server.requests.contains { $0.path.hasSuffix(".jpg") })
  }
}
