import Synchronization
import TestSupport
import Testing

/// The contract of stores: whatever a store is, it passes these tests. The files beside this one say what it must do as
/// a cache that machines share, and as a place of images and of data sets.
@Suite("What every store must do") struct StoreContractTests {
  typealias Kind = StoreDouble.Kind

  let origin: TestServer
  let program: Program

  init() throws {
    origin = try TestServer()
    origin.onOther { .ok(Self.image($0.path), type: "image/jpeg") }
    program = try Program()
    try program.folder.write("work/list.txt", (0..<12).map { origin.url("/\($0).jpg") }.joined(separator: "\n"))
  }

  /// The origin's image at a path.
  static func image(_ path: String) -> [UInt8] { TestImages.jpeg(width: 8 + path.utf8.count, height: 8) }

  /// Puts images of the origin into a store.
  func get(into store: StoreDouble, _ paths: [String], _ options: [String] = []) throws -> Outcome {
    try program.run(
      ["get", "-d", store.url("pictures")] + options + paths.map { origin.url($0) }, environment: store.environment)
  }

  // MARK: Objects

  @Test("What was put there is got again, byte for byte, whatever its size and its name", arguments: Kind.remote)
  func putThenGet(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let large = TestImages.png(bytes: 600_000)
    origin.serve("/large.png", large, type: "image/png")
    let put = try get(into: store, ["/1.jpg", "/large.png", "/\u{FC} x.jpg"])
    #expect(put.exitCode == 0 && put.errorText.isEmpty, "\(put) \(store.refusals)")
    #expect(store["pictures/1.jpg"] == Self.image("/1.jpg") && store["pictures/large.png"] == large)
    let lines = ["1.jpg", "large.png", "\u{FC} x.jpg"].map { "\(store.url("pictures/\($0)"))\tagain-\($0)" }
    let again = try program.run(
      ["get", "--cache", "off", "-d", "out", "-i", "-"], input: lines.joined(separator: "\n"),
      environment: store.environment)
    #expect(again.exitCode == 0 && store.refusals.isEmpty, "\(again) \(store.refusals)")
    #expect(store.names.count == 3)
    for name in store.names.map({ $0.dropFirst("pictures/".count) }) {
      #expect(program.folder.read("work/out/again-\(name)") == store["pictures/\(name)"], "\(name)")
    }
  }

  @Test("What is not there is told as missing, and what is beside it is got", arguments: Kind.remote)
  func missing(kind: Kind) throws {
    let store = try StoreDouble(kind)
    try store.set("pictures/1.jpg", Self.image("/1.jpg"))
    let outcome = try program.run(
      ["get", "-d", "out", store.url("pictures/none.jpg"), store.url("pictures/1.jpg")], environment: store.environment)
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.errorText.contains("none.jpg") && outcome.errorText.contains("404 Not Found"), "\(outcome)")
    #expect(program.folder.files(in: "work/out") == ["1.jpg"])
    #expect(program.folder.read("work/out/1.jpg") == Self.image("/1.jpg"))
  }

  @Test("What is cut short is never delivered, and asked for again as often as --retry says", arguments: Kind.scripted)
  func cutShort(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let image = Self.image("/1.jpg")
    try store.set("pictures/1.jpg", image)
    let hasCut = Atomic<Bool>(false)
    func get(_ retries: Int) throws -> Outcome {
      try program.run(
        ["get", "-d", "out", "--retry", "\(retries)", store.url("pictures/1.jpg")], environment: store.environment)
    }
    try store.answer { _, object in object.map { .ok($0).cutAfter($0.count / 2) } }
    let broken = try get(0)
    #expect(broken.exitCode == 3 && program.folder.files(in: "work/out").isEmpty, "\(broken)")
    #expect(store.count("GET") == 1)
    try store.answer { _, object in
      hasCut.exchange(true, ordering: .relaxed) ? nil : object.map { .ok($0).cutAfter($0.count / 2) }
    }
    let whole = try get(1)
    #expect(whole.exitCode == 0 && program.folder.read("work/out/1.jpg") == image, "\(whole)")
    #expect(store.count("GET") == 3)
  }

  // MARK: Credentials

  @Test("Its credentials go to it only, and appear nowhere, not even where it redirects", arguments: Kind.scripted)
  func credentials(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let elsewhere = try TestServer(host: "127.0.0.8")
    var outcomes: [Outcome] = []
    /// Uses it as a cache, as a place of images, and as one of a data set.
    func useAll() throws {
      outcomes.append(try machine("\(outcomes.count)", store, ["-vv"], at: store.identifiedURL(Self.cache)))
      for arguments in [
        ["get", "-vv", "--json", "-d", store.identifiedURL("pictures"), origin.url("/1.jpg")],
        ["pack", "-vv", "--json", "--report", "report.json", "-i", "list.txt", "-d", store.identifiedURL("set")],
      ] { outcomes.append(try program.run(arguments, environment: store.environment)) }
    }
    try useAll()
    #expect(outcomes.allSatisfy { $0.exitCode == 0 && $0.errorText.contains("> Authorization: ***") }, "\(outcomes)")
    try store.answer { _, _ in .redirect(to: elsewhere.url("/x"), status: 307) }
    try useAll()
    #expect(outcomes.map { $0.exitCode == 0 } == [true, true, true, true, false, false], "\(outcomes)")
    #expect(elsewhere.requests.isEmpty)
    let kindOfLogin = kind.isBucket ? "AWS4-HMAC-SHA256 " : "Basic "
    #expect(store.requests.allSatisfy { $0["Authorization"]?.hasPrefix(kindOfLogin) == true })
    #expect(origin.requests.allSatisfy { $0["Authorization"] == nil && $0["x-amz-security-token"] == nil })
    for secret in store.secrets {
      #expect(outcomes.allSatisfy { !$0.errorText.contains(secret) && !$0.outputText.contains(secret) }, "\(secret)")
      #expect(store.requests.allSatisfy { !$0.target.contains(secret) && $0["Destination"]?.contains(secret) != true })
    }
  }
}
