import Foundation
import TestSupport
import Testing

/// The identity for a user's own stores: `--store-bearer-file`, `--store-cert`, `--store-key`.
@Suite("Who asks stores") struct StoreIdentityTests {
  let origin: TestServer
  let program: Program
  let web: DAVServer
  let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    origin = try TestServer()
    origin.serve("/1.jpg", image, type: "image/jpeg")
    program = try Program()
    web = try DAVServer()
    try program.folder.write("work/token", "s3cr3t-t0ken\n")
  }

  private func authorizations(_ server: TestServer) -> Set<String?> {
    Set(server.requests.map { $0["Authorization"] })
  }

  @Test("The remote cache and places get the token, and no origin of images does; no message shows it")
  func bearer() throws {
    let cached = try program.run([
      "get", "-vv", "--store-bearer-file", "token", "--remote-cache", web.server.url("/cache"), origin.url("/1.jpg"),
    ])
    #expect(cached.exitCode == 0 && web.names.count == 1, "\(cached)")
    let placed = try program.run([
      "get", "-vv", "--store-bearer-file", "token", "-d", web.server.url("/pictures"), origin.url("/1.jpg"),
    ])
    #expect(placed.exitCode == 0 && web["/pictures/1.jpg"] == image, "\(placed)")
    #expect(authorizations(web.server) == ["Bearer s3cr3t-t0ken"])
    #expect(authorizations(origin) == [nil])
    for outcome in [cached, placed] {
      #expect(!outcome.errorText.contains("s3cr3t") && !outcome.outputText.contains("s3cr3t"))
    }
  }

  @Test("A list on the store's origin is asked for with it, and an image there is not")
  func listAndImage() throws {
    web["/list.txt"] = Array(web.server.url("/other.jpg\n").utf8)
    web["/other.jpg"] = image
    let outcome = try program.run([
      "get", "--store-bearer-file", "token", "-i", web.server.url("/list.txt"), "-d", web.server.url("/pictures"),
    ])
    #expect(outcome.exitCode == 0 && web["/pictures/other.jpg"] == image, "\(outcome)")
    let images = web.server.requests.filter { $0.path == "/other.jpg" }
    #expect(images.count == 1 && images[0]["Authorization"] == nil)
    let lists = web.server.requests.filter { $0.path == "/list.txt" }
    #expect(lists.count == 1 && lists[0]["Authorization"] == "Bearer s3cr3t-t0ken")
  }

  @Test("The name and password of the store's URL come first")
  func userInfo() throws {
    let place = web.server.url("/pictures").replacing("http://", with: "http://user:pass@")
    let outcome = try program.run(["get", "--store-bearer-file", "token", "-d", place, origin.url("/1.jpg")])
    #expect(outcome.exitCode == 0 && web["/pictures/1.jpg"] == image, "\(outcome)")
    #expect(authorizations(web.server) == ["Basic dXNlcjpwYXNz"])
  }

  @Test("A store that wants a certificate of its clients gets it, from a file or from two")
  func certificate() throws {
    let files = try TemporaryFolder()
    let nginx = try Nginx(
      serving: files,
      directives: """
        ssl_verify_client optional_no_ca;
        if ($ssl_client_verify = NONE) { return 403; }
        dav_methods PUT DELETE MKCOL MOVE;
        create_full_put_path on;
        """)
    let (certificate, key) = (nginx.certificate.certificate, nginx.certificate.key)
    func get(_ name: String, _ options: [String]) throws -> Outcome {
      try program.run(
        ["get", "--cacert", nginx.certificate.authority, "-d", nginx.secureURL("/\(name)")] + options
          + [origin.url("/1.jpg")])
    }
    let without = try get("none", [])
    #expect(without.exitCode == 4 && without.errorText.contains("403"), "\(without)")
    let two = try get("two", ["--store-cert", certificate, "--store-key", key])
    #expect(two.exitCode == 0 && files.read("two/1.jpg") == image, "\(two) \(nginx.errors)")
    let both = try [certificate, key].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    try program.folder.write("work/both.pem", both)
    let one = try get("one", ["--store-cert", "both.pem"])
    #expect(one.exitCode == 0 && files.read("one/1.jpg") == image, "\(one) \(nginx.errors)")
  }

  @Test("Files that are missing are told of before anything is fetched")
  func missing() throws {
    for options in [
      ["--store-bearer-file", "no"], ["--store-cert", "no"], ["--store-cert", "token", "--store-key", "no"],
    ] {
      let outcome = try program.run(["get"] + options + ["-d", web.server.url("/p"), origin.url("/1.jpg")])
      #expect(outcome.exitCode == 7 && outcome.errorText.contains("no: "), "\(outcome)")
    }
    let key = try program.run(["get", "--store-key", "token", "-d", web.server.url("/p"), origin.url("/1.jpg")])
    #expect(key.exitCode == 2 && key.errorText.contains("--store-cert"), "\(key)")
    #expect(origin.requests.isEmpty && web.server.requests.isEmpty)
  }
}
