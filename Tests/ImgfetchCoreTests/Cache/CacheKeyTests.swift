import ImgfetchCore
import Testing

@Suite struct CacheKeyTests {
  @Test func liesInAFolderNamedForTheFirstByteOfItsHash() {
    let key = CacheKey(url: "https://example.org/a.png")
    #expect(key.shard.utf8.count == 2)
    #expect(key.fileName.utf8.count == 30)
    #expect(key.shard + key.fileName == key.hash.hex)
    #expect(CacheKey.shardName(key.shardIndex) == key.shard)
    #expect(key.partName == key.fileName + ".part")
  }

  @Test func saltAndVariantGiveOtherNamesWithTheSameBeginning() {
    let plain = CacheKey(url: "https://example.org/a.png")
    let others = [
      CacheKey(url: plain.url, salt: 1), CacheKey(url: plain.url, variant: 1),
      CacheKey(url: plain.url, salt: 1, variant: 1), CacheKey(url: plain.url, salt: 0),
    ]
    for other in others {
      #expect(other.shard == plain.shard)
      #expect(other.fileName.hasPrefix(plain.fileName + "-"))
      #expect(other.fileName.utf8.count == 30 + 1 + 16)
      #expect(other != plain)
    }
    #expect(Set(others.map(\.fileName)).count == others.count)
  }
}
