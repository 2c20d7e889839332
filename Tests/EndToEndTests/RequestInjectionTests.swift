import Foundation
import TestSupport
import Testing

/// User names, passwords and other texts cannot begin a header field or a request, wherever they come from.
@Suite("No input can add a line to a request") struct RequestInjectionTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", image)
  }

  private func isClean(_ request: TestServer.Request) -> Bool {
    request["X-Evil"] == nil && !request.target.contains("evil")
      && String(decoding: request.head, as: UTF8.self).replacing("\r\n", with: "").utf8.allSatisfy {
        $0 >= 0x20 && $0 != 0x7F || $0 == 0x09
      }
  }

  @Test("A second request in a URL's user name, with a server that asks for Digest")
  func secondRequest() throws {
    server.serve("/a", .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\""))
    let evil = "u%22%0d%0aX:1%0d%0a%0d%0aGET%20%2fevil%20HTTP%2f1.1%0d%0aHost:x%0d%0aX-Rest:"
    let outcome = try program.run("get", "--json", "http://\(evil):p@\(server.address.authority)/a")
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(outcome.outputText.contains("\"kind\":\"refused\"") && outcome.outputText.contains("control characters"))
    #expect(server.requests.isEmpty)
  }

  @Test("Each byte in a URL's user name and password: control characters are refused, others are sent")
  func userInfo() throws {
    let (host, image) = (server.address.authority, image)
    server.onOther { request in
      request["Authorization"]?.hasPrefix("Digest") == true
        ? .ok(image, type: "image/jpeg")
        : .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
    }
    var list = ""
    for byte in UInt8.min...UInt8.max {
      let escape = "%" + String(format: "%02x", Int(byte))
      list += "http://n\(escape)X-Evil:p@\(host)/n\(byte)\nhttp://n:p\(escape)X-Evil@\(host)/p\(byte)\n"
    }
    let outcome = try program.run(["get", "--cache", "off", "-w", "{status} {error} {url}\\n", "-i", "-"], input: list)
    #expect(outcome.exitCode == 8, "\(outcome)")
    let refused = outcome.lines.filter { $0.contains("control characters") }
    #expect(refused.count == 2 * 33 && outcome.lines.count { $0.hasPrefix("200 ") } == 2 * 223, "\(outcome)")
    #expect(server.requests.allSatisfy(isClean))
  }

  /// The inputs that take a value, and the arguments that give one with a line break in it.
  private static let options: [(name: String, arguments: @Sendable (String) -> [String])] = [
    ("--user", { ["-u", "a\($0)X-Evil: 1:p"] }), ("a password", { ["--user=a:p\($0)X-Evil: 1"] }),
    ("--user-agent", { ["-A", "a\($0)X-Evil: 1"] }), ("--referer", { ["--referer", "http://a/\($0)X-Evil: 1"] }),
    ("--header", { ["-H", "X-A: b\($0)X-Evil: 1"] }), ("a header's name", { ["-H", "X-A\($0)X-Evil: 1"] }),
    ("--cookie", { ["--cookie", "a=b\($0)X-Evil: 1"] }),
    ("--proxy", { ["--proxy", "http://a:b\(escape($0))X-Evil@127.0.0.1:1"] }),
    ("--mirror", { ["--mirror", "http://a\(escape($0))X-Evil@127.0.0.1:1/"] }),
  ]

  private static func escape(_ text: String) -> String { text.utf8.map { String(format: "%%%02X", Int($0)) }.joined() }

  @Test("An option with a control character is an error", arguments: ["\n", "\r", "\r\n", "\u{1}", "\u{B}", "\u{7F}"])
  func options(control: String) throws {
    for option in Self.options {
      let outcome = try program.run(["get"] + option.arguments(control) + [server.url("/a.jpg")])
      #expect(outcome.exitCode == 2, "\(option.name): \(outcome)")
    }
    for (name, value) in [
      ("IMGFETCH_USER", "a\(control):p"), ("http_proxy", "http://a:b\(Self.escape(control))@127.0.0.1:1"),
      ("all_proxy", "http://a\(Self.escape(control))@127.0.0.1:1"), ("IMGFETCH_USER_AGENT", "a\(control)b"),
    ] {
      let outcome = try program.run(["get", server.url("/a.jpg")], environment: [name: value])
      #expect(outcome.exitCode == 2 && outcome.errorText.contains(name), "\(name): \(outcome)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test("A file with a control character in a user name, password or token is an error")
  func files() throws {
    for entry in [
      "login \"a\\r\\nX-Evil: 1\" password p", "login a password \"p\\nX-Evil: 1\"", "login a password p\u{7F}q",
    ] {
      try program.folder.write("home/.netrc", "machine 127.0.0.1 \(entry)\n")
      let outcome = try program.run("get", "--netrc", server.url("/a.jpg"))
      #expect(
        outcome.exitCode == 2 && outcome.errorText.contains(".netrc: the name or password of 127.0.0.1"), "\(outcome)")
      #expect(!outcome.errorText.contains("Evil"))
    }
    for token in ["a\u{1}b", "a\u{B}X-Evil: 1"] {
      try program.folder.write("work/token", "\(token)\n")
      #expect(try program.run("get", "--bearer-file", "token", server.url("/a.jpg")).exitCode == 2)
    }
    try program.folder.write("home/.config/imgfetch/config", "user = a\u{1}b:c\n")
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("config:1"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("A typed password with a control character is an error")
  func prompt() throws {
    var command = program.command(["get", "-u", "alice", server.url("/a.jpg")], input: .open)
    command.terminal = Command.Terminal(input: true)
    let running = try command.start()
    try running.waitForTerminal("Password of 'alice': ")
    running.write([0x61, 0x1B, 0x5B, 0x41, 0x0A])
    let outcome = try running.wait()
    #expect(outcome.exitCode == 2 && outcome.terminalText.contains("control characters"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("Each byte that a server can have sent back: in a Location, a validator, a cookie")
  func answers() throws {
    let image = image
    for byte in UInt8.min...UInt8.max {
      let text = [0x61, byte] + Array("X-Evil: 1".utf8)
      server.on("/r\(byte)") { _ in TestServer.Response.status(302).line(Array("Location: /t?".utf8) + text) }
      server.on("/e\(byte)") { _ in
        .ok(image, type: "image/jpeg").line(Array("ETag: \"".utf8) + text + [0x22]).line(
          Array("Last-Modified: ".utf8) + text
        )
        .line(Array("Set-Cookie: c\(byte)=".utf8) + text).line(Array("Set-Cookie: ".utf8) + text + Array("=1".utf8))
      }
    }
    server.serve("/t", image)
    let list = (0..<256).map { "\(server.url("/r\($0)"))\n\(server.url("/e\($0)"))\n" }.joined()
    let arguments = ["get", "-q", "--retry", "0", "--cookie-jar", "jar", "-i", "-"]
    for policy in ["refresh", "refresh", "http"] {
      _ = try program.run(arguments + ["--cache", policy], input: list)
    }
    let requests = server.requests
    #expect(requests.allSatisfy(isClean), "\(requests.first { !isClean($0) }?.head.map { String($0) } ?? [])")
    #expect(requests.contains { $0.target.hasPrefix("/t?") } && requests.contains { $0["If-None-Match"] != nil })
    #expect(requests.contains { $0["Cookie"] != nil })
  }
}
