import TestSupport
import Testing

// Every store as a cache that machines share.
extension StoreContractTests {
  /// The folder of the cache's entries. Its name must be escaped.
  static let cache = "images/a cache/\u{FC}+"

  /// Runs as another machine would: with a cache folder and an output folder of its own.
  func machine(
    _ name: String, _ store: StoreDouble, _ options: [String] = [], at url: String? = nil
  ) throws -> Outcome {
    try program.run(
      [
        "get", "-i", "list.txt", "-d", "out-\(name)", "--cache-dir", "cache-\(name)", "--remote-cache",
        url ?? store.url(Self.cache), "--remote-cache-timeout", "60s", "--remote-cache-wait", "60s",
      ] + options, environment: store.environment)
  }

  private func words(_ outcome: Outcome) -> Set<String> {
    Set(outcome.lines.map { String($0.prefix { $0 != "\t" }) })
  }

  private func warnings(_ outcome: Outcome) -> Int { outcome.errorText.split(separator: "\n").count }

  @Test("What one machine got, the next has without asking the origin, and keeps", arguments: Kind.remote)
  func shared(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let first = try machine("a", store)
    #expect(first.exitCode == 0 && words(first) == ["none"] && first.errorText.isEmpty, "\(first) \(store.refusals)")
    #expect(store.names.count == 12 && store.names.allSatisfy { $0.hasPrefix("\(Self.cache)/v1/default/") })
    let second = try machine("b", store, ["--json"])
    #expect(second.exitCode == 0 && second.errorText.isEmpty && origin.requests.count == 12, "\(second)")
    let rows = try second.lines.dropLast().map(JSON.object)
    #expect(rows.allSatisfy { $0["cache"] as? String == "remote" && $0["downloaded"] as? Int ?? 0 > 0 }, "\(second)")
    let summary = try #require(try JSON.object(second.lines[12])["summary"] as? [String: Any])
    #expect(summary["remote"] as? Int == 12 && summary["none"] as? Int == 0)
    for number in 0..<12 {
      #expect(program.folder.read("work/out-b/\(number).jpg") == Self.image("/\(number).jpg"))
    }
    let asked = store.requests.count
    #expect(words(try machine("b", store)) == ["disk"] && store.requests.count == asked)
    #expect(store.names.count == 12 && store.refusals.isEmpty)
  }

  @Test("What it has not is asked for once, and is no failure", arguments: Kind.scripted)
  func absent(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let outcome = try machine("a", store, ["--remote-cache-mode", "read"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"] && outcome.errorText.isEmpty, "\(outcome)")
    #expect(store.requests.map(\.method) == Array(repeating: "GET", count: 12) && origin.requests.count == 12)
  }

  @Test(
    "A wrong object is no entry: it costs a download and the run's warning, and is never delivered",
    arguments: Kind.ofEachProtocol, ["broken off", "cut", "flipped", "another's", "page", "empty"])
  func wrong(kind: Kind, fault: String) throws {
    let store = try StoreDouble(kind)
    try program.folder.write("work/list.txt", origin.url("/a.jpg") + "\n" + origin.url("/bb.jpg"))
    _ = try machine("a", store)
    let objects = store.names.map { store[$0] ?? [] }
    #expect(objects.count == 2)
    for (name, other) in zip(store.names, objects.reversed()) {
      let object = store[name] ?? []
      switch fault {
      case "broken off": break
      case "cut": try store.set(name, Array(object.prefix(object.count / 2)))
      case "flipped": try store.set(name, object.enumerated().map { $0 == 30 ? $1 ^ 1 : $1 })
      case "another's": try store.set(name, other)
      case "page": try store.set(name, Array("<!DOCTYPE html><title>Sign in</title>".utf8))
      default: try store.set(name, [])
      }
    }
    if fault == "broken off" { try store.answer { _, object in object.map { .ok($0).cutAfter($0.count / 2) } } }
    let outcome = try machine("b", store, ["--remote-cache-mode", "read"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    #expect(warnings(outcome) == 1 && outcome.errorText.contains("damaged"), "\(outcome)")
    for path in ["/a.jpg", "/bb.jpg"] { #expect(program.folder.read("work/out-b\(path)") == Self.image(path)) }
  }

  @Test(
    "One that refuses is left alone after one request, with one warning",
    arguments: Kind.ofEachProtocol, [301, 401, 403, 429, 500, 503])
  func refusing(kind: Kind, status: Int) throws {
    let store = try StoreDouble(kind)
    try store.answer { _, _ in .status(status).with("Location", "http://127.0.0.9/") }
    let outcome = try machine("a", store, ["-j", "1"])
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"], "\(outcome)")
    #expect(warnings(outcome) == 1 && outcome.errorText.contains("not used any more in this run"), "\(outcome)")
    #expect(store.requests.count == 1)
    #expect(program.folder.files(in: "work/out-a").count == 12)
  }

  @Test("One that does not answer is left alone after one timeout, with one warning", arguments: Kind.ofEachProtocol)
  func silent(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let gate = Gate()
    try store.answer { _, _ in .status(404).held(by: gate) }
    let outcome = try machine("a", store, ["--remote-cache-timeout", "50ms"])
    gate.open()
    #expect(outcome.exitCode == 0 && words(outcome) == ["none"] && warnings(outcome) == 1, "\(outcome)")
    #expect(program.folder.files(in: "work/out-a").count == 12)
  }

  @Test("One that cannot be written is read on, with one warning", arguments: Kind.scripted, [403, 503])
  func unwritable(kind: Kind, status: Int) throws {
    let store = try StoreDouble(kind)
    try store.answer { request, _ in request.method == "GET" ? nil : .status(status) }
    let outcome = try machine("a", store)
    #expect(outcome.exitCode == 0 && warnings(outcome) == 1, "\(outcome)")
    #expect(outcome.errorText.contains("nothing more is put there in this run"), "\(outcome)")
    #expect(store.count("GET") == 12 && store.count("PUT") <= 12 && store.names.isEmpty)
  }

  @Test("A connection that is lost while an entry is put there costs one warning", arguments: Kind.scripted)
  func lostPut(kind: Kind) throws {
    let store = try StoreDouble(kind)
    try program.folder.write("work/list.txt", origin.url("/1.jpg"))
    try store.answer { request, _ in request.method == "GET" ? nil : .nothing }
    let outcome = try machine("a", store)
    #expect(outcome.exitCode == 0 && warnings(outcome) == 1, "\(outcome)")
    // libcurl repeats a request by itself, if its connection had been used before.
    #expect(store.count("GET") == 1 && store.count("PUT") <= 2 && store.names.isEmpty)
  }
}
