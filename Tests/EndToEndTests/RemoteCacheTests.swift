import Glibc
import ImgfetchCore
import TestSupport
import Testing

@Suite("A cache that machines share") struct RemoteCacheTests {
  let origin: TestServer
  let store: DAVServer
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg").with("ETag", "\"a\"")
    }
    store = try DAVServer()
    program = try Program()
    try program.folder.write("work/list.txt", (0..<20).map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
  }

  /// Runs as another machine would: with a cache folder and an output folder of its own.
  private func machine(_ name: String, _ more: [String] = []) throws -> Outcome {
    try program.run(
      [
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache",
        store.server.url("/store"),
        "--remote-cache-timeout", "60s", "--remote-cache-wait", "60s",
      ] + more
    )
  }

  private func words(_ outcome: Outcome) -> [String] {
    Set(outcome.lines.map { String($0.prefix { $0 != "\t" }) }).sorted()
  }

  @Test("The password of a netrc file opens the store for reading and for writing")
  func netrc() throws {
    let netrc = try program.folder.write("home/.netrc", "machine 127.0.0.7 login ci password geheim\n")
    chmod(netrc, 0o600)
    let url = store.server.url("/store").replacing("http://", with: "http://ci@")
    let outcome = try program.run(
      "get", "--netrc", "--remote-cache", url, "--remote-cache-wait", "60s", origin.url("/1.jpg"))
    #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome)")
    #expect(store.server.requests.map(\.method) == ["GET", "PUT"])
    #expect(store.server.requests.allSatisfy { $0["Authorization"] == "Basic Y2k6Z2VoZWlt" })
  }

  /// The address of an image that each user has an own one of, say.
  @Test(
    "What a redirect for one user leads to is not put there",
    arguments: [("Cache-Control", "private"), ("Cache-Control", "no-store"), ("Set-Cookie", "id=1")])
  func privateRedirect(name: String, value: String) throws {
    origin.on("/me") { _ in .status(302).with("Location", "/1.jpg").with(name, value) }
    origin.on("/all") { _ in .status(302).with("Location", "/1.jpg").with("Cache-Control", "max-age=60") }
    try program.folder.write("work/list.txt", origin.url("/me"))
    #expect(try machine("a").exitCode == 0)
    #expect(store.count("PUT") == 0 && store.count("GET") == 1)
    try program.folder.write("work/list.txt", origin.url("/all"))
    #expect(try machine("a").exitCode == 0)
    #expect(store.count("PUT") == 1)
  }

  @Test(
    "An entry that is too old, or to be asked about, is so at its origin, as if it had been stored here",
    arguments: [["--max-age", "0"], ["--cache", "refresh"]])
  func old(options: [String]) throws {
    _ = try machine("a")
    origin.onOther { $0["If-None-Match"] == "\"a\"" ? .status(304) : .status(500) }
    #expect(words(try machine("b", options)) == ["remote="])
    origin.onOther { _ in .status(500) }
    let stale = try machine("c", options + ["--retry", "0"])
    #expect(stale.exitCode == 0 && words(stale) == ["remote!"], "\(stale)")
  }

  @Test("Without attributes, no store says which files of the user an image may replace", .needs(.mounts))
  func replacedImages() throws {
    let (url, earlier) = (origin.url("/a.jpg"), TestImages.jpeg(width: 8, height: 8))
    origin.serve(
      "/a.jpg", inTurn: [earlier, TestImages.jpeg(width: 9, height: 8)].map { .ok($0, type: "image/jpeg") })
    try program.folder.write("work/list.txt", url)
    try program.folder.write("work/mine", earlier)
    #expect(try program.run("get", "--cache-dir", "cache-a", "-d", "out-a", url).exitCode == 0)
    #expect(try machine("a", ["--cache", "refresh"]).exitCode == 0 && store.count("PUT") == 1)
    let script = """
      mkdir out && mount -t ramfs none out && cp mine out/a.jpg || exit 99
      "$0" get --cache-dir cache-b -d out --remote-cache "$1" "$2" && cmp mine out/a.jpg && ls out | wc -l
      """
    var all = MountNamespace.command(["/bin/sh", "-c", script, Program.path, store.server.url("/store"), url])
    all.environment = program.command([]).environment
    all.folder = program.work
    let outcome = try all.run()
    #expect(outcome.lines.first?.hasPrefix("remote\t") == true && outcome.lines.last == "2", "\(outcome)")
  }

  @Test("A store that takes no image of such a size costs one warning, and is read on")
  func tooSmall() throws {
    store.answer { request, _ in .status(request.method == "PUT" ? 413 : 404) }
    let outcome = try machine("a", ["-j", "1"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").count == 1 && outcome.errorText.contains("413"), "\(outcome)")
    #expect(program.folder.files(in: "work/out-a").count == 20)
  }

  @Test("A store whose objects are no entries is left alone, also by images that wait for it already")
  func noEntries() throws {
    let gate = Gate()
    let asked = Guarded(0)
    store.answer { request, _ in
      guard request.method == "GET" else { return nil }
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      let answer = TestServer.Response.text("This is no entry.")
      return number <= 4 ? answer : answer.held(by: gate)
    }
    let run = try program.start([
      "get", "-i", "list.txt", "--remote-cache", store.server.url("/store"), "--remote-cache-timeout", "300s",
    ])
    for number in 0..<20 { try origin.waitForRequests("/\(number).jpg", 1) }
    gate.open()
    let outcome = try run.wait()
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").count == 1, "\(outcome)")
  }

  @Test("Images that are flawed, or too large for a run, do not speak against the store", arguments: [true, false])
  func flawedOrTooLarge(areFlawed: Bool) throws {
    if areFlawed {
      origin.onOther { request in
        // Only decoding shows that every pixel is there.
        let image = TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8)
        return .ok(Array(image.dropLast(2)), type: "image/jpeg").with("ETag", "\"a\"")
      }
    }
    #expect(try machine("a").exitCode == 0)
    let outcome = try machine("b", areFlawed ? [] : ["--max-pixels", "10"])
    #expect(!outcome.errorText.contains("remote cache"), "\(outcome)")
    #expect(outcome.exitCode == (areFlawed ? 0 : 5), "\(outcome)")
    if areFlawed { #expect(words(outcome) == ["remote"], "\(outcome)") }
    #expect(store.count("GET") == 40 && origin.requests.count == (areFlawed ? 20 : 40))
  }

  @Test(
    "What says who asks is neither looked for nor put there",
    arguments: [["-u", "me:secret"], ["--cookie", "a=1"], ["-H", "X-Key: 1"], ["-k"]])
  func credentials(options: [String]) throws {
    #expect(try machine("a", options).exitCode == 0)
    #expect(store.server.requests.isEmpty)
  }

  @Test("What its origin calls private is not put there", arguments: ["private", "no-store"])
  func forbidden(directive: String) throws {
    origin.onOther { _ in
      .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg").with("Cache-Control", directive)
    }
    #expect(try machine("a").exitCode == 0)
    #expect(store.count("PUT") == 0)
  }

  @Test("The modes read only and write only")
  func modes() throws {
    _ = try machine("a", ["--remote-cache-mode", "write"])
    #expect(store.count("GET") == 0 && store.names.count == 20)
    origin.onOther { _ in .ok(TestImages.png(width: 8, height: 8)) }
    try program.folder.write("work/list.txt", [0, 99].map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
    #expect(words(try machine("b", ["--remote-cache-mode", "read"])) == ["none", "remote"])
    #expect(store.count("PUT") == 20)
  }

  @Test("Rules about hosts and addresses are for origins, and not for the user's own store")
  func rules() throws {
    _ = try machine("a")
    // The store is not believed about its entries' provenance.
    origin.onOther { $0["If-None-Match"] == "\"a\"" ? .status(304) : .status(500) }
    let outcome = try machine("b", ["--allow-host", "127.0.0.1"])
    #expect(words(outcome) == ["remote="])
  }

  @Test("Entries of a newer version are passed over, and not replaced")
  func newer() throws {
    try program.folder.write("work/list.txt", origin.url("/0.jpg"))
    _ = try machine("a")
    let name = try #require(store.names.first)
    var entry = try #require(store[name])
    // The version stands before the magic number, which is the end.
    entry[entry.count - 12] = 3
    store[name] = entry
    let outcome = try machine("b")
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    let told = outcome.errorText.split(separator: "\n")
    #expect(told.count == 1 && told[0].contains("newer imgfetch"), "\(outcome)")
    #expect(store[name] == entry && store.count("PUT") == 1)
  }

  @Test("What a store says of an image's pixels, Exif and way is found out here")
  func falseWord() throws {
    let url = origin.url("/0.jpg")
    try program.folder.write("work/list.txt", url)
    _ = try machine("a")
    let name = try #require(store.names.first)
    let entry = try #require(
      CachedEntry(encoded: store[name] ?? [], key: CacheKey(url: url), stored: WallTime(nanoseconds: 0)))
    var metadata = entry.metadata
    metadata.details = ImageDetails(
      fingerprints: Self.texts("dhash", "00000000deadbeef"), exif: Self.texts("camera", "Forged"))
    metadata.provenance = Provenance(.allPublic, otherOrigins: [])
    store[name] = metadata.encoded(with: entry.body)
    let row = try JSON.object(
      try #require(try machine("b", ["--json", "--fingerprint", "dhash", "--exif"]).lines.first))
    #expect(row["cache"] as? String == "remote")
    #expect(
      "\(row)".contains("fingerprints") && !"\(row)".contains("deadbeef") && !"\(row)".contains("Forged"), "\(row)")
    // The origin is at a private address, whatever the store says.
    let refused = try machine("b", ["--deny-private"])
    #expect(refused.exitCode == 8, "\(refused)")
  }

  @Test("Where redirects led is found out here, or unknown, and no URL is asked by another's validators")
  func falseWay() throws {
    origin.on("/r.jpg") { _ in .redirect(to: "/1.jpg") }
    try program.folder.write("work/list.txt", origin.url("/r.jpg"))
    _ = try machine("a")
    let row = try JSON.object(try #require(try machine("b", ["--json"]).lines.first))
    #expect(row["cache"] as? String == "remote" && row["final_url"] as? String == origin.url("/r.jpg"), "\(row)")
    #expect(words(try machine("c", ["--max-age", "0"])) == ["none"])
    #expect(origin.requests.allSatisfy { $0["If-None-Match"] == nil })
  }

  @Test("What came from a mirror is asked about there")
  func ofMirror() throws {
    origin.on("/gone.jpg") { _ in .status(404) }
    let line = "\(origin.url("/gone.jpg"))\t\tmirror=\(origin.url("/1.jpg"))"
    try program.folder.write("work/list.txt", line)
    _ = try machine("a")
    let row = try JSON.object(try #require(try machine("b", ["--json"]).lines.first))
    #expect(row["cache"] as? String == "remote" && row["final_url"] as? String == origin.url("/1.jpg"), "\(row)")
  }

  /// Texts in the form in which an entry has them.
  private static func texts(_ texts: String...) -> ArraySlice<UInt8> {
    texts.flatMap { [UInt8($0.utf8.count), 0, 0, 0] + Array($0.utf8) }[...]
  }

  @Test("Signed URLs are not put there, nor what depends on a Referer with a query")
  func secretQueries() throws {
    let signed = ["?X-Amz-Signature=1", "?a=1&sig=xyz", "?token=t", "?TOKEN=t"].map { origin.url("/s.jpg" + $0) }
    try program.folder.write("work/list.txt", (signed + [origin.url("/p.jpg?size=2")]).joined(separator: "\n"))
    _ = try machine("a", ["-j", "1"])
    #expect(store.count("PUT") == 1)
    // A redirect leads to a signed URL.
    origin.on("/r.jpg") { _ in .redirect(to: "/s.jpg?X-Goog-Signature=1") }
    origin.on("/v.jpg") { _ in
      .ok(TestImages.jpeg(width: 9, height: 9), type: "image/jpeg").with("Vary", "Accept, Referer")
    }
    try program.folder.write("work/list.txt", origin.url("/r.jpg") + "\n" + origin.url("/v.jpg"))
    _ = try machine("b", ["--referer", "https://example.org/?secret=1"])
    #expect(store.count("PUT") == 1)
    // A query that the key leaves out would be in the entry all the same.
    try program.folder.write("work/list.txt", origin.url("/k.jpg?k=1"))
    _ = try machine("c", ["--key-ignore-param", "k"])
    #expect(store.count("PUT") == 1)
    try program.folder.write("work/list.txt", origin.url("/v.jpg"))
    _ = try machine("d", ["--referer", "https://example.org/"])
    #expect(store.count("PUT") == 2)
  }

  @Test("It may be reached over TLS and HTTP/2, as nginx with its dav module")
  func secure() throws {
    let files = try TemporaryFolder()
    let nginx = try Nginx(
      serving: files,
      directives: "location /store/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }")
    let large = TestImages.png(bytes: 600_000)
    origin.onOther { request in request.path == "/0.jpg" ? .ok(large) : .ok(TestImages.jpeg(width: 9, height: 9)) }
    for (name, word) in [("a", "none"), ("b", "remote")] {
      let outcome = try program.run([
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache",
        nginx.secureURL("/store"), "--cacert", nginx.certificate.authority, "--remote-cache-wait", "60s",
        "--remote-cache-timeout", "60s",
      ])
      #expect(outcome.exitCode == 0 && words(outcome) == [word], "\(outcome)")
    }
    #expect(program.folder.read("work/out-b/0.png") == large)
    #expect(origin.requests.count == 20)
  }

  @Test("Folders that a store does not make by itself are made, each once", arguments: [409, 404])
  func folders(status: Int) throws {
    let made = Guarded<Set<String>>(["/store"])
    store.answer { [weak store] request, object in
      let path = String(request.path.reversed().drop { $0 == "/" }.reversed())
      let parent = String(path.reversed().drop { $0 != "/" }.dropFirst().reversed())
      return made.withLock { made in
        if request.method == "GET" { return object.map { .ok($0) } ?? .status(404) }
        guard made.contains(parent) else { return .status(status) }
        if request.method == "PUT" { return store?.truth(request) }
        guard made.insert(path).inserted, request.method == "MKCOL" else { return .status(405) }
        return .status(201)
      }
    }
    let first = try machine("a")
    #expect(first.exitCode == 0 && first.errorText == "" && store.names.count == 20)
    let folders = Set(store.names.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    // Several uploads are on their way at once, and each may find that a folder is missing.
    #expect(store.count("MKCOL") >= folders.count + 2)
    #expect(words(try machine("b")) == ["remote"])
  }

  @Test("A folder that cannot be made costs one warning")
  func noFolders() throws {
    store.answer { request, _ in .status(request.method == "GET" ? 404 : 409) }
    let outcome = try machine("a")
    #expect(outcome.exitCode == 0 && outcome.errorText.split(separator: "\n").count == 1)
    #expect(outcome.errorText.contains("409 Conflict") && outcome.errorText.contains("nothing more is put there"))
  }

  @Test("A URL that is no folder of a web server is a mistake", arguments: ["ftp://a/b", "http://a/b?c=d", ""])
  func mistakes(url: String) throws {
    #expect(try program.run(["get", "--remote-cache", url, origin.url("/a.jpg")]).exitCode == 2)
  }
}
