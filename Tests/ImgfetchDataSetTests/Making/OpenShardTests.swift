import ImgfetchCore
import ImgfetchDataSet
import TestSupport
import Testing

@Suite("A shard whose lines are being fetched") struct OpenShardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A place is lent for any image but one that claims to be enormous")
  func lending() throws {
    let shard = OpenShard(ShardName(number: 0), spoolIn: folder.path, at: Instant(nanoseconds: 0))
    let (first, second) = (shard.lend(length: 5000), shard.lend(length: 7000))
    #expect(first?.start == 0 && first?.room == 5000 && second?.start == 5000 && second?.room == 7000)
    #expect(first?.file === second?.file)
    #expect(shard.lend(length: 1 << 40) == nil)
  }
}
