import TestSupport
import Testing

/// Under `--cache age` a server may be stricter than `--max-age`, but not than a `--max-age` that was given.
@Suite("The age that a server states") struct ServerAgeTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)
  private let url: String

  init() throws {
    server = try TestServer()
    program = try Program()
    url = server.url("/a.jpg")
  }

  private func serve(_ fields: [(String, String)], etag: String? = "\"v1\"") {
    server.serve("/a.jpg", Resource(image, etag: etag, headers: fields))
  }

  private func word(_ arguments: String..., environment: [String: String] = [:]) throws -> String? {
    try program.run(["get"] + arguments + [url], environment: environment).rows.first?.first
  }

  private func age(by days: Double) throws {
    let path = try #require(try program.run("cache", "path", url).lines.first)
    try Command.setTimes(of: path, daysAgo: days)
  }

  @Test(
    "What must not be kept is asked about in each run",
    arguments: ["no-cache", "no-store", "max-age=0", "No-Cache, max-age=3600", "max-age=soon"])
  func eachRun(directive: String) throws {
    serve([("Cache-Control", directive)])
    #expect(try word() == "none")
    #expect(try word() == "disk=")
    #expect(try word() == "disk=")
    #expect(server.count("/a.jpg") == 3)
  }

  @Test("What a run has had stands for a minute, so that duplicates in a list ask once")
  func withinARun() throws {
    serve([("Cache-Control", "no-store")], etag: nil)
    for options in [[], ["--max-age", "0s"]] {
      let before = server.count("/a.jpg")
      let run = try program.start(["get", "-i", "-", "-w", "{cache}\\n"] + options)
      var words: [String?] = []
      for _ in 0..<3 {
        run.write(url + "\n")
        words.append(try run.nextLine())
      }
      run.closeInput()
      _ = try run.wait()
      #expect(words == ["none", "memory", "memory"])
      #expect(server.count("/a.jpg") == before + 1)
    }
  }

  @Test(
    "A shorter lifetime counts from when the image was stored",
    arguments: [
      [("Cache-Control", "max-age=3600")],
      [("Date", "Sun, 06 Nov 1994 08:00:00 GMT"), ("Expires", "Sun, 06 Nov 1994 09:00:00 GMT")],
      [("Cache-Control", "max-age=3600, s-maxage=1"), ("Age", "3599"), ("Expires", "0")],
    ])
  func lifetime(fields: [(String, String)]) throws {
    serve(fields)
    #expect(try word() == "none")
    try age(by: 0.9 / 24)
    #expect(try word() == "disk")
    try age(by: 1.1 / 24)
    #expect(try word() == "disk=")
    #expect(try word() == "disk")
  }

  @Test("A longer lifetime changes nothing", arguments: ["max-age=31536000", "public, immutable, max-age=9999999999"])
  func longer(directive: String) throws {
    serve([("Cache-Control", directive)])
    #expect(try word() == "none")
    try age(by: 6)
    #expect(try word() == "disk")
    try age(by: 8)
    #expect(try word() == "disk=")
  }

  @Test(
    "An Expires that is no date, or past, is asked about in each run",
    arguments: ["0", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"])
  func past(expires: String) throws {
    serve([("Expires", expires)])
    #expect(try word() == "none")
    #expect(try word() == "disk=")
  }

  @Test("A --max-age that was given holds, wherever it was given")
  func given() throws {
    serve([("Cache-Control", "no-cache, no-store, max-age=0")])
    #expect(try word() == "none")
    #expect(try word("--max-age", "7d") == "disk")
    #expect(try word(environment: ["IMGFETCH_MAX_AGE": "7d"]) == "disk")
    try program.folder.write("home/.config/imgfetch/config", "max-age = 7d\n")
    #expect(try word() == "disk")
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("Offline nothing of it counts")
  func offline() throws {
    serve([("Cache-Control", "no-store")])
    #expect(try word() == "none")
    #expect(try word("--offline") == "disk")
  }

  @Test("A 304 that shortens the lifetime is believed")
  func shortened() throws {
    let image = image
    server.on("/a.jpg") { request in
      request["If-None-Match"] == nil
        ? .ok(image, type: "image/jpeg").with("ETag", "\"1\"").with("Date", "Sun, 06 Nov 1994 08:00:00 GMT")
          .with("Expires", "Mon, 07 Nov 1994 08:00:00 GMT")
        : .status(304).with("ETag", "\"1\"").with("Date", "Sun, 06 Nov 1994 08:00:00 GMT")
          .with("Expires", "Sun, 06 Nov 1994 08:00:00 GMT")
    }
    #expect(try word() == "none")
    #expect(try word() == "disk")
    #expect(try word("--cache", "refresh") == "disk=")
    #expect(try word() == "disk=")
  }

  @Test("-v names the server's word")
  func explained() throws {
    serve([("Cache-Control", "max-age=0")])
    _ = try word()
    let outcome = try program.run("get", "-v", url)
    #expect(outcome.errorText.contains("its server says max-age=0"), "\(outcome)")
  }
}
