import ImgfetchCore
import TestSupport
import Testing

@testable import ImgfetchDataSet

@Suite("The folder of a data set") struct ShardFolderTests {
  private let place: TemporaryFolder
  private let folder: ShardFolder

  init() throws {
    place = try TemporaryFolder()
    folder = try ShardFolder(place.path("set"), host: "here")
  }

  private func leave(_ shard: Int, on host: String) throws -> String {
    let name = ShardTemporaryName(ShardName(number: shard), host: host, distinction: "x").text
    try place.write("set/\(name)", "half")
    return name
  }

  @Test("What broken-off attempts of this host left is removed, unless its writer is at it")
  func ownHost() throws {
    let (left, held) = (try leave(0, on: "here"), try leave(1, on: "here"))
    let writer = try folder.folder.file.open(held, [.readWrite])
    #expect(try writer.tryLock())
    folder.clean(now: SystemClock().wallTime())
    #expect(place.files(in: "set") == [held], "\(left)")
    // Unlocked, not closed: a process that another test starts may have a copy of the descriptor for a moment.
    writer.unlock()
    folder.clean(now: SystemClock().wallTime())
    #expect(place.files(in: "set").isEmpty)
  }

  @Test("What those of other hosts left is removed after a day, and nothing else ever is")
  func otherHosts() throws {
    let left = try leave(0, on: "there")
    try place.write("set/00000.tar", "a shard")
    let now = SystemClock().wallTime()
    folder.clean(now: WallTime(seconds: now.seconds + 86_000))
    #expect(Set(place.files(in: "set")) == [left, "00000.tar"])
    folder.clean(now: WallTime(seconds: now.seconds + 86_500))
    #expect(place.files(in: "set") == ["00000.tar"])
  }
}
