import Glibc
import TestSupport
import Testing

/// Every way in which a file can be there already: another program's file is never replaced.
@Suite("Files that are there already") struct UsersFilesTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private static let wanted = TestImages.jpeg(width: 20, height: 10)
  private static let others = TestImages.jpeg(width: 21, height: 11)
  private static let older = TestImages.jpeg(width: 22, height: 12)

  /// The origin of the existing `cat.jpg`.
  enum Way: String, CaseIterable, Sendable {
    case own, anotherKeys, usersOwn, edited, editedInPlace, copied, restored, placeholder, folder, link, danglingLink
  }

  /// The fate of the existing file.
  enum Fate: String, Sendable {
    /// The file is unchanged, and the image is reported under its name.
    case same, kept
    /// The file has the image.
    case changed, new
    /// The file is unchanged, and the image has a name with digits.
    case beside
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let way: Way
    let hasWantedBytes: Bool
    let isCached: Bool
    let testDescription: String

    var fate: Fate {
      switch way {
      case .own: hasWantedBytes ? .same : .changed
      case .placeholder: hasWantedBytes ? .same : .new
      case .usersOwn, .copied, .restored: hasWantedBytes ? .same : .beside
      // The image has changed since, but for the first.
      case .edited, .editedInPlace: hasWantedBytes ? .same : .beside
      case .anotherKeys, .folder, .link, .danglingLink: .beside
      }
    }
  }

  static let cases = Way.allCases.flatMap { way in
    [true, false].flatMap { hasWantedBytes in
      [true, false].map { isCached in
        Case(
          way: way, hasWantedBytes: hasWantedBytes, isCached: isCached,
          testDescription:
            "\(way.rawValue), \(hasWantedBytes ? "same" : "other") bytes, \(isCached ? "" : "not ")cached")
      }
    }
  }

  private var url: String { server.url("/a/cat.jpg") }
  private var file: String { program.work + "/out/cat.jpg" }

  private func get(_ arguments: [String]) throws -> Outcome {
    try program.run(["get", "--json", "-d", "out"] + arguments)
  }

  /// Puts a file there.
  private func prepare(_ row: Case) throws {
    let bytes = row.hasWantedBytes ? Self.wanted : Self.others
    switch row.way {
    case .own: try fetch(bytes)
    case .anotherKeys:
      server.serve("/b/cat.jpg", bytes)
      #expect(try get([server.url("/b/cat.jpg")]).exitCode == 0)
    case .usersOwn: try program.folder.write("work/out/cat.jpg", bytes)
    case .edited:
      try fetch(Self.older)
      try Command.overwrite(file, with: bytes)
    case .editedInPlace:
      // Nothing but the bytes tells.
      try fetch(TestImages.jpeg(bytes: bytes.count, seed: 4))
      try edit(file, bytes)
    case .copied:
      try fetch(bytes)
      try program.folder.write("work/out/copy", bytes)
      try Command.move(program.work + "/out/copy", to: file)
    case .restored:
      try fetch(Self.older)
      try program.folder.write("work/out/copy", bytes)
      try Command.move(program.work + "/out/copy", to: file)
      try Command.setTimes(of: file, daysAgo: 1000)
    case .placeholder:
      let stand = try program.folder.write("stand.jpg", bytes)
      server.serve("/a/cat.jpg", .status(404))
      #expect(try get(["--placeholder", stand, url]).exitCode == 4)
    case .folder: try program.folder.makeFolder("work/out/cat.jpg")
    case .link, .danglingLink:
      try program.folder.makeFolder("work/out")
      if row.way == .link { try program.folder.write("work/mine.jpg", bytes) }
      try Command.replace(path: file, withLinkTo: "../mine.jpg")
    }
  }

  private func fetch(_ bytes: [UInt8]) throws {
    server.serve("/a/cat.jpg", bytes)
    #expect(try get([url]).exitCode == 0)
    #expect(Command.contents(of: file) == bytes)
  }

  @Test("What becomes of it, by way, bytes and cache", arguments: cases)
  func table(_ row: Case) throws {
    try prepare(row)
    server.serve("/a/cat.jpg", Self.wanted)
    if row.isCached {
      #expect(try program.run("prefetch", "--cache", "reload", url).exitCode == 0)
    } else {
      _ = try program.run("cache", "clear")
    }
    let before = try? Command.identity(of: file)
    let outcome = try get([url])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let line = try JSON.object(outcome.lines[0])
    let output = try #require(line["output"] as? String)
    #expect(Command.contents(of: program.work + "/" + output) == Self.wanted)
    switch row.fate {
    case .same, .kept:
      #expect(output == "out/cat.jpg" && line["written"] as? String == row.fate.rawValue, "\(line)")
      // A placeholder's mark identifies it.
      if row.way != .placeholder { #expect(try Command.identity(of: file) == before) }
      #expect(outcome.error.isEmpty, "\(outcome)")
    case .changed, .new:
      #expect(output == "out/cat.jpg" && line["written"] as? String == row.fate.rawValue, "\(line)")
      #expect(outcome.error.isEmpty, "\(outcome)")
    case .beside:
      #expect(output.hasPrefix("out/cat-") && line["written"] as? String == "new", "\(line)")
      #expect((try? Command.identity(of: file)) == before)
      if row.way != .anotherKeys {
        #expect(outcome.errorText.contains("1 image was given a name with digits (out/cat-"))
      }
    }
    // The next run finds what this one has left, and says nothing.
    let names = program.folder.files(in: "work/out")
    let again = try get([url])
    let second = try JSON.object(again.lines[0])
    #expect(again.exitCode == 0 && again.error.isEmpty, "\(again)")
    #expect(second["output"] as? String == output && second["written"] as? String == "same", "\(second)")
    #expect(program.folder.files(in: "work/out") == names)
    #expect(again.lines[1].contains(#""written":{"new":0,"changed":0,"same":1,"kept":0}"#), "\(again)")
  }

  @Test("A file that was edited stays alone as long as its image is what it was")
  func editedAlone() throws {
    try fetch(Self.wanted)
    try Command.overwrite(file, with: Self.others)
    for _ in 0..<2 {
      let outcome = try get(["--cache", "refresh", url])
      #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
      let row = try JSON.object(outcome.lines[0])
      #expect(row["written"] as? String == "kept" && row["output"] as? String == "out/cat.jpg", "\(row)")
      #expect(Command.contents(of: file) == Self.others)
      #expect(program.folder.files(in: "work/out") == ["cat.jpg"])
    }
  }

  @Test("Names from lines, templates and stems replace nothing that is not the program's either")
  func givenNames() throws {
    server.serve("/a/cat.jpg", Self.wanted)
    for (number, (arguments, line)) in [
      ([], "\tx.jpg"), ([], "\tx"), ([], "\tstem=x"), (["--name", "x.{ext}"], ""), (["--name", "x.jpg"], ""),
    ].enumerated() {
      let folder = "out\(number)"
      try program.folder.write("work/\(folder)/x.jpg", Self.others)
      for _ in 0..<2 {
        let outcome = try program.run(["get", "-d", folder, "-i", "-"] + arguments, input: url + line + "\n")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(program.folder.read("work/\(folder)/x.jpg") == Self.others)
        #expect(program.folder.files(in: "work/\(folder)").count == 2)
      }
    }
  }

  @Test("Where what has the name with digits is not the program's either, the image fails with 7")
  func bothTaken() throws {
    server.serve("/a/cat.jpg", Self.wanted)
    try program.folder.write("work/out/cat.jpg", Self.others)
    #expect(try get([url]).exitCode == 0)
    let digits = try #require(program.folder.files(in: "work/out").first { $0 != "cat.jpg" })
    try Command.overwrite(program.work + "/out/" + digits, with: Self.older)
    server.serve("/a/cat.jpg", TestImages.jpeg(width: 9, height: 9))
    let outcome = try get(["--cache", "reload", url])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("was not written by imgfetch"), "\(outcome)")
    #expect(outcome.errorText.contains("--overwrite"), "\(outcome)")
    #expect(program.folder.read("work/out/cat.jpg") == Self.others)
    #expect(program.folder.read("work/out/" + digits) == Self.older)
    #expect(try get(["--overwrite", url]).exitCode == 0)
    #expect(program.folder.read("work/out/cat.jpg") == TestImages.jpeg(width: 9, height: 9))
  }

  @Test("--output replaces what the user has named, and leaves a file alone that has the bytes")
  func named() throws {
    server.serve("/a/cat.jpg", Self.wanted)
    try program.folder.write("work/x.jpg", Self.others)
    let outcome = try program.run("get", "--json", "-o", "x.jpg", url)
    #expect(outcome.exitCode == 0 && program.folder.read("work/x.jpg") == Self.wanted, "\(outcome)")
    #expect(try JSON.object(outcome.lines[0])["written"] as? String == "changed")
    try program.folder.write("work/y.jpg", Self.wanted)
    let same = try program.run("get", "--json", "-o", "y.jpg", url)
    #expect(try JSON.object(same.lines[0])["written"] as? String == "same")
    #expect(!Command.hasAttribute("user.imgfetch.key", at: program.work + "/y.jpg"))
  }

  @Test("--adopt makes files that have the bytes the program's, so that the next version replaces them")
  func adopted() throws {
    server.serve("/a/cat.jpg", Self.wanted)
    try program.folder.write("work/out/cat.jpg", Self.wanted)
    #expect(try get([url]).exitCode == 0)
    #expect(!Command.hasAttribute("user.imgfetch.key", at: file))
    let adopted = try get(["--adopt", "--xattr", url])
    #expect(try JSON.object(adopted.lines[0])["written"] as? String == "same")
    #expect(["user.imgfetch.key", "user.mime_type"].allSatisfy { Command.hasAttribute($0, at: file) })
    server.serve("/a/cat.jpg", Self.others)
    let next = try get(["--cache", "reload", url])
    #expect(try JSON.object(next.lines[0])["written"] as? String == "changed", "\(next)")
    #expect(program.folder.files(in: "work/out") == ["cat.jpg"])
  }

  /// A file system in memory, which keeps no attributes, in a mount namespace of the test's own. The script's `turn`
  /// fetches the next version.
  private func withoutAttributes(_ script: String, versions: [[UInt8]], _ arguments: [String] = []) throws -> Outcome {
    server.serve("/a/cat.jpg", inTurn: versions.map { .ok($0, type: "image/jpeg") })
    let preamble = """
      mkdir out && mount -t ramfs none out || exit 99
      turn() { "$program" get --json --cache reload -d out \(arguments.joined(separator: " ")) "$url"; }
      """
    var all = MountNamespace.command(["/bin/sh", "-c", preamble + "\n" + script])
    all.environment = program.command([]).environment.merging(["program": Program.path, "url": url]) { $1 }
    all.folder = program.work
    return try all.run()
  }

  private func changes(_ outcome: Outcome) throws -> [String?] {
    try outcome.lines.map(JSON.object).filter { $0["summary"] == nil }.map { $0["written"] as? String }
  }

  @Test("Without attributes, a file is the program's if it has one of the last eight versions", .needs(.mounts))
  func evidence() throws {
    let versions = (0..<12).map { TestImages.jpeg(width: 8 + $0, height: 8) }
    let outcome = try withoutAttributes(
      """
      turn; cp out/cat.jpg first; turn; turn
      cp first out/cat.jpg; turn
      cp out/cat.jpg fifth; for n in 1 2 3 4 5 6 7 8; do turn; done; ls out | wc -l >&2
      """, versions: versions)
    #expect(try changes(outcome) == ["new"] + Array(repeating: "changed", count: 11), "\(outcome)")
    #expect(outcome.errorText == "1\n")
  }

  @Test("Without attributes, the user's own file is kept all the same", .needs(.mounts))
  func evidenceOfTheUsers() throws {
    try program.folder.write("work/mine", Self.older)
    let outcome = try withoutAttributes(
      """
      turn; cp mine out/cat.jpg; turn; turn; cmp mine out/cat.jpg || echo lost >&2; ls out | wc -l >&2
      """, versions: [Self.wanted, Self.others, Self.wanted])
    #expect(try changes(outcome) == ["new", "new", "changed"], "\(outcome)")
    #expect(outcome.errorText.hasSuffix("2\n") && !outcome.errorText.contains("lost"), "\(outcome)")
  }

  @Test("Without attributes and without a cache, nothing tells whose a file is", .needs(.mounts))
  func noEvidence() throws {
    let outcome = try withoutAttributes(
      "turn; cp out/cat.jpg first; turn; cmp first out/cat.jpg || echo lost >&2", versions: [Self.wanted, Self.others],
      ["--cache", "off"])
    #expect(try changes(outcome) == ["new", "new"] && !outcome.errorText.contains("lost"), "\(outcome)")
  }

  @Test("An image that changes its format removes its file under the old extension, and no other image's")
  func formats() throws {
    let png = TestImages.png(width: 5, height: 5)
    try fetch(Self.wanted)
    server.serve("/a/cat.jpg", png, type: "image/png")
    let outcome = try get(["--cache", "refresh", url])
    #expect(outcome.exitCode == 0 && program.folder.files(in: "work/out") == ["cat.png"], "\(outcome)")
    // Edited: it stays.
    try Command.overwrite(program.work + "/out/cat.png", with: Self.older)
    server.serve("/a/cat.jpg", Self.others)
    #expect(try get(["--cache", "refresh", url]).exitCode == 0)
    #expect(program.folder.files(in: "work/out") == ["cat.jpg", "cat.png"])
    #expect(program.folder.read("work/out/cat.png") == Self.older)
  }

  @Test("An image that changes within its format leaves its file to a run that makes another format of it")
  func madeFormats() throws {
    try fetch(Self.wanted)
    server.serve("/a/cat.jpg", Self.others)
    let outcome = try get(["--cache", "refresh", "--convert", "png", url])
    #expect(outcome.exitCode == 0 && program.folder.files(in: "work/out") == ["cat.jpg", "cat.png"], "\(outcome)")
    #expect(Command.contents(of: file) == Self.wanted)
  }

  @Test("An image of another format removes the file of a stored one without its line's checksum")
  func formatsByChecksum() throws {
    let png = TestImages.png(width: 5, height: 5)
    try fetch(Self.wanted)
    server.serve("/a/cat.jpg", png, type: "image/png")
    let path = try program.folder.write("image", png)
    let sum = try Command(try Command.find("sha256sum"), [path]).run().outputText.prefix(64)
    try program.folder.write("work/list", "\(url)\tsha256=\(sum)\n")
    let outcome = try get(["-i", "list"])
    #expect(outcome.exitCode == 0 && program.folder.files(in: "work/out") == ["cat.png"], "\(outcome)")
  }
}

/// Writes other bytes into the file, and sets its times back.
private func edit(_ path: String, _ bytes: [UInt8]) throws {
  var status = stat()
  guard stat(path, &status) == 0 else { throw CommandError("\(path) is not there") }
  try Command.overwrite(path, with: bytes)
  utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0)
}
