import Glibc
import ImgfetchCore
import Synchronization
import TestSupport
import Testing

/// A store that keeps its objects, and can be told to lie.
private final class Store: Sendable {
  let server: TestServer
  private let objects = Mutex<[String: [UInt8]]>([:])
  private let lie = Mutex<(@Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response)?>(nil)

  init() throws {
    server = try TestServer(host: "127.0.0.7")
    server.onOther { [self] request in
      let object = objects.withLock { $0[request.path] }
      if let lie = lie.withLock({ $0 }) { return lie(request, object) }
      if request.method == "PUT" { return keeps(request) }
      return object.map { .ok($0) } ?? .status(404)
    }
  }

  /// The answer of a correct store to a PUT.
  var keeps: @Sendable (TestServer.Request) -> TestServer.Response {
    { [self] request in
      objects.withLock { $0[request.path] = request.body }
      return .status(201)
    }
  }

  var url: String { server.url("/store") }
  var names: [String] { objects.withLock { $0.keys.sorted() } }
  func answer(_ lie: @escaping @Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response) {
    self.lie.withLock { $0 = lie }
  }
  func change(_ body: ([UInt8]) -> [UInt8]) {
    objects.withLock { all in for name in all.keys { all[name] = body(all[name] ?? []) } }
  }
  func count(_ method: String) -> Int { server.requests.count { $0.method == method } }
}

@Suite("A cache that machines share") struct RemoteCacheTests {
  let origin: TestServer
  private let store: Store
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg").with("ETag", "\"a\"")
    }
    store = try Store()
    program = try Program()
    try program.folder.write("work/list.txt", (0..<20).map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
  }

  /// Runs as another machine would: with a cache folder and an output folder of its own.
  private func machine(_ name: String, _ more: [String] = []) throws -> Outcome {
    try program.run(
      [
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache", store.url,
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
    let url = store.url.replacing("http://", with: "http://ci@")
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

  @Test("What one machine got, the next has without asking the origin, and keeps")
  func shared() throws {
    #expect(words(try machine("a")) == ["none"])
    #expect(store.names.count == 20)
    #expect(store.names.allSatisfy { $0.hasPrefix("/store/v1/default/") })
    let requests = origin.requests.count
    let second = try machine("b", ["--json"])
    #expect(second.exitCode == 0 && origin.requests.count == requests)
    let rows = try second.lines.dropLast().map(JSON.object)
    #expect(rows.allSatisfy { $0["cache"] as? String == "remote" && $0["downloaded"] as? Int ?? 0 > 0 })
    let summary = try #require(try JSON.object(second.lines[20])["summary"] as? [String: Any])
    #expect(summary["remote"] as? Int == 20 && summary["none"] as? Int == 0)
    for number in 0..<20 {
      #expect(program.folder.read("work/out-b/\(number).jpg") == program.folder.read("work/out-a/\(number).jpg"))
    }
    #expect(store.count("PUT") == 20)
    let asked = store.server.requests.count
    #expect(words(try machine("b")) == ["disk"])
    #expect(store.server.requests.count == asked)
  }

  @Test("An entry that is too old is asked about at its origin, as if it had been stored here")
  func old() throws {
    _ = try machine("a")
    origin.onOther { $0["If-None-Match"] == "\"a\"" ? .status(304) : .status(500) }
    #expect(words(try machine("b", ["--max-age", "0"])) == ["remote="])
  }

  @Test(
    "A wrong object costs a download and the run's warning, and is never delivered",
    arguments: ["cut", "flipped", "another's", "page", "empty"])
  func wrong(kind: String) throws {
    try program.folder.write("work/list.txt", origin.url("/a.jpg") + "\n" + origin.url("/bb.jpg"))
    _ = try machine("a")
    let others = store.names.reversed().map { name in store.server.requests.last { $0.path == name }?.body ?? [] }
    switch kind {
    case "cut": store.change { Array($0.prefix($0.count / 2)) }
    case "flipped": store.change { object in object.enumerated().map { $0 == 30 ? $1 ^ 1 : $1 } }
    case "another's":
      store.answer { [names = store.names] request, _ in .ok(others[names.firstIndex(of: request.path) ?? 0]) }
    case "page": store.answer { _, _ in .ok(Array("<!DOCTYPE html><title>Sign in</title>".utf8), type: "text/html") }
    default: store.change { _ in [] }
    }
    let outcome = try machine("b", ["--remote-cache-mode", "read"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"])
    #expect(outcome.errorText.split(separator: "\n").count == 1 && outcome.errorText.contains("damaged"), "\(outcome)")
    for name in ["a", "bb"] {
      #expect(program.folder.read("work/out-b/\(name).jpg") == program.folder.read("work/out-a/\(name).jpg"))
    }
  }

  @Test("A store that refuses is left alone, with one warning", arguments: [301, 401, 403, 429, 500, 503])
  func refusing(status: Int) throws {
    store.answer { _, _ in .status(status).with("Location", "http://127.0.0.9/") }
    let outcome = try machine("a", ["-j", "1"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"])
    #expect(outcome.errorText.split(separator: "\n").count == 1)
    #expect(outcome.errorText.contains("not used any more in this run"))
    #expect(store.server.requests.count == 1)
    #expect(program.folder.files(in: "work/out-a").count == 20)
  }

  @Test("A store that takes no image of such a size costs one warning, and is read on")
  func tooSmall() throws {
    store.answer { request, _ in .status(request.method == "PUT" ? 413 : 404) }
    let outcome = try machine("a", ["-j", "1"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").count == 1 && outcome.errorText.contains("413"), "\(outcome)")
    #expect(program.folder.files(in: "work/out-a").count == 20)
  }

  @Test("A store that does not answer is left alone after one timeout, with one warning")
  func silent() throws {
    let gate = Gate()
    store.answer { _, _ in .status(404).held(by: gate) }
    let outcome = try machine("a", ["--remote-cache-timeout", "50ms"])
    gate.open()
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"])
    #expect(outcome.errorText.split(separator: "\n").count == 1)
    #expect(program.folder.files(in: "work/out-a").count == 20)
  }

  @Test("A store that cannot be written is read on")
  func readOnly() throws {
    store.answer { request, _ in .status(request.method == "PUT" ? 403 : 404) }
    let outcome = try machine("a")
    #expect(outcome.exitCode == 0)
    #expect(outcome.errorText.split(separator: "\n").count == 1)
    #expect(outcome.errorText.contains("nothing more is put there in this run"))
    #expect(store.count("GET") == 20)
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

  @Test("Its credentials go to it, and appear nowhere else")
  func secrets() throws {
    let url = store.url.replacing("http://", with: "http://user:geheim@")
    let outcome = try program.run(
      ["get", "-vv", "-i", "list.txt", "-d", "out", "--cache-dir", "cache", "--remote-cache", url])
    #expect(outcome.exitCode == 0)
    #expect(store.server.requests.allSatisfy { $0["Authorization"] == "Basic dXNlcjpnZWhlaW0=" })
    #expect(origin.requests.allSatisfy { $0["Authorization"] == nil })
    #expect(!outcome.errorText.contains("geheim") && !outcome.outputText.contains("geheim"))
  }

  @Test("Rules about hosts and addresses are for origins, and not for the user's own store")
  func rules() throws {
    _ = try machine("a")
    // The store is not believed about its entries' provenance.
    origin.onOther { $0["If-None-Match"] == "\"a\"" ? .status(304) : .status(500) }
    let outcome = try machine("b", ["--allow-host", "127.0.0.1"])
    #expect(words(outcome) == ["remote="])
  }

  @Test("What a store says of an image's pixels, Exif and way is found out here")
  func falseWord() throws {
    let url = origin.url("/0.jpg")
    try program.folder.write("work/list.txt", url)
    _ = try machine("a")
    store.change { object in
      let key = CacheKey(url: url)
      guard let entry = CachedEntry(encoded: object, key: key, stored: WallTime(nanoseconds: 0)) else { return [] }
      var metadata = entry.metadata
      metadata.details = ImageDetails(
        fingerprints: Self.texts("dhash", "00000000deadbeef"), exif: Self.texts("camera", "Forged"))
      metadata.provenance = Provenance(.allPublic, otherOrigins: [])
      return metadata.encoded(with: entry.body) ?? []
    }
    let row = try JSON.object(
      try #require(try machine("b", ["--json", "--fingerprint", "dhash", "--exif"]).lines.first))
    #expect(row["cache"] as? String == "remote")
    #expect(
      "\(row)".contains("fingerprints") && !"\(row)".contains("deadbeef") && !"\(row)".contains("Forged"), "\(row)")
    // The origin is at a private address, whatever the store says.
    let refused = try machine("b", ["--deny-private"])
    #expect(refused.exitCode == 8, "\(refused)")
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

  @Test("nginx with its dav module is a store", arguments: [false, true])
  func nginx(isSecure: Bool) throws {
    let files = try TemporaryFolder()
    let nginx = try Nginx(
      serving: files,
      directives: "location /store/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }")
    let large = TestImages.png(bytes: 600_000)
    origin.onOther { request in request.path == "/0.jpg" ? .ok(large) : .ok(TestImages.jpeg(width: 9, height: 9)) }
    let store = isSecure ? "https://\(nginx.secureAddress.authority)/store" : nginx.url("/store")
    for (name, word) in [("a", "none"), ("b", "remote")] {
      let outcome = try program.run([
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache", store,
        "--cacert", nginx.certificate.authority, "--remote-cache-wait", "60s", "--remote-cache-timeout", "60s",
      ])
      #expect(outcome.exitCode == 0 && words(outcome) == [word], "\(outcome)")
    }
    #expect(program.folder.read("work/out-b/0.png") == large)
    #expect(origin.requests.count == 20)
  }

  @Test("Folders that a store does not make by itself are made, each once", arguments: [409, 404])
  func folders(status: Int) throws {
    let made = Mutex<Set<String>>(["/store"])
    let origin = store.keeps
    store.answer { request, object in
      let path = String(request.path.reversed().drop { $0 == "/" }.reversed())
      let parent = String(path.reversed().drop { $0 != "/" }.dropFirst().reversed())
      return made.withLock { made in
        if request.method == "GET" { return object.map { .ok($0) } ?? .status(404) }
        guard made.contains(parent) else { return .status(status) }
        if request.method == "PUT" { return origin(request) }
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
