import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Descriptors")
struct DescriptorTests {
  private func file(_ bytes: [UInt8], _ name: String, in folder: TemporaryFolder) throws -> Descriptor {
    let file = try Descriptor.folder(folder.path).open(name, [.readWrite, .create, .exclusive])
    try file.write(bytes.span)
    return file
  }

  @Test("Reading appends at most as much as is asked for")
  func reading() throws {
    let folder = try TemporaryFolder()
    let file = try file([1, 2, 3, 4, 5], "f", in: folder)
    var bytes: [UInt8] = [9]
    #expect(try file.read(into: &bytes, count: 3, at: 1) == 3)
    #expect(bytes == [9, 2, 3, 4])
    #expect(try file.read(into: &bytes, count: 10, at: 3) == 2)
    #expect(try file.read(into: &bytes, count: 10, at: 50) == 0)
    #expect(bytes == [9, 2, 3, 4, 4, 5])
  }

  @Test("Writing in pieces ends once the rest is not wanted", arguments: [(1, false), (3, true)])
  func pieces(_ wanted: Int, _ isWhole: Bool) throws {
    let folder = try TemporaryFolder()
    let file = try file([], "f", in: folder)
    let bytes = (0..<20_000).map { UInt8($0 % 251) }
    var looks = 0
    let isDone = try file.write(bytes.span) {
      looks += 1
      return looks <= wanted
    }
    var written: [UInt8] = []
    _ = try file.read(into: &written, count: bytes.count + 1, at: 0)
    #expect(isDone == isWhole && written.count == (isWhole ? bytes.count : 8192))
    #expect(bytes.starts(with: written))
  }

  @Test("A pipe or socket whose other end is closed has lost its reader; other files have none")
  func lostReaders() throws {
    let folder = try TemporaryFolder()
    let file = try file([], "f", in: folder)
    #expect(file.hasLostReader() == nil)
    let pipe = try Pipes.open()
    var sockets: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
    for (reader, writer) in [pipe, (sockets[0], sockets[1])] {
      let descriptor = Descriptor(owning: writer)
      #expect(descriptor.hasLostReader() == false)
      // Unread bytes there do not mean that there is a reader.
      try descriptor.write([1, 2, 3].span)
      #expect(descriptor.hasLostReader() == false)
      close(reader)
      Pipes.waitForLastReader(of: writer)
      #expect(descriptor.hasLostReader() == true)
    }
  }

  @Test("Two runs of bytes are written one after the other")
  func twoParts() throws {
    let folder = try TemporaryFolder()
    let file = try file([], "f", in: folder)
    try file.write([1, 2].span, [3].span)
    try file.write([UInt8]().span, [4].span)
    var bytes: [UInt8] = []
    _ = try file.read(into: &bytes, count: 10, at: 0)
    #expect(bytes == [1, 2, 3, 4])
  }

  @Test("Part of one file is copied to a place in another")
  func copying() throws {
    let folder = try TemporaryFolder()
    let from = try file([1, 2, 3, 4, 5], "from", in: folder)
    let to = try file([9, 9], "to", in: folder)
    #expect(try from.copy(from: 1, count: 3, to: to, at: 2) == 3)
    #expect(try from.copy(from: 4, count: 100, to: to, at: 5) == 1)
    var bytes: [UInt8] = []
    _ = try to.read(into: &bytes, count: 10, at: 0)
    #expect(bytes == [9, 9, 2, 3, 4, 5])
  }

  @Test("A lock has one holder, and is free once that one closes its file")
  func locks() throws {
    let folder = try TemporaryFolder()
    let place = try Descriptor.folder(folder.path)
    let first = try place.open("lock", [.readWrite, .create])
    let second = try place.open("lock", [.readWrite])
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
    try first.close()
    // A process that another test starts has a copy of every descriptor until it runs its program: the lock is free
    // once those copies are closed, too. The wait for it gives up its own lock, which a copy would keep otherwise.
    let waiting = open(folder.path("lock"), O_RDWR | O_CLOEXEC)
    defer { close(waiting) }
    try #require(flock(waiting, LOCK_EX) == 0 && flock(waiting, LOCK_UN) == 0)
    #expect(try second.tryLock())
  }

  @Test("A failed call reports which it is, why it failed and on what file")
  func failures() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/none"
    do {
      _ = try Descriptor.open(path, .read)
      Issue.record("it was opened")
    } catch {
      #expect(error == SystemError(.open, .noSuchFile, path: path))
      #expect("\(error)" == "\(path): No such file or directory")
    }
  }
}
