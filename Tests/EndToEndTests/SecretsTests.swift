import Foundation
import TestSupport
import Testing

/// Nothing that is printed or stored contains a password.
@Suite("Secrets stay secret") struct SecretsTests {
  /// Each secret, and its forms on the wire.
  private static let secrets = [
    "pa55word", "t0p-token", "c00kie", "x-t0ken", "ur1-pass", "m1rror-pass", "l0cation-pass", "s3t-cookie",
  ]
  private static let encoded = ["alice:pa55word", "carol:ur1-pass", "m:m1rror-pass", "netty:n3trc-pass"].map {
    Data($0.utf8).base64EncodedString()
  }

  @Test("No output, entry, log or error contains a secret", arguments: ["age", "http", "off", "reload"])
  func everywhere(policy: String) throws {
    let server = try TestServer()
    let other = try TestServer(host: "127.0.0.2")
    let program = try Program()
    let image = TestImages.jpeg(bytes: 400_000)
    let vary = ("Vary", "Authorization, Cookie, X-Token")
    let resource = Resource(
      image, etag: "\"1\"", headers: [vary, ("Cache-Control", "max-age=100"), ("Set-Cookie", "s=s3t-cookie")])
    for server in [server, other] {
      server.serve("/a.jpg", resource)
      server.serve("/401.jpg", .status(401).with("WWW-Authenticate", "Basic realm=\"r\""))
      server.serve("/500.jpg", .status(500))
      server.on("/cut.jpg") { resource.answer($0).cutAfter(300_000) }
      server.serve("/page.jpg", TestImages.html())
      server.serve("/r.jpg", .redirect(to: "http://x:l0cation-pass@\(other.address.authority)/a.jpg"))
      server.serve("/bad.jpg", .redirect(to: "ftp://x:l0cation-pass@example.org/"))
    }
    let token = try program.folder.write("secrets/token", "t0p-token\n")
    try program.folder.write("home/.netrc", "machine 127.0.0.2 login netty password n3trc-pass\n")
    let jar = try program.folder.write("secrets/jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\tj\tc00kie-jar\n")
    let paths = ["/a.jpg", "/401.jpg", "/500.jpg", "/cut.jpg", "/page.jpg", "/r.jpg", "/bad.jpg"]
    let urls =
      paths.map { server.url($0) } + [other.url("/a.jpg"), "http://carol:ur1-pass@127.0.0.2:1/x.jpg"]
      + paths.map { "http://carol:ur1-pass@\(server.address.authority)\($0)?2" }
      + ["http://carol:ur1-pass@/", "http://carol:ur1-pass@host:port/", "ftp://carol:ur1-pass@example.org/"]
    let forms = [
      ["-vv"], ["--json", "--json-headers"], ["-vv", "-w", "{url} {final_url} {key} {error} {output}\\n"], ["-q"],
    ]
    let identities = [
      ["-u", "alice:pa55word", "--cookie", "k=c00kie", "-H", "X-Token: x-t0ken", "--netrc", "--cookie-jar", jar],
      ["--bearer-file", token, "-H", "Cookie: k=c00kie"], ["-H", "Authorization: Bearer t0p-token"],
      ["--mirror", "http://m:m1rror-pass@\(other.address.authority)/500.jpg"],
    ]
    var said: [UInt8] = []
    for form in forms {
      for identity in identities {
        let asked = identity.first == "--mirror" ? [urls[2]] : urls
        let outcome = try program.run(
          ["get", "--cache", policy, "--retry", "1", "--failed-list", "failed"] + form + identity + asked)
        #expect(outcome.exitCode != 2, "\(outcome)")
        said += outcome.output + outcome.error
      }
    }
    let help = try program.run(["get", "-u", "alice:pa55word", "--help"])
    said += help.output + help.error
    let list = try program.run(["cache", "list", "--json"])
    said += list.output + list.error
    // The failed list is the only place that repeats the typed text; it is readable by the user only.
    let failures = program.folder.path("work/failed")
    #expect(try FileManager.default.attributesOfItem(atPath: failures)[.posixPermissions] as? Int == 0o600)
    for secret in Self.secrets.dropLast() + Self.encoded + ["n3trc-pass"] {
      let isSaid = said.contains(secret)
      #expect(!isSaid, "\(secret) was said")
      for folder in ["home/.cache", "work"] {
        for name in program.folder.files(in: folder) where name != "failed" {
          #expect(!name.contains(secret))
          let isThere = (program.folder.read("\(folder)/\(name)") ?? []).contains(secret)
          #expect(!isThere, "\(secret) is in \(name)")
        }
      }
    }
    // A cookie that an answer sets is shown only with the answer's fields.
    let plain = try program.run(["get", "-vv", "--cache", policy, server.url("/a.jpg")])
    let isShown = (plain.output + plain.error).contains("s3t-cookie")
    #expect(!isShown)
  }

  @Test("A URL in the place of a name keeps its password")
  func name() throws {
    let program = try Program()
    let outcome = try program.run(["get", "-i", "-"], input: "http://h.test/a.jpg\thttp://u:secret@h.test/\n")
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("the name 'http://***@h.test/' is a URL"), "\(outcome)")
    #expect(!(outcome.output + outcome.error).contains("u:secret"))
  }

  @Test(
    "A line that is no URL shows no user info of the URLs in it",
    arguments: [
      "see http://u:s3cret@h.test/a.png now", "<img src=\"http://u:s3cret@h.test/a.png\">",
      "a,http://u:s3cret@h.test/,b",
      "![x](http://u:s3cret@h.test/a.png)", "<http://u:s3cret@h .test/>", "[\"http://u:s3cret@h.test\"]",
    ])
  func line(_ line: String) throws {
    let program = try Program()
    for arguments in [["-i", "-"], [line]] {
      for form in [[], ["--json"]] {
        let outcome = try program.run(["get"] + form + arguments, input: line + "\n")
        #expect(outcome.exitCode == 8, "\(outcome)")
        let isSaid = (outcome.output + outcome.error).contains("s3cret")
        #expect(!isSaid, "\(outcome)")
      }
    }
  }

  @Test("help options shows what is set, but no secrets")
  func helpOptions() throws {
    let outcome = try Program().run(
      ["help", "options"], environment: ["IMGFETCH_USER": "alice:pa55word", "IMGFETCH_COOKIE": "k=c00kie"])
    #expect(outcome.outputText.contains("alice:***"), "\(outcome)")
    #expect(!outcome.output.contains("pa55word") && !outcome.output.contains("c00kie"))
  }
}

extension [UInt8] {
  /// True if `bytes` contain the bytes of `text`.
  fileprivate func contains(_ text: String) -> Bool {
    Data(self).range(of: Data(text.utf8)) != nil
  }
}
