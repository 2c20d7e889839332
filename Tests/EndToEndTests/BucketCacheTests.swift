import TestSupport
import Testing

@Suite("A cache that machines share, in a bucket") struct BucketCacheTests {
  let origin: TestServer
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    program = try Program()
    try program.folder.write("work/list.txt", (0..<12).map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
  }

  /// Runs as another machine would: with a cache folder and an output folder of its own.
  private func machine(
    _ name: String, _ environment: [String: String], _ more: [String] = [], store: String = "s3://images/a cache/ü+"
  ) throws -> Outcome {
    try program.run(
      [
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache", store,
        "--remote-cache-timeout", "60s", "--remote-cache-wait", "60s",
      ] + more, environment: environment)
  }

  private func words(_ outcome: Outcome) -> Set<String> {
    Set(outcome.lines.map { String($0.prefix { $0 != "\t" }) })
  }

  @Test("The keys may be a profile's")
  func profile() throws {
    let store = try S3Server()
    try program.folder.write(
      "home/.aws/credentials",
      "[work]\naws_access_key_id = \(store.account.accessKey)\naws_secret_access_key = \(store.account.secretKey)\n")
    try program.folder.write(
      "home/.aws/config",
      "[profile work]\nregion = \(store.account.region)\nendpoint_url = \(store.server.url(""))\n")
    #expect(try machine("a", ["AWS_PROFILE": "work"]).exitCode == 0)
    #expect(store.names.count == 12 && store.refusals.isEmpty)
  }

  @Test("Keys that the store does not know cost one warning and one request")
  func wrongKeys() throws {
    let store = try S3Server()
    let outcome = try machine(
      "a", store.environment.merging(["AWS_SECRET_ACCESS_KEY": "falsch"]) { $1 }, ["-j", "1"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"])
    #expect(outcome.errorText.split(separator: "\n").count == 1)
    #expect(outcome.errorText.contains("s3://images/a cache/") && outcome.errorText.contains("403"))
    #expect(store.server.requests.count == 1)
    #expect(program.folder.files(in: "work/out-a").count == 12)
  }

  @Test("Without keys a public bucket is read, and nothing is signed")
  func anonymous() throws {
    let store = try TestServer(host: "127.0.0.7")
    let outcome = try machine("a", ["AWS_ENDPOINT_URL": store.url("")], ["--remote-cache-mode", "read"])
    #expect(outcome.exitCode == 0 && store.requests.count == 12)
    #expect(store.requests.allSatisfy { $0["Authorization"] == nil })
  }

  @Test(
    "A mistake in address or account ends the run before it begins, with exit code 2",
    arguments: [
      ("s3://", [:]), ("s3://a:b@c/d", [:]), ("s3://images/", ["AWS_PROFILE": "missing"]),
      ("s3://images/", ["AWS_ENDPOINT_URL": "ftp://a"]),
    ] as [(String, [String: String])])
  func mistakes(store: String, environment: [String: String]) throws {
    #expect(try machine("a", environment, store: store).exitCode == 2)
    #expect(origin.requests.isEmpty)
  }
}
