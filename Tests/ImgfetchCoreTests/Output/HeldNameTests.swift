import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

/// Names made from URLs, over several runs and processes. Each `run` is one of them.
@Suite struct HeldNameTests {
  let place: TemporaryFolder

  init() throws {
    place = try TemporaryFolder()
    try place.makeFolder("out")
  }

  private func body(_ text: String) -> ImageBody { ImageBody(.bytes(Array(text.utf8))) }

  private func options(_ key: String, first: Int = 0) -> OutputOptions {
    var options = OutputOptions(key: OutputKey(of: key), keyText: key)
    options.replaces = .own
    options.first = first
    return options
  }

  /// One run that writes one image.
  private func run(
    _ key: String, _ text: String, first: Int = 0, user: UInt32 = Processes.user,
    change: (inout OutputOptions) -> Void = { _ in }
  ) throws -> OutputFile.Written {
    var options = options(key, first: first)
    change(&options)
    return try OutputFile(folders: OutputFolders(user: user)).write(body(text), options) { path(key, $0) }
  }

  private func path(_ key: String, _ choice: Int) -> String {
    place.path(choice == 0 ? "out/cat" : "out/cat-\(key)\(choice)")
  }

  private func texts() -> [String: String] {
    Dictionary(uniqueKeysWithValues: place.files(in: "out").map { ($0, place.text("out/\($0)") ?? "") })
  }

  /// Does what a program that edits a file does to it.
  private func change(_ name: String, to text: String) throws {
    try Command.overwrite(place.path("out/\(name)"), with: Array(text.utf8))
    try Command.setTimes(of: place.path("out/\(name)"), daysAgo: 1)
  }

  @Test func anotherImagesFileIsLeftAloneAndTheNameWithDigitsIsKept() throws {
    #expect(try run("one", "1").outcome == .created)
    let second = try run("two", "2")
    #expect(second.path == path("two", 1))
    #expect(second.outcome == .created && second.newDigits == .ofAnother)
    #expect(texts() == ["cat": "1", "cat-two1": "2"])
    // Again in the other order, and with new bytes.
    let again = try run("two", "2")
    #expect(again.outcome == .unchanged && again.newDigits == nil && again.path == path("two", 1))
    #expect(try run("one", "1").outcome == .unchanged)
    #expect(try run("two", "2 new").outcome == .replaced)
    #expect(try run("one", "1 new").outcome == .replaced)
    #expect(texts() == ["cat": "1 new", "cat-two1": "2 new"])
    // The plain name is free now, but the name with digits is kept.
    try place.remove("out/cat")
    #expect(try run("two", "2").outcome == .replaced)
    #expect(texts() == ["cat-two1": "2"])
  }

  @Test func anImageKeepsThePlainNameOfAnEarlierRunEvenIfAnotherClaimsItInThisRun() throws {
    _ = try run("two", "2")
    #expect(try run("one", "1").path == path("one", 1))
    #expect(try run("two", "2", first: 1).path == path("two", 0))
    #expect(texts() == ["cat": "2", "cat-one1": "1"])
  }

  @Test func newVersionsOfAnImageAreReplacedSilently() throws {
    _ = try run("one", "1")
    let written = try run("one", "1 new")
    #expect(written.outcome == .replaced && written.newDigits == nil)
    #expect(texts() == ["cat": "1 new"])
  }

  @Test func aFileOfUnknownOriginIsKeptAndTheNameWithDigitsIsReportedOnce() throws {
    try place.write("out/cat", "mine")
    let written = try run("one", "1")
    #expect(written.outcome == .created && written.newDigits == .ofStranger)
    #expect(texts() == ["cat": "mine", "cat-one1": "1"])
    let again = try run("one", "1 new")
    #expect(again.outcome == .replaced && again.newDigits == nil)
    #expect(texts() == ["cat": "mine", "cat-one1": "1 new"])
  }

  @Test func theMarkOfAFileThatWasChangedSinceIsVoid() throws {
    _ = try run("one", "1")
    try change("cat", to: "edited")
    let written = try run("two", "2")
    #expect(written.path == path("two", 1) && written.newDigits == .ofStranger)
    #expect(texts() == ["cat": "edited", "cat-two1": "2"])
    #expect(try run("one", "1").outcome == .kept)
    #expect(try run("one", "1 new").path == path("one", 1))
    #expect(texts()["cat"] == "edited")
  }

  @Test func theFileOfTheOtherSchemeIsTheImages() throws {
    func write(_ key: String, _ text: String) throws -> OutputFile.Written {
      try OutputFile(folders: OutputFolders()).write(body(text), options(key)) {
        place.path($0 == 0 ? "out/cat" : "out/cat-\(key.utf8.count + ($0 == OutputOptions.nameOfOtherScheme ? -1 : 0))")
      }
    }
    _ = try write("http://a/cat", "1")
    #expect(try write("https://a/cat", "1").outcome == .unchanged)
    #expect(try write("https://a/cat", "2").outcome == .replaced)
    #expect(texts() == ["cat": "2"])
    // With digits, too.
    _ = try write("http://b/cat", "3")
    #expect(texts() == ["cat": "2", "cat-12": "3"])
    #expect(try write("https://b/cat", "4").path == place.path("out/cat-12"))
    #expect(texts() == ["cat": "2", "cat-12": "4"])
  }

  @Test func aFileWithTheSameBytesIsLeftAsItIsUnlessItIsAdopted() throws {
    try place.write("out/cat", "1")
    let before = try Command.identity(of: place.path("out/cat"))
    #expect(try run("one", "1") { $0.modified = WallTime(seconds: 1_000_000_000) }.outcome == .unchanged)
    #expect(try Command.identity(of: place.path("out/cat")) == before)
    #expect(try run("one", "1") { $0.adopts = true }.outcome == .unchanged)
    #expect(try Command.identity(of: place.path("out/cat")).prefix(3) == before.prefix(3))
    #expect(try run("two", "1").path == path("two", 1))
    #expect(try run("one", "1 new").outcome == .replaced)
  }

  @Test func anUnchangedFileIsNotRead() throws {
    _ = try run("one", "image")
    // Other bytes of the same size and time: only reading could tell.
    var status = stat()
    stat(path("one", 0), &status)
    try Command.overwrite(path("one", 0), with: Array("IMAGE".utf8))
    utimensat(AT_FDCWD, path("one", 0), [status.st_atim, status.st_mtim], 0)
    #expect(try run("one", "image").outcome == .unchanged)
    #expect(texts() == ["cat": "IMAGE"])
    // Before it is replaced it is read, and kept.
    #expect(try run("one", "new").path == path("one", 1))
    #expect(try run("two", "image") { $0.replaces = .ours }.path == path("two", 1))
    #expect(texts()["cat"] == "IMAGE")
  }

  @Test func aMarkOnAnotherUsersFileIsNotTrusted() throws {
    _ = try run("one", "1")
    let written = try run("two", "2", user: Processes.user + 1)
    #expect(written.path == path("two", 1) && written.newDigits == .ofStranger)
  }

  @Test func theMarkHasTheTimeThatIsWanted() throws {
    let early = WallTime(seconds: 1_000_000_000)
    let late = WallTime(seconds: 1_200_000_000)
    _ = try run("one", "1") { $0.modified = early }
    #expect(try run("one", "1") { $0.modified = early }.outcome == .unchanged)
    #expect(try run("one", "1") { $0.modified = late }.outcome == .unchanged)
    #expect(try run("two", "2").path == path("two", 1))
    var status = stat()
    stat(path("one", 0), &status)
    #expect(status.st_mtim.tv_sec == 1_200_000_000)
  }

  @Test func aReadOnlyFileIsMarkedWhenItIsReplaced() throws {
    _ = try run("one", "1")
    chmod(path("one", 0), 0o444)
    #expect(try run("one", "1 new").outcome == .replaced)
    #expect(try Command.mode(of: path("one", 0)) == 0o444)
    #expect(try run("two", "2").path == path("two", 1))
  }

  @Test func namesGivenByTheUserAreReplacedSilentlyAndMarked() throws {
    _ = try run("one", "1")
    let written = try run("two", "2") { $0.replaces = .ours }
    #expect(written.path == path("two", 0) && written.outcome == .replaced && written.newDigits == nil)
    #expect(try run("one", "1").path == path("one", 1))
  }

  @Test func anExistingFileIsKeptAndAnotherImagesFileIsNotMistakenForIt() throws {
    _ = try run("one", "1")
    #expect(try run("one", "1 new") { $0.keepsExisting = true }.outcome == .kept)
    let other = try run("two", "2") { $0.keepsExisting = true }
    #expect(other.outcome == .created && other.path == path("two", 1))
    #expect(try run("two", "2 new") { $0.keepsExisting = true }.outcome == .kept)
    #expect(texts() == ["cat": "1", "cat-two1": "2"])
  }

  @Test func theExistingFileIsFoundBeforeTheImageHasArrived() throws {
    let output = OutputFile(folders: OutputFolders())
    func existing(_ key: String, first: Int = 0) -> String? {
      output.existing(options(key, first: first)) { [path(key, $0) + ".jpg", path(key, $0)] }
    }
    #expect(existing("one") == nil)
    _ = try run("one", "1")
    #expect(existing("one") == path("one", 0))
    #expect(existing("two") == nil)
    _ = try run("two", "2")
    #expect(existing("two") == path("two", 1))
    #expect(existing("one", first: 1) == path("one", 0))
    try place.write("out/cat.jpg", "mine")
    #expect(existing("one") == path("one", 0))
    #expect(existing("three") == path("three", 0) + ".jpg")
    #expect(output.existing(options("two")) { _ in nil } == nil)
  }

  @Test func inAFolderThatWasEmptyOlderNamesAreNotLookedFor() throws {
    let folders = OutputFolders()
    let output = OutputFile(folders: folders)
    _ = try output.write(body("1"), options("one")) { path("one", $0) }
    // As if another process had put it there. A file that is not looked for is not found.
    _ = try OutputFile(folders: OutputFolders()).write(body("3"), options("three")) { _ in place.path("out/cat2-1") }
    let made = try output.write(body("2"), options("two")) { place.path($0 == 0 ? "out/cat2" : "out/cat2-1") }
    #expect(made.path == place.path("out/cat2"))
    let later = try OutputFile(folders: OutputFolders()).write(body("3"), options("three")) {
      place.path($0 == 0 ? "out/cat3" : "out/cat2-1")
    }
    #expect(later.path == place.path("out/cat2-1"))
  }

  @Test(arguments: 0..<8) func manyImagesThatWantOneNameAtOnceGetAFileEach(_ round: Int) throws {
    if round % 2 == 1 { try place.write("out/cat", "mine") }
    let count = 8
    let paths = Guarded<[String]>([])
    DispatchQueue.concurrentPerform(iterations: count) { number in
      guard let written = try? run("key\(number)", "image \(number)") else { return }
      paths.withLock { $0.append(written.path) }
    }
    #expect(paths.withLock { Set($0).count } == count)
    #expect(Set(texts().values) == Set((0..<count).map { "image \($0)" } + (round % 2 == 1 ? ["mine"] : [])))
  }
}
