import Foundation
import TestSupport
import Testing

/// Credentials reach the origins they are meant for, and no others.
@Suite("Credentials") struct CredentialTests {
  private let server: TestServer
  /// Another origin.
  private let other: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    other = try TestServer(host: "127.0.0.2")
    program = try Program()
    for server in [server, other] { server.serve("/a.jpg", image) }
  }

  private func basic(_ login: String) -> String { "Basic \(Data(login.utf8).base64EncodedString())" }

  @Test("A name and password are sent as Basic at once")
  func user() throws {
    let outcome = try program.run("get", "-u", "alice:sesame", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0.values(of: "Authorization") } == [[basic("alice:sesame")]])
  }

  @Test(
    "Without the cache's secret, what depends on who asks is not stored, which is told even with -q",
    arguments: ["link", "folder"])
  func noSecret(_ obstacle: String) throws {
    let run = ["get", "-u", "alice:sesame", server.url("/a.jpg")]
    #expect(try program.run(run).exitCode == 0)
    let size = try program.run("cache", "size", "--exact").outputText
    #expect(size.hasSuffix("\t1\n"), "\(size)")
    let secret = program.home + "/.cache/imgfetch/v1/secret"
    try Command.replace(path: secret, withLinkTo: "nowhere")
    if obstacle == "folder" { #expect(unlink(secret) == 0 && mkdir(secret, 0o700) == 0) }
    for quiet in [[], ["-q"]] {
      let outcome = try program.run(run + quiet)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.errorText.contains("v1/secret: not used as the cache's secret: "), "\(outcome)")
    }
    #expect(try program.run("cache", "size", "--exact").outputText == size)
    // Images that are the same for all need none.
    #expect(try program.run("get", server.url("/a.jpg")).errorText.contains("secret") == false)
    #expect(try program.run("cache", "size", "--exact").outputText.hasSuffix("\t2\n"))
  }

  @Test("The user info of a URL is that URL's, whatever else is given", arguments: [[], ["-u", "bob:other"]])
  func userInfo(arguments: [String]) throws {
    let url = "http://al%69ce:ses%3Aame@\(server.address.authority)/a.jpg"
    let outcome = try program.run(["get", "--json"] + arguments + [url])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0.values(of: "Authorization") } == [[basic("alice:ses:ame")]])
    #expect(outcome.outputText.contains("http://***@\(server.address.authority)/a.jpg"))
  }

  @Test("User info that a row has masked is refused, and not sent")
  func maskedUserInfo() throws {
    let url = "http://***@\(server.address.authority)/a.jpg"
    for arguments in [[url], ["-i", "-"]] {
      let outcome = try program.run(["get"] + arguments, input: url)
      #expect(outcome.exitCode == 8 && outcome.errorText.contains("masked (***)"), "\(outcome)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test("Digest is sent when a 401 asks for it, and then without being asked")
  func digest() throws {
    let image = image
    let challenge = "Basic realm=\"x, Digest y\", Digest realm=\"r\", nonce=\"n0nce\", qop=\"auth\", algorithm=MD5"
    for path in ["/1.jpg", "/2.jpg"] {
      server.on(path) { request in
        guard request["Authorization"]?.hasPrefix("Digest ") == true else {
          return .status(401).with("WWW-Authenticate", challenge)
        }
        return .ok(image, type: "image/jpeg")
      }
    }
    let outcome = try program.run("get", "-j1", "-u", "alice:sesame", server.url("/1.jpg"), server.url("/2.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let sent = server.requests.map { $0["Authorization"]?.split(separator: " ").first.map(String.init) ?? "none" }
    #expect(sent.filter { $0 == "Basic" }.count == 1, "\(sent)")
    #expect(sent.first == "Basic" && sent.last == "Digest", "\(sent)")
    let field = try #require(server.requests(for: "/2.jpg").last?["Authorization"])
    #expect(field.contains("username=\"alice\"") && field.contains("uri=\"/2.jpg\""), "\(server.requests): \(field)")
    #expect(!field.contains("sesame"))
  }

  @Test("Requests sent before Digest was required are sent again")
  func digestAtOnce() throws {
    let (image, gate) = (image, Gate())
    server.onOther { request in
      if request["Authorization"]?.hasPrefix("Digest ") == true { return .ok(image, type: "image/jpeg") }
      return .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"").held(by: gate)
    }
    let urls = (1...4).map { server.url("/\($0).jpg") }
    let running = try program.start(["get", "-u", "alice:sesame"] + urls)
    try server.waitForConcurrent(4)
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test("A 401 to the sent credentials is a failure without a retry")
  func wrongPassword() throws {
    server.serve("/b.jpg", .status(401).with("WWW-Authenticate", "Basic realm=\"r\""))
    server.serve("/c.jpg", .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\""))
    for (path, limit) in [("/b.jpg", 1), ("/c.jpg", 4)] {
      let outcome = try program.run("get", "-u", "alice:wrong", server.url(path))
      #expect(outcome.exitCode == 4, "\(outcome)")
      #expect(server.count(path) <= limit)
    }
  }

  @Test("A server that asks for another Digest each time is refused soon, with its status")
  func endlessDigest() throws {
    server.on("/endless.jpg") { request in
      .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\(request.ordinal)\", stale=true")
    }
    let outcome = try program.run("get", "--json", "-u", "alice:sesame", server.url("/endless.jpg"))
    #expect(outcome.exitCode == 4 && outcome.outputText.contains("\"status\":401"), "\(outcome)")
    #expect(server.requests.count <= 6, "\(server.requests.count)")
  }

  /// Everything that belongs to the origin of the first URL.
  private func bound() throws -> [[String]] {
    let token = try program.folder.write("work/token", "t0ken\nnot this\n")
    return [
      ["-u", "alice:sesame"], ["--bearer-file", token], ["--cookie", "k=v"], ["-H", "Authorization: Custom x"],
      ["-H", "Cookie: k=v"], ["-H", "Proxy-Authorization: Basic eA=="],
    ]
  }

  private func tellsWhoAsks(_ request: TestServer.Request) -> Bool {
    ["Authorization", "Cookie", "Proxy-Authorization"].contains { request[$0] != nil }
  }

  @Test("Credentials of the first origin reach no other: not by a redirect, a mirror, or another line")
  func bounds() throws {
    server.serve("/far.jpg", .redirect(to: other.url("/a.jpg")))
    server.serve("/gone.jpg", .status(404))
    let third = try TestServer()
    third.serve("/a.jpg", image)
    server.serve("/port.jpg", .redirect(to: third.url("/a.jpg")))
    for credentials in try bound() {
      let clear = ["cache", "clear"]
      _ = try program.run(clear)
      for arguments in [
        [server.url("/far.jpg")], [server.url("/port.jpg")],
        ["--mirror", other.url("/a.jpg"), server.url("/gone.jpg")],
        [server.url("/a.jpg"), other.url("/a.jpg")],
      ] {
        let outcome = try program.run(["get", "--retry", "0"] + credentials + ["-H", "X-Mine: 1"] + arguments)
        #expect(outcome.exitCode == 0, "\(outcome)")
        if arguments.count == 2, arguments.last == other.url("/a.jpg") {
          #expect(outcome.errorText.components(separatedBy: "and to no other").count == 2, "\(outcome)")
        }
      }
    }
    #expect(server.requests.allSatisfy(tellsWhoAsks))
    #expect(!other.requests.contains(where: tellsWhoAsks) && !third.requests.contains(where: tellsWhoAsks))
    // A field given with -H is sent with each requested URL, but not after a redirect to another origin.
    #expect(server.requests.allSatisfy { $0["X-Mine"] == "1" } && third.requests.allSatisfy { $0["X-Mine"] == nil })
  }

  @Test("A mirror's own name and password are sent to it", arguments: ["age", "http"], ["/gone.jpg", "/page.jpg"])
  func ofMirror(policy: String, path: String) throws {
    server.serve("/gone.jpg", .status(404))
    server.serve("/page.jpg", Array("<html>".utf8))
    let mirror = "http://m:pass@\(other.address.authority)/a.jpg"
    let outcome = try program.run("get", "--cache", policy, "--mirror", mirror, server.url(path))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(other.requests.map { $0["Authorization"] } == ["Basic bTpwYXNz"])
    #expect(!server.requests.contains(where: tellsWhoAsks))
  }

  @Test("The first URL decides, even if its line is skipped")
  func firstLine() throws {
    let outcome = try program.run(
      "get", "--shard", "1/1", "--no-clobber", "-u", "alice:sesame", other.url("/a.jpg"), server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(!server.requests.contains(where: tellsWhoAsks) && other.requests.allSatisfy(tellsWhoAsks))
  }

  @Test("netrc gives each host its own login, and others none")
  func netrc() throws {
    try program.folder.write(
      "home/.netrc",
      "machine 127.0.0.1 login alice password one\n# no\nmachine 127.0.0.2\n\tpassword \"t wo\" login bob\n")
    let file = program.folder.path("home/.netrc")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let third = try TestServer(host: "127.0.0.3")
    third.serve("/a.jpg", image)
    server.serve("/far.jpg", .redirect(to: other.url("/a.jpg")))
    let outcome = try program.run(
      "get", "-j1", "--netrc", server.url("/a.jpg"), other.url("/a.jpg"), third.url("/a.jpg"), server.url("/far.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.allSatisfy { $0["Authorization"] == basic("alice:one") })
    #expect(other.requests.map { $0["Authorization"] } == [basic("bob:t wo"), nil] || other.requests.count == 1)
    #expect(third.requests.map { $0["Authorization"] } == [nil])
    #expect(!outcome.errorText.contains("warning"), "\(outcome)")
  }

  @Test("A netrc that others can read is used with a warning", arguments: [0o644, 0o640, 0o604])
  func openNetrc(mode: Int) throws {
    let file = try program.folder.write("home/.netrc", "machine 127.0.0.1 login alice password one\n")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    let outcome = try program.run("get", "--netrc", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText.contains("\(file): others can read the passwords in it"), "\(outcome)")
    #expect(server.requests.map { $0["Authorization"] } == [basic("alice:one")])
  }

  @Test("A quotation mark of a netrc that is not closed is told as that")
  func openQuote() throws {
    try program.folder.write("home/.netrc", "machine 127.0.0.1 login alice password \"one\nmachine b\n")
    let outcome = try program.run("get", "--netrc", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("a quotation mark that is not closed"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("A device without an end holds no cookies")
  func endlessJar() throws {
    let outcome = try program.run("get", "--cookie-jar", "/dev/full", server.url("/a.jpg"))
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("/dev/full: this device or pipe brings"), "\(outcome)")
  }

  @Test("A pipe to which nothing writes is not waited for, and one that would be read again is refused")
  func silentPipes() throws {
    try Command.makePipe(program.folder.path("home/.netrc"))
    try Command.makePipe(program.folder.path("work/pipe"))
    for (arguments, reason) in [
      (["--bearer-file", "pipe"], "no program writes to it"), (["--netrc"], "no program writes to it"),
      (["--cookie-jar", "pipe"], "cookies are written back to it"),
      (["--cacert", "pipe"], "each connection reads the certificates"),
      (["--cert", "pipe"], "each connection reads the certificate of --cert"),
    ] {
      let outcome = try program.run(["get"] + arguments + [server.url("/a.jpg")])
      #expect(outcome.exitCode == 7 && outcome.errorText.contains("pipe, and"), "\(arguments): \(outcome)")
      #expect(outcome.errorText.contains(reason), "\(arguments): \(outcome)")
    }
    #expect(server.requests.isEmpty)
    let script = #"exec "$0" get --bearer-file <(echo t0ken) "$1""#
    var shell = Command("/bin/bash", ["-c", script, Program.path, server.url("/a.jpg")])
    shell.environment = program.command([]).environment
    shell.folder = program.work
    #expect(try shell.run().exitCode == 0 && server.requests.last?["Authorization"] == "Bearer t0ken")
  }

  @Test("The token is the first line of its file; an empty one is an error")
  func bearer() throws {
    try program.folder.write("work/token", "  t0ken \r\nrest\n")
    #expect(try program.run("get", "--bearer-file", "token", server.url("/a.jpg")).exitCode == 0)
    #expect(server.requests.last?["Authorization"] == "Bearer t0ken")
    try program.folder.write("work/empty", "\n")
    #expect(try program.run("get", "--bearer-file", "empty", server.url("/a.jpg")).exitCode == 2)
    let missing = try program.run("get", "--bearer-file", "missing", server.url("/a.jpg"))
    #expect(missing.exitCode == 7 && missing.errorText.contains("missing"), "\(missing)")
    #expect(server.requests.count == 1)
  }

  @Test("Unreadable certificates are reported as a file error before any request")
  func authorities() throws {
    let missing = try program.run("get", "--cacert", "missing.pem", server.url("/a.jpg"))
    #expect(missing.exitCode == 7 && missing.errorText.contains("missing.pem: the certificates"), "\(missing)")
    #expect(server.requests.isEmpty)
  }

  @Test("Cookies of a jar go to their hosts, are updated by answers, and are saved for the owner only")
  func jar() throws {
    let jar = try program.folder.write(
      "work/jar",
      "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\told\n127.0.0.9\tFALSE\t/\tFALSE\t0\tx\ty\n")
    server.serve("/login", .redirect(to: "/a.jpg").with("Set-Cookie", "session=new; Path=/; HttpOnly"))
    server.serve("/far", .redirect(to: other.url("/a.jpg")))
    let outcome = try program.run(
      "get", "-j1", "--cookie-jar", "jar", "--cookie", "mine=1", server.url("/login"), server.url("/far"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      server.requests.map { $0.values(of: "Cookie") }
        == [["session=old; mine=1"], ["session=new; mine=1"], ["session=new; mine=1"]])
    #expect(other.requests.allSatisfy { $0["Cookie"] == nil })
    let written = try #require(Command.text(of: jar))
    #expect(written.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tnew\n"), "\(written)")
    #expect(written.contains("127.0.0.9\tFALSE\t/\tFALSE\t0\tx\ty\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: jar)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(
    "A file that holds no cookies is not written over, and the run does not begin",
    arguments: ["[\n{\"name\": \"session\"}]\n", "notes\n", "# Netscape HTTP Cookie File\nh FALSE / FALSE 0 a b\n"])
  func foreignJar(text: String) throws {
    let jar = try program.folder.write("work/jar", text)
    server.serve("/login", .redirect(to: "/a.jpg").with("Set-Cookie", "session=new; Path=/"))
    let outcome = try program.run("get", "--cookie-jar", "jar", server.url("/login"))
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("jar: this is no file of cookies"), "\(outcome)")
    #expect(server.requests.isEmpty && Command.text(of: jar) == text)
  }

  @Test("An empty jar is written to, and so is one of comments", arguments: ["", "\n \r\n", "# Netscape\n\n"])
  func emptyJar(text: String) throws {
    let jar = try program.folder.write("work/jar", text)
    server.serve("/login", .redirect(to: "/a.jpg").with("Set-Cookie", "session=new; Path=/"))
    #expect(try program.run("get", "--cookie-jar", "jar", server.url("/login")).exitCode == 0)
    #expect(Command.text(of: jar)?.contains("\tsession\tnew\n") == true)
  }

  @Test("A cookie that a host sets for its own domain goes to the hosts below it, too")
  func jarOfDomain() throws {
    let hosts = ["example.test", "img.example.test", "other.test"]
    let given = hosts.flatMap { ["--resolve", "\($0):\(server.port):127.0.0.1"] }
    server.serve(
      "/set.jpg",
      .ok(TestImages.jpeg(width: 20, height: 10)).with("Set-Cookie", "session=1; Path=/; Domain=example.test"))
    let urls = [server.url("/set.jpg", host: hosts[0])] + hosts.map { server.url("/a.jpg", host: $0) }
    let outcome = try program.run(["get", "-j1", "--cache", "off", "--cookie-jar", "jar"] + given + urls)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map { $0["Cookie"] } == [nil, "session=1", "session=1", nil])
    #expect(
      program.folder.read("work/jar").map { String(decoding: $0, as: UTF8.self) }?.contains(".example.test\tTRUE")
        == true)
  }

  @Test("An image fetched with credentials is not served to others; with the same ones it comes from disk")
  func salts() throws {
    func get(_ arguments: String...) throws -> String? {
      let outcome = try program.run(["get"] + arguments + [server.url("/a.jpg")])
      #expect(outcome.exitCode == 0, "\(outcome)")
      return outcome.rows.first?.first
    }
    let askers = [
      [], ["-u", "alice:one"], ["-u", "alice:two"], ["--cookie", "a=1"], ["-H", "X-Tenant: 7"], ["-k"],
      ["--resolve", "a.example:80:127.0.0.1"], ["-H", "Authorization: Bearer x"],
    ]
    for asker in askers {
      let outcomes = try (0..<2).map { _ in try program.run(["get"] + asker + [server.url("/a.jpg")]) }
      #expect(outcomes.map { $0.rows.first?.first } == ["none", "disk"], "\(asker): \(outcomes)")
    }
    // Fields that affect the form of the answer, and not the identity, do not count.
    for asker in [["-H", "Accept-Language: de"], ["-A", "me"], ["--referer", "http://x/"]] {
      #expect(try program.run(["get"] + asker + [server.url("/a.jpg")]).rows.first?.first == "disk", "\(asker)")
    }
    #expect(server.count("/a.jpg") == askers.count)
    #expect(try program.run("cache", "remove", server.url("/a.jpg")).exitCode == 0)
    #expect(try program.run("cache", "size", "--exact").rows.first?.last == "0")
  }

  @Test("A missing password is asked for at the terminal, without echo")
  func prompt() throws {
    var command = program.command(["get", "-u", "alice", server.url("/a.jpg")], input: .open)
    command.terminal = Command.Terminal(input: true)
    let running = try command.start()
    try running.waitForTerminal("Password of 'alice': ")
    running.write("sesamX\u{7F}e\n")
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.last?["Authorization"] == basic("alice:sesame"))
    #expect(!outcome.terminalText.contains("sesam"))
  }

  @Test("Without a terminal it is an error; Ctrl-C at the question ends the program")
  func noPrompt() throws {
    let outcome = try program.run("get", "-u", "alice", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2, "\(outcome)")
    var command = program.command(["get", "-u", "alice", server.url("/a.jpg")], input: .open)
    command.terminal = Command.Terminal(input: true)
    let running = try command.start()
    try running.waitForTerminal("Password of 'alice': ")
    running.write([3])
    #expect(try running.wait().exitCode == 130)
    #expect(server.requests.isEmpty)
  }
}
