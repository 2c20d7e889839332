import Foundation
import Testing
import TestSupport

@testable import ImgfetchCore

@Suite struct OutputFileTests {
  let place: TemporaryFolder
  let output = OutputFile(folders: OutputFolders())

  init() throws { place = try TemporaryFolder() }

  private func body(_ text: String) -> ImageBody { ImageBody(.bytes(Array(text.utf8))) }

  /// A body in a file, like that of a large image. The hash is checked unless `isTrusted`.
  private func stored(_ bytes: [UInt8], hash: ContentHash? = nil, isTrusted: Bool = false) throws -> ImageBody {
    let path = try place.write("entry-\(UInt64.random(in: .min ... .max))", bytes + Array("and metadata".utf8))
    let file = SharedDescriptor(try Descriptor.open(path, [.read]))
    let expected = isTrusted ? nil : hash ?? ContentHash(of: bytes.span)
    return ImageBody(.file(.init(descriptor: file, length: Int64(bytes.count), expectedHash: expected)))
  }

  private func large(_ seed: UInt8 = 0) -> [UInt8] {
    (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) &+ seed }
  }

  private func attributes(_ name: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: place.path(name))
  }

  private func inode(_ name: String) throws -> Int? { try attributes(name)[.systemFileNumber] as? Int }

  @Test func aNewFileHasTheBytesAndItsParentFoldersAreMade() throws {
    #expect(try output.write(body("image"), to: place.path("a/b/c.png")) == .created)
    #expect(place.text("a/b/c.png") == "image")
    #expect(place.files() == ["a/b/c.png"])
  }

  /// A body that came into a file that was lent beside `name`.
  private func lent(_ bytes: [UInt8], beside name: String) throws -> (body: ImageBody, inode: Int) {
    let lent = try #require(output.lend(beside: place.path(name), makingFolder: true))
    try lent.file.file.write(bytes.span)
    let body = ImageBody(
      .file(.init(descriptor: lent.file, length: Int64(bytes.count), expectedHash: nil)), isLent: true)
    return (body, Int(try lent.file.file.status().identity.inode))
  }

  @Test func aFileThatWasLentGetsItsName() throws {
    let (body, number) = try lent(large(), beside: "out/a.png")
    #expect(place.files() == [])
    #expect(try output.write(body, to: place.path("out/a.png")) == .created)
    #expect(try inode("out/a.png") == number)
    #expect(place.read("out/a.png") == large())
    let mask = umask(0)
    umask(mask)
    #expect(try attributes("out/a.png")[.posixPermissions] as? UInt16 == UInt16(0o666 & ~mask))
    // A second output is a copy, or a change of one would be a change of both.
    #expect(try output.write(body, to: place.path("out/b.png")) == .created)
    #expect(try inode("out/b.png") != number)
    #expect(place.files() == ["out/a.png", "out/b.png"])
  }

  @Test func aFileThatWasLentReplacesAnotherAndKeepsItsMode() throws {
    try place.write("a.png", "older")
    chmod(place.path("a.png"), 0o640)
    let (body, number) = try lent(large(), beside: "a.png")
    #expect(try output.write(body, to: place.path("a.png")) == .replaced)
    #expect(try inode("a.png") == number)
    #expect(try attributes("a.png")[.posixPermissions] as? UInt16 == 0o640)
    #expect(place.files() == ["a.png"])
  }

  @Test func aFileThatWasLentIsDroppedWhereTheSameBytesAreThere() throws {
    try place.write("a.png", large())
    let before = try inode("a.png")
    let (body, _) = try lent(large(), beside: "a.png")
    #expect(try output.write(body, to: place.path("a.png")) == .unchanged)
    #expect(try inode("a.png") == before)
    #expect(place.files() == ["a.png"])
  }

  @Test func nothingIsLentBesideADeviceOrWhereThereIsNoFolder() {
    #expect(output.lend(beside: "/dev/null", makingFolder: true) == nil)
    #expect(output.lend(beside: place.path("none/a.png"), makingFolder: false) == nil)
  }

  @Test func aNewFileHasTheModeThatTheUmaskAllows() throws {
    _ = try output.write(body("image"), to: place.path("a.png"))
    let mask = umask(0)
    umask(mask)
    #expect(try attributes("a.png")[.posixPermissions] as? UInt16 == UInt16(0o666 & ~mask))
  }

  @Test func aFileWithTheSameBytesIsLeftUntouched() throws {
    try place.write("a.png", "image")
    let before = try attributes("a.png")
    #expect(try output.write(body("image"), to: place.path("a.png")) == .unchanged)
    let after = try attributes("a.png")
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
  }

  @Test func afterANewFileAnExistingOneIsStillFound() throws {
    try place.write("same.png", "image")
    try place.write("other.png", "other")
    chmod(place.path("other.png"), 0o640)
    try FileManager.default.createDirectory(atPath: place.path("folder"), withIntermediateDirectories: true)
    func begin(_ name: String) throws { #expect(try output.write(body("image"), to: place.path(name)) == .created) }
    try begin("1.png")
    let before = try inode("same.png")
    #expect(try output.write(body("image"), to: place.path("same.png")) == .unchanged)
    #expect(try inode("same.png") == before)
    try begin("2.png")
    #expect(try output.write(body("image"), to: place.path("other.png")) == .replaced)
    #expect(try attributes("other.png")[.posixPermissions] as? UInt16 == 0o640)
    try begin("3.png")
    #expect(throws: OutputFailure.isFolder(path: place.path("folder"))) {
      try output.write(body("image"), to: place.path("folder"))
    }
    try begin("4.png")
    #expect(place.files().sorted() == ["1.png", "2.png", "3.png", "4.png", "other.png", "same.png"])
  }

  @Test(arguments: ["imagf", "imag", "image and more", ""])
  func aFileWithOtherBytesIsReplacedAndKeepsItsMode(_ text: String) throws {
    try place.write("a.png", text)
    chmod(place.path("a.png"), 0o640)
    #expect(try output.write(body("image"), to: place.path("a.png")) == .replaced)
    #expect(place.text("a.png") == "image")
    #expect(try attributes("a.png")[.posixPermissions] as? UInt16 == 0o640)
    #expect(place.files() == ["a.png"])
  }

  @Test func aSymbolicLinkIsReplacedAndItsTargetIsKept() throws {
    try place.write("precious", "keep me")
    symlink("precious", place.path("a.png"))
    symlink("nowhere", place.path("b.png"))
    #expect(try output.write(body("image"), to: place.path("a.png")) == .replaced)
    #expect(try output.write(body("image"), to: place.path("b.png")) == .replaced)
    #expect(place.text("precious") == "keep me")
    #expect(try attributes("a.png")[.type] as? FileAttributeType == .typeRegular)
    #expect(place.text("b.png") == "image")
    #expect(place.text("nowhere") == nil)
  }

  /// The link's real place counts, and not the beginning of its path: `/dev/shm` is users' own.
  @Test func aLinkIsReplacedWhereThePathBeginsAsASystemFolders() throws {
    try place.write("precious", "keep me")
    symlink("precious", place.path("a.png"))
    #expect(try output.write(body("image"), to: "/dev/.." + place.path("a.png")) == .replaced)
    #expect(place.text("precious") == "keep me" && place.text("a.png") == "image")
    #expect(try Descriptor.folder("/dev").isSystems() && Descriptor.folder("/proc/self/fd").isSystems())
    #expect(try !Descriptor.folder(place.path).isSystems())
  }

  @Test(arguments: [10, 400_000]) func aMarkIsNotBelievedWhereAllIsToBeRead(_ size: Int) throws {
    let bytes = [UInt8](repeating: 7, count: size)
    var options = OutputOptions(key: OutputKey(of: "a"))
    let path = place.path("a.png")
    _ = try output.write(ImageBody(.bytes(bytes)), options) { _ in path }
    let file = try Descriptor.open(path, .readWrite)
    let modified = try file.status().modified
    try file.write([9].span, at: Int64(size / 2))
    try file.setTimes(accessed: nil, modified: modified)
    #expect(try output.write(ImageBody(.bytes(bytes)), options, path: { _ in path }).outcome == .unchanged)
    options.readsAll = true
    #expect(try output.write(ImageBody(.bytes(bytes)), options, path: { _ in path }).outcome == .replaced)
    #expect(place.read("a.png") == bytes)
  }

  @Test func aDeviceIsWrittenToEvenThroughALink() throws {
    symlink("/dev/null", place.path("link"))
    #expect(try output.write(body("image"), to: place.path("link")) == .written)
    #expect(try output.write(body("image"), to: "/dev/null") == .written)
    #expect(try attributes("link")[.type] as? FileAttributeType == .typeSymbolicLink)
  }

  @Test func aPipeIsWrittenTo() throws {
    mkfifo(place.path("pipe"), 0o600)
    let reader = open(place.path("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(try output.write(body("image"), to: place.path("pipe")) == .written)
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &bytes, 16) == 5)
  }

  @Test func aSocketIsWrittenTo() throws {
    let path = place.path("socket")
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(isBound == 0)
    let failure = #expect(throws: OutputFailure.self) { _ = try output.write(body("image"), to: path) }
    #expect(failure?.reason == "cannot be written: Connection refused; nothing listens there")
    try #require(listen(listener, 1) == 0)
    #expect(try output.write(body("image"), to: path) == .written)
    let connection = accept(listener, nil, nil)
    defer { close(connection) }
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(connection, &bytes, 16) == 5)
  }

  @Test func aFolderWithTheNameIsAFailureThatNamesIt() throws {
    try place.makeFolder("a.png")
    let path = place.path("a.png")
    #expect(throws: OutputFailure.isFolder(path: path)) { _ = try output.write(body("image"), to: path) }
    #expect(OutputFailure.isFolder(path: path).reason == "cannot be written: a folder has that name")
    #expect(OutputFailure.isFolder(path: "new/").reason == "cannot be written: a name that ends in / is a folder's")
  }

  @Test func aFileInPlaceOfAFolderIsAFailureThatNamesTheOutput() throws {
    try place.write("a", "file")
    let path = place.path("a/b.png")
    #expect(throws: OutputFailure.file(path: path, .notDirectory)) { _ = try output.write(body("image"), to: path) }
  }

  @Test func foldersAreNotMadeUnlessWanted() throws {
    let output = OutputFile(folders: OutputFolders(makesMissing: false))
    let path = place.path("a/b.png")
    #expect(throws: OutputFailure.file(path: path, .noSuchFile)) { _ = try output.write(body("image"), to: path) }
  }

  @Test func aFolderThatIsRemovedDuringTheRunIsMadeAgain() throws {
    _ = try output.write(body("image"), to: place.path("a/b.png"))
    try place.remove("a")
    #expect(try output.write(body("image"), to: place.path("a/b.png")) == .created)
    #expect(place.text("a/b.png") == "image")
  }

  @Test func theTimeIsSetOnNewReplacedAndUnchangedFiles() throws {
    let time = WallTime(seconds: 1_000_000_000)
    try place.write("old", "other")
    try place.write("same", "image")
    for name in ["new", "old", "same"] {
      _ = try output.write(body("image"), to: place.path(name), modified: time)
      #expect(try attributes(name)[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_000_000_000))
    }
  }

  @Test(arguments: [true, false])
  func aLargeImageIsCopiedWithoutWhatFollowsIt(_ isTrusted: Bool) throws {
    let bytes = large()
    let body = try stored(bytes, isTrusted: isTrusted)
    #expect(try output.write(body, to: place.path("out/a.png")) == .created)
    #expect(place.read("out/a.png") == bytes)
    #expect(try output.write(body, to: place.path("out/b.png")) == .created)
    #expect(place.read("out/b.png") == bytes)
    #expect(try output.write(body, to: place.path("out/a.png")) == .unchanged)
    try place.write("out/a.png", large(1))
    #expect(try output.write(body, to: place.path("out/a.png")) == .replaced)
    #expect(place.read("out/a.png") == bytes)
  }

  @Test func aDamagedImageIsNotPublishedAndTheEarlierFileIsKept() throws {
    let damaged = try stored(large(), hash: ContentHash(high: 1, low: 2))
    #expect(throws: OutputFailure.damaged) { _ = try output.write(damaged, to: place.path("out/a.png")) }
    #expect(place.files(in: "out") == [])
    try place.write("out/a.png", "old")
    #expect(throws: OutputFailure.damaged) { _ = try output.write(damaged, to: place.path("out/a.png")) }
    #expect(place.text("out/a.png") == "old")
    try place.write("out/a.png", large())
    #expect(throws: OutputFailure.damaged) { _ = try output.write(damaged, to: place.path("out/a.png")) }
  }

  @Test(arguments: [true, false])
  func anImageWhoseEntryWasCutIsDamaged(_ isTrusted: Bool) throws {
    let path = try place.write("entry", large())
    let file = SharedDescriptor(try Descriptor.open(path, [.readWrite]))
    try file.file.truncate(to: 1000)
    let hash = isTrusted ? nil : ContentHash(of: large().span)
    let cut = ImageBody(.file(.init(descriptor: file, length: 300_000, expectedHash: hash)))
    #expect(throws: OutputFailure.damaged) { _ = try output.write(cut, to: place.path("out/a.png")) }
    #expect(place.files(in: "out") == [])
  }

  /// A download is in a file that other processes can reach.
  @Test func aDownloadWhosePartWasChangedIsNotPublished() throws {
    let cache = try DiskCache.open(root: place.path("cache"))
    let (bytes, others) = (large(), [1, 2, 3] as [UInt8])
    for isChanged in [true, false] {
      let key = CacheKey(url: "https://example.org/\(isChanged)")
      let part = try #require(cache.claimPart(key, after: .missed).part)
      try part.write(bytes.span)
      let body = try part.publish(.sample(key), hash: ContentHash(of: bytes.span))
      if isChanged { try part.file.file.write(others.span, at: 1000) }
      if isChanged {
        #expect(throws: OutputFailure.damaged) { _ = try output.write(body, to: place.path("out/changed")) }
      } else {
        #expect(try output.write(body, to: place.path("out/right")) == .created)
      }
    }
    #expect(place.files(in: "out") == ["right"])
    #expect(place.read("out/right") == bytes)
  }

  @Test func noneOfADamagedImageIsWrittenToAStream() throws {
    let damaged = try stored(large(), hash: ContentHash(high: 1, low: 2))
    let sink = try Descriptor.open(place.path("sink"), [.write, .create])
    #expect(throws: OutputFailure.damaged) { try OutputStream.write(damaged, to: sink, named: "standard output") }
    #expect(place.read("sink") == [])
    try OutputStream.write(try stored(large()), to: sink, named: "standard output")
    #expect(place.read("sink") == large())
  }

  @Test func theErrorOfAFullDiskNamesTheFileAndSaysWhatToDo() throws {
    let full = try Descriptor.open("/dev/full", [.write])
    let failure = OutputFailure.file(path: "standard output", .noSpace)
    #expect(throws: failure) { try OutputStream.write(body("image"), to: full, named: "standard output") }
    #expect(
      failure.reason == "cannot be written: No space left on device; free some space there, or write to another disk")
  }

  @Test func manyWritersOfOneNameLeaveOneCompleteFile() throws {
    let bytes = large()
    let path = place.path("out/a.png")
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      _ = try? output.write(ImageBody(.bytes(bytes)), to: path)
    }
    #expect(place.read("out/a.png") == bytes)
    #expect(place.files() == ["out/a.png"])
  }
}
