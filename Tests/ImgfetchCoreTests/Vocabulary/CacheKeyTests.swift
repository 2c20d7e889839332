import Testing

@testable import ImgfetchCore

@Suite struct CacheKeyTests {
  @Test func isInAFolderNamedForTheFirstByteOfItsHash() {
    let key = CacheKey(url: "https://example.org/a.png")
    #expect(key.shard.utf8.count == 2)
    #expect(key.fileName.utf8.count == 30)
    #expect(key.shard + key.fileName == key.hash.hex)
    #expect(CacheKey.shardName(key.shardIndex) == key.shard)
    #expect(key.partPath == key.path + ".part")
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

  /// A cleaner sees from the names which entries were derived from which.
  @Test func derivedImagesHaveTheirNamesFromTheAnswer() {
    let url = "https://example.org/a.png"
    let answers = [
      CacheKey(url: url), CacheKey(url: url, salt: 1), CacheKey(url: url, variant: 1), CacheKey(url: url, salt: 2),
    ]
    var names: Set<String> = []
    for answer in answers {
      #expect(!CacheNames.isDerived(Array(answer.fileName.utf8)[...]))
      for signature in [0, 1, UInt64.max] as [UInt64] {
        let derived = answer.derived(by: signature)
        #expect(derived != answer)
        #expect(derived.shard == answer.shard)
        #expect(derived.fileName.utf8.count == 30 + 1 + 16)
        #expect(CacheNames.isDerived(Array(derived.fileName.utf8)[...]))
        let families = answers.map { CacheNames.family(of: Array($0.fileName.utf8)[...]) }
        let own = CacheNames.family(of: Array(derived.fileName.utf8)[...])
        #expect(own != nil && families.filter { $0 == own }.count == 1)
        #expect(own == CacheNames.family(of: Array(answer.fileName.utf8)[...]))
        names.insert(derived.fileName)
      }
    }
    // Two of the three signatures differ in their lowest bit only, for which the name has no room.
    #expect(names.count == 2 * answers.count)
  }
}
