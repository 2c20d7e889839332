import Glibc
import TestSupport
import Testing

/// Messages that name what the user can do.
@Suite("Messages that help") struct AdviceTests {
  private let program: Program

  init() throws { program = try Program() }

  private func get(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try program.run(["get", "--cache", "off", "--retry", "0"] + arguments, environment: environment)
  }

  private func nginx(_ kind: Certificate.Kind = .good) throws -> Nginx {
    let files = try TemporaryFolder()
    try files.write("a.jpg", TestImages.jpeg(width: 20, height: 10))
    return try Nginx(serving: files, certificate: kind)
  }

  @Test("A failing proxy is named, and so is the option or variable that set it")
  func deadProxy() throws {
    let dead = try ListeningSocket(listens: false)
    let place = dead.address.authority
    for url in ["http://127.0.0.1:9/a.jpg", "https://127.0.0.1:9/a.jpg"] {
      for (options, environment, origin) in [
        (["--proxy", "http://user:s3cret@\(place)"], [:], "--proxy"),
        ([], ["http_proxy": "http://\(place)", "https_proxy": "http://\(place)"], "http_proxy"),
        ([], ["all_proxy": "socks5h://\(place)"], "all_proxy"),
      ] as [([String], [String: String], String)] {
        let outcome = try get(options + [url], environment: environment)
        #expect(outcome.exitCode == 3, "\(outcome)")
        #expect(outcome.errorText.contains("the proxy \(place) cannot be reached: connection refused"), "\(outcome)")
        #expect(outcome.errorText.contains(origin) && outcome.errorText.contains("--no-proxy"), "\(outcome)")
        #expect(!outcome.errorText.contains("s3cret"), "\(outcome)")
      }
    }
    // A dead server without a proxy is not reported as a proxy.
    let direct = try get(
      ["http://\(place)/a.jpg"], environment: ["http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"])
    #expect(direct.exitCode == 3 && !direct.errorText.contains("proxy"), "\(direct)")
  }

  @Test("An untrusted certificate: the message says what is missing and how to give it")
  func untrusted() throws {
    let stranger = try nginx()
    let missing = try get([stranger.secureURL("/a.jpg")])
    #expect(missing.exitCode == 3, "\(missing)")
    #expect(missing.errorText.contains("the certificate of the authority that signed the server's is missing"))
    #expect(missing.errorText.contains("--cacert FILE"), "\(missing)")

    let own = try nginx(.selfSigned)
    let selfSigned = try get([own.secureURL("/a.jpg")])
    #expect(selfSigned.errorText.contains("signed by itself") && selfSigned.errorText.contains("--cacert FILE"))

    let old = try nginx(.expired)
    let expired = try get(["--cacert", old.certificate.authority, old.secureURL("/a.jpg")])
    #expect(expired.exitCode == 3 && expired.errorText.contains("has expired"), "\(expired)")
    #expect(!expired.errorText.contains("--cacert"), "\(expired)")

    let empty = try program.folder.write("empty.pem", "nothing")
    let unreadable = try get(["--cacert", empty, own.secureURL("/a.jpg")])
    #expect(unreadable.exitCode == 3 && unreadable.errorText.contains(empty), "\(unreadable)")
    #expect(unreadable.errorText.contains("--cacert"), "\(unreadable)")
  }

  @Test("For a server without TLS, an http:// URL is suggested", arguments: ["https://", ""])
  func plainServer(scheme: String) throws {
    let server = try nginx()
    let place = server.url("/a.jpg").dropFirst("http://127.0.0.1".count)
    let outcome = try get(["\(scheme)localhost\(place)"])
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(outcome.errorText.contains("http://localhost\(place) asks without"), "\(outcome)")
  }

  @Test("The usual variables name the certificates to trust, as with curl")
  func usualVariables() throws {
    let server = try nginx()
    let authority = server.certificate.authority
    #expect(try get([server.secureURL("/a.jpg")], environment: ["SSL_CERT_FILE": authority]).exitCode == 0)
    let missing = program.folder.path("none.pem")
    let both = ["CURL_CA_BUNDLE": authority, "SSL_CERT_FILE": missing]
    #expect(try get([server.secureURL("/a.jpg")], environment: both).exitCode == 0)
    let folder = try program.folder.makeFolder("certificates")
    try program.folder.write("certificates/ca.pem", Command.contents(of: authority) ?? [])
    #expect(try Command(Command.find("openssl"), ["rehash", folder]).run().exitCode == 0)
    #expect(try get([server.secureURL("/a.jpg")], environment: ["SSL_CERT_DIR": folder]).exitCode == 0)
    // --cacert replaces them.
    let other = try nginx(.selfSigned)
    let outcome = try get(
      ["--cacert", other.certificate.authority, server.secureURL("/a.jpg")], environment: ["SSL_CERT_FILE": authority])
    #expect(outcome.exitCode == 3, "\(outcome)")
  }

  @Test("For a list given as a URL, -i is suggested")
  func listForURL() throws {
    let path = try program.folder.write("work/list.txt", "https://example.org/a.jpg\n")
    let outcome = try program.run(["get", path])
    #expect(outcome.exitCode != 0 && outcome.errorText.contains("-i \(path) reads URLs from it"), "\(outcome)")
  }

  @Test("Unknown fields are refused, and numbers are padded")
  func templates() throws {
    let server = try TestServer()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    for template in ["{nmae}", "{nmae:04}", "{index:4}", "{index:x}", "{name:04}"] {
      let outcome = try get(["--name", template, server.url("/a.jpg")])
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("--name"), "\(outcome)")
    }
    let outcome = try get(
      ["--name", "{index:04}-{name}.{ext}", "-w", "{width:05} {bytes} {output}\\n", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0 && outcome.outputText.hasPrefix("00020 "), "\(outcome)")
    #expect(program.folder.files(in: "work") == ["0001-a.jpg"])
    #expect(try get(["-w", "{widht:05}", server.url("/a.jpg")]).exitCode == 2)
  }

  @Test("A remote cache that is no URL is refused, and no host of that name is looked up")
  func remoteCacheWithoutScheme() throws {
    for text in ["foo", "foo/bar", "cache.invalid:8080/images", "/var/cache", "./cache"] {
      let outcome = try get(["--remote-cache", text, "http://a.invalid/a.jpg"])
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("a URL is wanted, such as https://"), "\(outcome)")
    }
  }

  @Test("Header fields of a body are refused, since a request for an image has none")
  func fieldsOfBodies() throws {
    let server = try TestServer()
    server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg") }
    for field in ["Content-Length: 5", "content-length;", "TRANSFER-ENCODING: chunked"] {
      let outcome = try get(["-H", field, server.url("/a.jpg")])
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("a request for an image has no body"), "\(outcome)")
    }
    #expect(server.requests.isEmpty)
    // Fields of browsers and of virtual hosts are sent as they are given.
    let outcome = try get([
      "-H", "Connection: close", "-H", "Host: a.test", "-H", "Content-Length:", server.url("/a.jpg"),
    ])
    #expect(outcome.exitCode == 0 && server.requests.map { $0["Host"] } == ["a.test"], "\(outcome)")
  }

  @Test("Options with another meaning elsewhere are explained")
  func otherMeanings() throws {
    let server = try TestServer()
    server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg") }
    let file = try get(["--cookie", "cookies.txt", server.url("/a.jpg")])
    #expect(file.exitCode == 2 && file.errorText.contains("--cookie-jar FILE"), "\(file)")
    let pause = try get(["-w", "2", server.url("/a.jpg")])
    #expect(pause.exitCode == 0 && pause.errorText.contains("--rate"), "\(pause)")
    let percent = try get(["-w", "%{url}", server.url("/a.jpg")])
    #expect(percent.exitCode == 0 && percent.errorText.contains("{url}, and not %{url}"), "\(percent)")
    for url in ["/{a,b}.jpg", "/[1-3].jpg"] {
      let literal = try get([server.url(url)])
      #expect(literal.errorText.contains("braces and brackets stand for themselves"), "\(literal)")
      #expect(try get(["-q", server.url(url)]).error.isEmpty)
    }
    #expect(try get([server.url("/b.jpg?id[]=1")]).error.isEmpty)
  }

  @Test(
    "Options of curl, wget and aria2 are answered with the equivalent ones",
    arguments: [
      ("-t", "--retry"), ("-c", "by itself"), ("-C", "by itself"), ("-N", "--cache refresh"), ("-nc", "--no-clobber"),
      ("--wait", "--rate"), ("--input-file", "--input"), ("--tries", "--retry"),
      ("--max-concurrent-downloads", "--jobs"), ("--parallel-max", "--jobs"), ("-U", "--user-agent"),
      ("-m", "--max-time"), ("--retries", "--retry"), ("--output-directory", "-d DIR"),
      ("--refresh", "--cache refresh"),
      ("--force", "--overwrite"), ("--dir", "-d DIR"), ("--width", "--resize"), ("--transfers", "--jobs"),
      ("--max-connection-per-server", "--per-host"), ("--filename", "--name"), ("--bwlimit", "--limit-rate"),
      ("--oauth2-bearer", "--bearer-file"), ("--ignore-existing", "--no-clobber"),
    ])
  func foreignOptions(option: String, answer: String) throws {
    let outcome = try program.run("get", option, "5", "http://127.0.0.1:9/a.jpg")
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(
      outcome.errorText.contains("there is no option \(option);") && outcome.errorText.contains(answer), "\(outcome)")
  }

  @Test("A size with a unit of other programs is answered with the one that is meant")
  func sizes() throws {
    let outcome = try program.run("get", "--max-bytes", "5MB", "http://127.0.0.1:9/a.jpg")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("did you mean 5M?"), "\(outcome)")
  }

  @Test(
    "Unknown commands are answered with the equivalent ones",
    arguments: [
      ("clean", "cache clean"), ("clear", "cache clear"), ("list", "cache list"), ("fetch", "get"), ("download", "get"),
    ])
  func foreignCommands(word: String, answer: String) throws {
    let outcome = try program.run([word])
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("did you mean \(answer)?"), "\(outcome)")
  }
}
