import ImgfetchCore
import Synchronization
import TestSupport
import Testing

// Every store as a place of images, and of data sets. A folder is one, too.
extension StoreContractTests {
  @Test("Each image has the name and the bytes that a file would have", arguments: Kind.allCases)
  func asFiles(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let paths = (0..<30).map { "/a/\($0).png" } + ["/b/0.jpg", "/\u{FC} x.jpg"]
    let outcome = try get(into: store, paths, ["--json"])
    #expect(outcome.exitCode == 0 && store.refusals.isEmpty, "\(outcome) \(store.refusals)")
    #expect(try program.run(["get", "-d", "files"] + paths.map { origin.url($0) }).exitCode == 0)
    let files = program.folder.files(in: "work/files")
    #expect(files.count == 32 && store.names == files.map { "pictures/\($0)" })
    for file in files { #expect(store["pictures/\(file)"] == program.folder.read("work/files/\(file)"), "\(file)") }
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(rows.contains { $0["output"] as? String == "\(store.url("pictures"))/0.jpg" }, "\(rows[0])")
    if Kind.scripted.contains(kind) { #expect(store.type(of: "pictures/0.jpg") == "image/jpeg") }
  }

  @Test("What has the bytes already is left alone; other bytes of the image replace it", arguments: Kind.allCases)
  func again(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let paths = (0..<5).map { "/\($0).jpg" }
    #expect(try get(into: store, paths).exitCode == 0)
    let writes = store.count("PUT")
    let second = try get(into: store, paths, ["--print", "new"])
    #expect(second.exitCode == 0 && second.lines.isEmpty && second.errorText.isEmpty, "\(second)")
    // A bucket's first object may be sent in vain, under the condition that there is none.
    #expect(store.count("PUT") <= writes + (kind.isBucket ? 1 : 0))
    let newer = TestImages.jpeg(width: 50, height: 50)
    origin.serve("/0.jpg", newer)
    let changed = try get(into: store, ["/0.jpg"], ["--cache", "reload"])
    #expect(changed.exitCode == 0 && changed.errorText.isEmpty, "\(changed)")
    #expect(store["pictures/0.jpg"] == newer && store.names.count == 5)
  }

  @Test("What imgfetch did not put there is kept, and the image has a name with digits", arguments: Kind.allCases)
  func strangers(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let mine = Array("mine".utf8)
    try store.set("pictures/1.jpg", mine)
    for turn in 0..<2 {
      let outcome = try get(into: store, ["/1.jpg"])
      #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty == (turn == 1), "\(outcome)")
      #expect(store["pictures/1.jpg"] == mine && store.names.count == 2)
    }
    let given = try program.run(
      ["get", "-d", store.url("pictures"), "-i", "-"], input: origin.url("/2.jpg") + "\t1.jpg",
      environment: store.environment)
    #expect(given.exitCode == 0 && store["pictures/1.jpg"] == mine && store.names.count == 3, "\(given)")
    #expect(try get(into: store, ["/1.jpg"], ["--overwrite"]).exitCode == 0)
    #expect(store["pictures/1.jpg"] == Self.image("/1.jpg"))
  }

  @Test("--no-clobber keeps what is there", arguments: Kind.allCases)
  func keeps(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let mine = Array("mine".utf8)
    try store.set("pictures/1.jpg", mine)
    let outcome = try get(into: store, ["/1.jpg", "/2.jpg"], ["--no-clobber"])
    #expect(outcome.exitCode == 0 && store["pictures/1.jpg"] == mine, "\(outcome)")
    #expect(store["pictures/2.jpg"] == Self.image("/2.jpg"))
  }

  @Test("What it refuses fails the image, with the object's URL and what to do", arguments: Kind.scripted)
  func refused(kind: Kind) throws {
    let store = try StoreDouble(kind)
    try store.answer { request, _ in
      ["PUT", "MOVE"].contains(request.method) && StoreDouble.target(of: request) == "pictures/2.jpg"
        ? .status(507) : nil
    }
    let outcome = try get(into: store, (1...3).map { "/\($0).jpg" })
    #expect(outcome.exitCode == 4 && outcome.errorText.contains(store.url("pictures/2.jpg")), "\(outcome)")
    #expect(outcome.errorText.contains("no room"), "\(outcome)")
    #expect(store.names == ["pictures/1.jpg", "pictures/3.jpg"])
  }

  @Test("A store that is busy is asked again as often as --retry says", arguments: Kind.scripted, [0, 1])
  func retries(kind: Kind, limit: Int) throws {
    let store = try StoreDouble(kind)
    // Its folders are there.
    #expect(try get(into: store, ["/0.jpg"]).exitCode == 0)
    let before = store.count("PUT")
    try store.answer { request, _ in request.method == "PUT" ? .busy(503, retryAfter: "0") : nil }
    let busy = try get(into: store, ["/1.jpg"], ["--retry", "\(limit)"])
    #expect(busy.exitCode == 4 && busy.errorText.contains("503 Service Unavailable"), "\(busy)")
    #expect(store.count("PUT") == before + 1 + limit && store.names == ["pictures/0.jpg"])
    let refusals = Atomic<Int>(limit)
    try store.answer { request, _ in
      guard request.method == "PUT", refusals.subtract(1, ordering: .relaxed).oldValue > 0 else { return nil }
      return .busy(503, retryAfter: "0")
    }
    let later = try get(into: store, ["/1.jpg"], ["--retry", "\(limit)"])
    #expect(later.exitCode == 0 && store["pictures/1.jpg"] == Self.image("/1.jpg"), "\(later)")
    #expect(store.names.count == 2)
  }

  // MARK: Data sets

  private static let shards = ["00000.tar", "00001.tar"]

  private func pack(_ place: String, _ store: StoreDouble? = nil, _ options: [String] = []) throws -> Outcome {
    try program.run(
      ["pack", "-i", "list.txt", "--per-shard", "10", "-d", place] + options, environment: store?.environment ?? [:])
  }

  /// The shards as a folder has them.
  private func expected() throws -> [[UInt8]?] {
    #expect(try pack("expected").exitCode == 0)
    return Self.shards.map { program.folder.read("work/expected/\($0)") }
  }

  @Test("Its shards have the bytes that they have in a folder, and no other file is there", arguments: Kind.remote)
  func dataSet(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let outcome = try pack(store.url("sets/a b/\u{FC}"), store)
    #expect(outcome.exitCode == 0 && outcome.rows.map { $0[0] } == ["made", "made"], "\(outcome) \(store.refusals)")
    #expect(store.names == Self.shards.map { "sets/a b/\u{FC}/\($0)" })
    #expect(try Self.shards.map { store["sets/a b/\u{FC}/\($0)"] } == expected())
    let second = try pack(store.url("sets/a b/\u{FC}"), store)
    #expect(second.exitCode == 0 && second.rows.map { $0[0] } == ["kept", "kept"], "\(second)")
  }

  @Test("Its shards are found without a listing, and their rows are a report", arguments: Kind.allCases)
  func listed(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let none = try program.run(["report", store.url("sets/one")], environment: store.environment)
    #expect(none.exitCode == 7, "\(none)")
    #expect(try pack(store.url("sets/one"), store).exitCode == 0 && pack("expected").exitCode == 0)
    let report = try program.run(["report", "--json", store.url("sets/one")], environment: store.environment)
    #expect(report.exitCode == 0 && report.lines.first?.contains(#""rows":12,"#) == true, "\(report)")
    #expect(try report.lines == program.run(["report", "--json", "expected"]).lines)
  }

  @Test("An attempt that loses a race reports the shard that stands, and leaves nothing", arguments: Kind.scripted)
  func race(kind: Kind) throws {
    let store = try StoreDouble(kind)
    let winner = try #require(try expected()[1])
    // The other attempt is done after this one has looked for the last time.
    try store.answer { [weak store] request, _ in
      if ["PUT", "MOVE"].contains(request.method), StoreDouble.target(of: request) == "sets/one/00001.tar" {
        try? store?.set("sets/one/00001.tar", winner)
      }
      return nil
    }
    let outcome = try pack(store.url("sets/one"), store, ["--json"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let rows = try outcome.lines.map(JSON.object)
    let lost = rows.first { $0["shard"] as? String == "00001" }
    #expect(lost?["outcome"] as? String == "lost" && lost?["images"] as? Int == 2, "\(outcome)")
    #expect(store.names == Self.shards.map { "sets/one/\($0)" } && store["sets/one/00001.tar"] == winner)
  }

  @Test(
    "What may pass is tried again, wherever it happens, and ends with one whole shard of each name",
    arguments: Kind.scripted, ["busy", "cut", "lost"])
  func transient(kind: Kind, trouble: String) throws {
    let store = try StoreDouble(kind)
    // The first request of each kind for each path.
    let seen = Guarded<Set<String>>([])
    try store.answer { [weak store] request, _ in
      let name = request.path.contains("~") ? "the temporary" : request.path
      guard seen.withLock({ $0.insert("\(request.method) \(name)").inserted }) else { return nil }
      if trouble == "busy" { return .busy(request.method == "PUT" ? 429 : 503, retryAfter: "0") }
      // It is done, and its answer is lost.
      if trouble == "lost" { _ = store?.truth(request) }
      return .nothing
    }
    let outcome = try pack(store.url("sets/one"), store, ["--shard", "2/2"])
    #expect(outcome.exitCode == 0 && outcome.rows.map { $0[0] } == ["made"], "\(outcome)")
    #expect(store.names == ["sets/one/00001.tar"])
    #expect(try store["sets/one/00001.tar"] == expected()[1])
  }
}
