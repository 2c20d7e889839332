import TestSupport
import Testing

@testable import ImgfetchCore

/// File systems that know neither unnamed files nor flags for renaming, and some of them no links: images are written,
/// stored and found again as anywhere, and the cache has its secret.
@Suite("File systems that know less") struct FileSystemLimitTests {
  enum Way: Sendable {
    /// Each call that such a file system does not know is refused.
    case refusing(FileSystemKind)
    /// A real one.
    case bindfs

    static let refusals = FileSystemKind.limited.map { Way.refusing($0) }
  }

  @Test("Images are written, replaced, stored and found again, also under a user's name", arguments: Way.refusals)
  func wholeUse(_ way: Way) async throws { try await use(way) }

  @Test("So they are through FUSE", .needs(.fuse))
  func wholeUseOfFUSE() async throws { try await use(.bindfs) }

  private func use(_ way: Way) async throws {
    let server = try TestServer()
    let use = LimitedUse(server)
    switch way {
    case .refusing(let kind):
      await #expect(processExitsWith: .success) { [kind = kind as FileSystemKind, use = use as LimitedUse] in
        try CurlLibrary.load(.system)
        let place = try FaultedRun.place()
        try use.play(in: place.path("work")) { arguments in
          let run = try FaultedRun(arguments, in: place, on: kind)
          return LimitedUse.Answer(exitCode: run.exitCode, output: run.output, error: run.error)
        }
      }
    case .bindfs:
      let folder = try FUSEFolder()
      let program = try Program()
      try use.play(in: folder.mount) { arguments in
        let cache = ["XDG_CACHE_HOME": "\(folder.mount)/.cache"]
        let outcome = try program.run(arguments, environment: cache, in: folder.mount)
        return LimitedUse.Answer(exitCode: outcome.exitCode, output: outcome.outputText, error: outcome.errorText)
      }
    }
    for path in LimitedUse.paths { #expect(server.count(path) == 2, "\(path): stored, and once loaded anew") }
  }

  @Test("Names that differ in their case are two through FUSE, and nothing is left of the trial", .needs(.fuse))
  func caseOfNames() throws {
    let folder = try FUSEFolder()
    for path in [folder.mount, "\(folder.mount)/out/"] { #expect(!CaseFolding.isDone(in: path, mayWrite: true)) }
    let left = try FolderListing(of: Descriptor.folder(folder.mount)).count
    #expect(left == 0)
  }

  @Test("Two that want the same images at once share the downloads, and each has all", arguments: Way.refusals)
  func twoAtOnce(_ way: Way) async throws { try await useTwice(way) }

  @Test("So they do through FUSE", .needs(.fuse))
  func twoAtOnceOfFUSE() async throws { try await useTwice(.bindfs) }

  private func useTwice(_ way: Way) async throws {
    let server = try TestServer()
    let names = (0..<20).map { "\($0).jpg" }
    // Too large to be held in memory while they come, so that parts are written to.
    for name in names { server.serve("/\(name)", .ok(LimitedUse.image, type: "image/jpeg")) }
    // Where the machine is busy with other tests, the one must not take the other for stuck.
    let arguments = ["get", "--timeout", "600s"] + names.map { server.url("/\($0)") }
    switch way {
    case .refusing(let kind):
      await #expect(processExitsWith: .success) {
        [kind = kind as FileSystemKind, names = names as [String], arguments = arguments as [String]] in
        try CurlLibrary.load(.system)
        let places = try [FaultedRun.place(), FaultedRun.place()]
        let cache = ["--cache-dir", places[0].path("cache")]
        for (run, place) in zip(try FaultedRun.runAtOnce(arguments + cache, in: places, on: kind), places) {
          #expect(run.exitCode == 0, "\(run)")
          #expect(run.error == "", "\(run)")
          for name in names { #expect(place.read("work/\(name)") == LimitedUse.image) }
          #expect(place.files(in: "work").count == names.count)
        }
        #expect(!places[0].files(in: "cache").contains { $0.hasSuffix(".part") || $0.contains(".imgfetch-") })
      }
    case .bindfs:
      let folder = try FUSEFolder()
      let program = try Program()
      let cache = ["--cache-dir", "\(folder.mount)/cache"]
      let runs = try (0..<2).map { try program.start(arguments + cache + ["-d", "\(folder.mount)/out\($0)"]) }
      for (number, run) in runs.enumerated() {
        let outcome = try run.wait()
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(outcome.errorText == "", "\(outcome)")
        for name in names { #expect(Command.contents(of: "\(folder.mount)/out\(number)/\(name)") == LimitedUse.image) }
      }
    }
    for name in names {
      let asked = server.requests.filter { $0.path == "/\(name)" }
      #expect(asked.count == 1, "\(asked)")
    }
  }
}

/// A user's work with two images and a cache, and its result, which must be the same everywhere.
struct LimitedUse: Codable, Sendable {
  struct Answer {
    let exitCode: Int32?
    let output: String
    let error: String
  }

  static let paths = ["/a.jpg", "/b.jpg"]
  static let image = TestImages.jpeg(bytes: 100_000, seed: 1)
  static let newImage = TestImages.jpeg(bytes: 90_000, seed: 2)
  private let origin: String

  init(_ server: TestServer) {
    origin = "http://127.0.0.1:\(server.port)"
    for path in Self.paths {
      server.serve(path, inTurn: [.ok(Self.image, type: "image/jpeg"), .ok(Self.newImage, type: "image/jpeg")])
    }
  }

  func play(in folder: String, _ run: ([String]) throws -> Answer) throws {
    let urls = Self.paths.map { origin + $0 }
    // The identity salts the key, by the cache's secret: without that nothing would be found again.
    let get = ["get", "-u", "name:word", "--no-auto-clean"] + urls
    func check(_ arguments: [String], _ cache: String, _ image: [UInt8]) throws {
      let answer = try run(get + arguments)
      #expect(answer.exitCode == 0, "\(arguments): \(answer)")
      #expect(answer.error == "", "\(arguments)")
      let rows = answer.output.split(separator: "\n")
      #expect(rows.count == 2 && rows.allSatisfy { $0.hasPrefix("\(cache)\t") }, "\(arguments): \(answer)")
      for path in Self.paths { #expect(Command.contents(of: folder + path) == image, "\(arguments)") }
    }
    try check([], "none", Self.image)
    try check([], "disk", Self.image)
    try check(["--cache", "reload"], "none", Self.newImage)
    try check([], "disk", Self.newImage)
    let size = try run(["cache", "size"]).output.split(separator: "\t").map(String.init)
    #expect(size.count == 2 && size.last == "2\n", "\(size)")
    #expect(try run(["cache", "size", "--exact"]).output == size.joined(separator: "\t"))
    #expect(try run(["cache", "verify"]).exitCode == 0)
    #expect(try run(["cache", "clean", "--max-size", "1"]).exitCode == 0)
    #expect(try run(["cache", "size"]).output == "0\t0\n")
    let failing = try run(["get", "--retry", "0", "--failed-list", "\(folder)/again.txt", origin + "/none.jpg"])
    #expect(failing.exitCode == 4, "\(failing)")
    #expect(Command.contents(of: "\(folder)/again.txt")?.isEmpty == false)
    let litter = try Descriptor.folder(folder).names().filter { $0.hasPrefix(".imgfetch-") }
    #expect(litter == [])
  }
}
