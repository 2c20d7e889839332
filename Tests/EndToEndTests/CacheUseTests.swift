import Glibc
import TestSupport
import Testing

/// The stored image that answers each request: keys, namespaces, tiers, memory, and the demands of a run.
@Suite("Which requests the cache answers") struct CacheUseTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", image)
  }

  private func cache(of outcome: Outcome) -> String? { outcome.rows.first?.first }

  @Test("With --key-ignore-query, signed URLs share an entry, which runs without the option do not use")
  func withoutQuery() throws {
    let signed = ["get", "--key-ignore-query", server.url("/a.jpg?sig=1")]
    #expect(cache(of: try program.run(signed)) == "none")
    #expect(cache(of: try program.run("get", "--key-ignore-query", server.url("/a.jpg?sig=2"))) == "disk")
    #expect(cache(of: try program.run("get", server.url("/a.jpg?sig=1"))) == "none")
    let removed = try program.run("cache", "remove", "--key-ignore-query", server.url("/a.jpg?sig=3"))
    #expect(removed.rows.first?.first == "1")
  }

  @Test("With --key-ignore-param, the other parameters still count")
  func withoutParameter() throws {
    func get(_ query: String) throws -> String? {
      cache(of: try program.run("get", "--key-ignore-param", "sig", server.url("/a.jpg?\(query)")))
    }
    #expect(try get("w=1&sig=1") == "none")
    #expect(try get("sig=2&w=1") == "disk")
    #expect(try get("w=2&sig=1") == "none")
  }

  @Test("Of two signed URLs of one image, the second is requested if the first was refused")
  func refusedSignature() throws {
    server.on("/signed.jpg") { [image] request in
      request.target.contains("sig=good") ? .ok(image, type: "image/jpeg") : .status(403)
    }
    let outcome = try program.run(
      "get", "-j1", "--key-ignore-query", server.url("/signed.jpg?sig=bad"), server.url("/signed.jpg?sig=good"))
    #expect(outcome.exitCode == 4)
    #expect(Set(outcome.rows.map(\.first)) == ["failed", "none"], "\(outcome)")
    #expect(program.folder.files(in: "work").count == 1)
  }

  @Test("With --cache-key, the key answers any URL")
  func ownKey() throws {
    _ = try program.run("get", "--cache-key", "poster", server.url("/a.jpg"))
    let outcome = try program.run("get", "--cache-key", "poster", server.url("/moved.jpg"))
    #expect(cache(of: outcome) == "disk", "\(outcome)")
    #expect(try program.run("cache", "path", "--cache-key", "poster", server.url("/")).exitCode == 0)
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).exitCode == 6)
  }

  @Test("A memory-only cache keeps large images too, up to a quarter of its limit")
  func largeInMemory() throws {
    let large = TestImages.jpeg(bytes: 300_000)
    server.serve("/large.jpg", large)
    for (limit, expected) in [("8M", ["none", "memory"]), ("1M", ["none", "none"])] {
      let run = try program.start(["get", "--cache", "memory", "--memory-limit", limit, "-i", "-"])
      for (number, cache) in expected.enumerated() {
        run.write("\(server.url("/large.jpg"))\t\(limit)\(number).jpg\n")
        #expect(try run.nextLine()?.hasPrefix(cache + "\t") == true)
        #expect(program.folder.read("work/\(limit)\(number).jpg") == large)
      }
      run.closeInput()
      #expect(try run.wait().exitCode == 0)
    }
  }

  @Test("Namespaces are separate")
  func namespaces() throws {
    _ = try program.run("get", "--namespace", "one", server.url("/a.jpg"))
    #expect(cache(of: try program.run("get", "--namespace", "two", server.url("/a.jpg"))) == "none")
    #expect(try program.run("cache", "clear", "--namespace", "one").rows.first?.first == "1")
    #expect(cache(of: try program.run("get", "--namespace", "two", server.url("/a.jpg"))) == "disk")
  }

  @Test("A read-only cache answers and is never written")
  func tiers() throws {
    let tier = program.folder.path("tier")
    server.serve("/b.jpg", Resource(image, etag: "\"v1\""))
    _ = try program.run("prefetch", "--cache-dir", tier, server.url("/a.jpg"), server.url("/b.jpg"))
    let files = program.folder.files(in: "tier")
    let hit = try program.run("get", "--read-only-cache", tier, server.url("/a.jpg"))
    #expect(cache(of: hit) == "disk", "\(hit)")
    // A confirmed image is copied into the writable cache, so that not every run has to ask.
    let old = try program.run("get", "--read-only-cache", tier, "--max-age", "0s", server.url("/b.jpg"))
    #expect(cache(of: old) == "disk=", "\(old)")
    let path = try program.run("cache", "path", server.url("/b.jpg"))
    #expect(path.exitCode == 0, "\(path)")
    #expect(program.folder.files(in: "tier") == files)
    #expect(try program.run("cache", "verify", "--cache-dir", tier).exitCode == 0)
    let missing = try program.run("get", "--read-only-cache", program.folder.path("none"), server.url("/a.jpg"))
    #expect(missing.exitCode == 0 && missing.errorText.contains("no cache to read"), "\(missing)")
  }

  @Test("In a read-only cache whose files have no times HTTP's own rules hold as elsewhere")
  func tierWithoutTimes() throws {
    let (tier, url) = (program.folder.path("tier"), server.url("/c.jpg"))
    server.serve("/c.jpg", .ok(image, type: "image/jpeg").with("Cache-Control", "max-age=3600"))
    _ = try program.run("prefetch", "--cache-dir", tier, url)
    let path = try #require(try program.run("cache", "path", "--cache-dir", tier, url).lines.first)
    #expect(try Command(Command.find("touch"), ["-d", "@0", path]).run().exitCode == 0)
    #expect(try ask("--read-only-cache", tier, "--cache", "http", twice: url) == ["disk", "memory"])
  }

  @Test("A damaged image in a read-only cache is fetched again")
  func damagedTier() throws {
    let tier = program.folder.path("tier")
    let large = TestImages.jpeg(bytes: 1_000_000)
    server.serve("/large.jpg", large)
    _ = try program.run("prefetch", "--cache-dir", tier, server.url("/large.jpg"))
    let path = try #require(
      try program.run("cache", "path", "--cache-dir", tier, server.url("/large.jpg")).lines.first)
    var bytes = try #require(Command.contents(of: path))
    bytes[500_000] ^= 1
    try Command.overwrite(path, with: bytes)
    let outcome = try program.run("get", "--read-only-cache", tier, server.url("/large.jpg"))
    #expect(outcome.exitCode == 0 && cache(of: outcome) == "none", "\(outcome)")
    #expect(program.folder.read("work/large.jpg") == large)
  }

  @Test("Memory answers the second of two requests in a run; without memory, the disk does")
  func memory() throws {
    let url = server.url("/a.jpg")
    let twice = try ask("--cache", "memory", twice: url)
    #expect(twice == ["none", "memory"])
    #expect(try program.run("get", "--offline", url).exitCode == 6, "nothing is kept on disk")
    #expect(try ask("--memory-limit", "0", twice: url) == ["none", "disk"])
    #expect(try ask("--cache", "memory", "--memory-limit", "0", twice: url) == ["none", "none"])
  }

  /// The cache types of two requests for one URL in a run.
  private func ask(_ arguments: String..., twice url: String) throws -> [String?] {
    let run = try program.start(["get", "-i", "-", "-w", "{cache}\\n"] + arguments)
    var answers: [String?] = []
    for _ in 0..<2 {
      run.write(url + "\n")
      answers.append(try run.nextLine())
    }
    run.closeInput()
    _ = try run.wait()
    return answers
  }

  @Test("Refresh revalidates a stored image once in a run")
  func refresh() throws {
    server.serve("/b.jpg", Resource(image, etag: "\"v1\""))
    _ = try program.run("get", server.url("/b.jpg"))
    #expect(try ask("--cache", "refresh", twice: server.url("/b.jpg")) == ["disk", "memory"])
    #expect(server.requests(for: "/b.jpg").map { $0.values(of: "If-None-Match") } == [[], ["\"v1\""]])
  }

  @Test("Refresh reports a missing image each time, and does not use the stored one")
  func refreshOfWhatIsGone() throws {
    server.serve("/b.jpg", inTurn: [.ok(image, type: "image/jpeg").with("ETag", "\"v1\""), .status(404)])
    _ = try program.run("get", server.url("/b.jpg"))
    let outcome = try program.run(
      ["get", "--cache", "refresh", "-i", "-"], input: "\(server.url("/b.jpg"))\n\(server.url("/b.jpg"))\n")
    #expect(outcome.exitCode == 4)
    #expect(outcome.rows.map(\.first) == ["failed", "failed"], "\(outcome)")
  }

  @Test("A changed image that cannot be stored is delivered with a warning")
  func noPlaceForTheChanged() throws {
    let later = TestImages.jpeg(bytes: 12_000)
    let gate = Gate()
    server.on("/changing.jpg") { request in
      request.ordinal == 1
        ? .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").with("ETag", "\"1\"")
        : .ok(later, type: "image/jpeg").with("ETag", "\"2\"").held(by: gate)
    }
    let url = server.url("/changing.jpg")
    #expect(try program.run("get", url).exitCode == 0)
    let entry = try #require(program.run("cache", "path", url).lines.first)
    let second = try program.start(["get", "--cache", "refresh", "-d", "later", url])
    try server.waitForRequests("/changing.jpg", 2)
    #expect(mkdir(entry + ".part", 0o700) == 0 && mkdir(entry + ".part/full", 0o700) == 0)
    gate.open()
    let outcome = try second.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/later/changing.jpg") == later)
    #expect(outcome.errorText.contains("the cache cannot be written"), "\(outcome)")
  }

  @Test("A cache folder that is a link to nothing costs the cache, and not the image")
  func linkToNothing() throws {
    server.serve("/d.jpg", .ok(image, type: "image/jpeg"))
    let work = program.folder.path("work")
    #expect(symlink("nowhere", work + "/link") == 0 && symlink("nowhere/below", work + "/deep") == 0)
    for name in ["link", "deep", work + "/link"] {
      let outcome = try program.run(["get", "--cache-dir", name, "-o", "d.jpg", server.url("/d.jpg")], in: work)
      #expect(outcome.exitCode == 0 && outcome.rows.map(\.first) == ["none"], "\(outcome)")
      #expect(outcome.errorText.contains("the cache cannot be written"), "\(outcome)")
    }
    #expect(program.folder.read("work/d.jpg") == image)
  }

  @Test("The demands of a run apply to stored images: limits, filters, statuses")
  func demands() throws {
    let url = server.url("/a.jpg")
    _ = try program.run("get", url)
    for demand in [
      ["--max-bytes", "10"], ["--max-pixels", "10"], ["--min-size", "100x100"], ["--only-format", "png"],
    ] {
      let outcome = try program.run(["get", "--offline"] + demand + [url])
      #expect(outcome.exitCode == 6, "\(demand): \(outcome)")
      #expect(outcome.errorText.contains(": in the cache, but "), "\(outcome)")
    }
    #expect(try program.run("get", "--offline", "--accept-status", "404", url).exitCode == 6)
    #expect(try program.run("get", "--offline", "--min-size", "20x10", "--only-format", "jpeg", url).exitCode == 0)
  }

  @Test("A strict run does not use what a lenient run stored")
  func lenient() throws {
    server.serve("/page.jpg", TestImages.html())
    #expect(try program.run("get", "--verify", "none", server.url("/page.jpg")).exitCode == 0)
    let strict = try program.run("get", server.url("/page.jpg"))
    #expect(strict.exitCode == 5, "\(strict)")
    #expect(server.count("/page.jpg") == 2)
  }

  @Test("A strict run finds out what an image is that a lenient run stored")
  func described() throws {
    server.serve("/picture", TestImages.png(width: 20, height: 10))
    let url = server.url("/picture")
    #expect(try program.run("prefetch", "--verify", "none", url).exitCode == 0)
    let outcome = try program.run("get", "--json", "-d", "out", url)
    let row = try JSON.object(try #require(outcome.lines.first))
    #expect(row["cache"] as? String == "disk" && row["format"] as? String == "png", "\(outcome)")
    #expect(row["width"] as? Int == 20 && row["height"] as? Int == 10 && row["mime"] as? String == "image/png")
    #expect(program.folder.files(in: "work/out") == ["picture.png"])
    for policy in [[], ["--offline"], ["--cache", "refresh"], ["--cache", "http"]] {
      let refused = try program.run(["get", "-d", "out", "--min-size", "100x100"] + policy + [url])
      #expect(refused.exitCode == (policy == ["--offline"] ? 6 : 5), "\(refused)")
      #expect(policy == ["--offline"] || refused.errorText.contains("smaller than 100x100"), "\(refused)")
    }
  }
}
