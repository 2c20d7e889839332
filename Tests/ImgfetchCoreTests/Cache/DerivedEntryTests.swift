import ImgfetchCore
import TestSupport
import Testing

/// Derived images are kept beside their originals, are bound to their bytes, and are removed with them.
@Suite struct DerivedEntryTests {
  private let day = 86_400.0
  private let original = [UInt8](repeating: 1, count: 1000)

  /// Keeps a derived image of that many bytes.
  @discardableResult
  private func derive(
    _ fixture: CacheFixture, _ key: CacheKey, signature: UInt64 = 2, of origin: [UInt8]? = nil, bytes: Int = 100
  ) throws -> CacheKey {
    var metadata = EntryMetadata.sample(key.derived(by: signature))
    metadata.origin = (origin ?? original).contentHash
    fixture.cache.keep([UInt8](repeating: 7, count: bytes), metadata)
    return metadata.key
  }

  private func age(_ fixture: CacheFixture, _ key: CacheKey, storedDaysAgo: Double, usedDaysAgo: Double) throws {
    let now = fixture.clock.wallTime().nanoseconds
    func time(_ days: Double) -> WallTime { WallTime(nanoseconds: now - Int64(days * day * 1e9)) }
    try Descriptor.open(fixture.folder.path(fixture.path(key)), .readWrite)
      .setTimes(accessed: time(usedDaysAgo), modified: time(storedDaysAgo))
  }

  @Test func isFoundOnlyForTheBytesThatItWasDerivedFrom() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    for bytes in [100, 1_000_000] {
      let derived = try derive(fixture, key, bytes: bytes)
      let found = try #require(fixture.cache.lookup(derived, madeOf: original.contentHash))
      #expect(try found.body.wholeBytes() == [UInt8](repeating: 7, count: bytes))
      #expect(fixture.cache.lookup(derived, madeOf: [9].contentHash) == nil)
      #expect(fixture.cache.lookup(key.derived(by: 5), madeOf: original.contentHash) == nil)
    }
    #expect(fixture.cache.lookup(key)?.body.count == 1000)
    #expect(try fixture.cache.size() == fixture.cache.exactSize())
  }

  @Test(arguments: [100, 1_000_000]) func isNotFoundWhenItIsDamaged(bytes: Int) throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    let derived = try derive(fixture, key, bytes: bytes)
    var file = try #require(fixture.folder.read(fixture.path(derived)))
    file[bytes / 2] ^= 1
    try fixture.folder.write(fixture.path(derived), file)
    #expect(fixture.cache.lookup(derived, madeOf: original.contentHash) == nil)
    #expect(fixture.files == [key.path], "what is damaged is removed")
  }

  @Test func isRemovedWithItsOriginal() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    let other = try fixture.store("https://example.org/b", original)
    try derive(fixture, key, signature: 2)
    try derive(fixture, key, signature: 4)
    let kept = try derive(fixture, other)
    #expect(try fixture.cache.remove(key).entries == 3)
    #expect(Set(fixture.files) == [other.path, kept.path])
    #expect(try fixture.cache.clear().entries == 2)
  }

  @Test(arguments: [false, true]) func isRemovedWithItsOriginalWhenThatIsExpired(isDryRun: Bool) throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    let derived = try derive(fixture, key)
    try age(fixture, key, storedDaysAgo: 9, usedDaysAgo: 9)
    let young = try fixture.store("https://example.org/b", original)
    let old = try derive(fixture, young)
    try age(fixture, old, storedDaysAgo: 9, usedDaysAgo: 9)
    let unused = try derive(fixture, young, signature: 4)
    let report = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil, isDryRun: isDryRun)
    #expect(report.removed.entries == 3 && report.left.entries == 2)
    let all: Set<String> = [key.path, derived.path, young.path, old.path, unused.path]
    #expect(Set(fixture.files) == (isDryRun ? all : [young.path, unused.path]))
    #expect(try fixture.cache.size() == fixture.cache.exactSize())
  }

  @Test(arguments: [false, true]) func isRemovedWithItsOriginalWhenTheCacheIsOverItsLimit(byFolder: Bool) throws {
    let fixture = try CacheFixture()
    var families: [(CacheKey, CacheKey)] = []
    for number in 0..<40 {
      let key = try fixture.store("https://example.org/\(number)", original)
      let derived = try derive(fixture, key, bytes: 1000)
      // The derived image was used since, which happens when the original is found in memory.
      try age(fixture, key, storedDaysAgo: 1, usedDaysAgo: 1 + Double(number) / 100)
      families.append((key, derived))
    }
    let limit = try fixture.cache.size().bytes / 2
    if byFolder {
      fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
    } else {
      _ = try fixture.cache.clean(maximumAge: nil, maximumSize: limit)
    }
    let left = Set(fixture.files)
    #expect(left.count <= 40)
    for (key, derived) in families where left.contains(derived.path) { #expect(left.contains(key.path)) }
    #expect(try fixture.cache.size() == fixture.cache.exactSize())
  }

  @Test func staysWhenAnotherUsersAnswerOfTheURLIsRemoved() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    let salted = CacheKey(url: key.url, salt: 3)
    let part = try #require(fixture.cache.claimPrivatePart(salted).part)
    try part.publish(.sample(salted), body: original, hash: original.contentHash)
    let mine = try derive(fixture, salted)
    let anyones = try derive(fixture, key)
    try age(fixture, key, storedDaysAgo: 9, usedDaysAgo: 9)
    _ = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil)
    #expect(Set(fixture.files) == [salted.path, mine.path])
    #expect(!fixture.files.contains(anyones.path))
  }

  /// The original may be in a read-only cache.
  @Test func staysWithoutItsOriginalUntilItExpires() throws {
    let fixture = try CacheFixture()
    let derived = try derive(fixture, CacheKey(url: "https://example.org/a"))
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 0)
    try age(fixture, derived, storedDaysAgo: 9, usedDaysAgo: 9)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 1)
  }

  @Test func isListedAndVerified() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a", original)
    let derived = try derive(fixture, key)
    var listed: [CacheKey] = []
    try fixture.cache.list { entry in
      listed.append(entry.metadata.key)
      return true
    }
    #expect(Set(listed) == [key, derived])
    #expect(fixture.cache.verify(repairing: false).sound.entries == 2)
    var file = try #require(fixture.folder.read(fixture.path(derived)))
    file[5] ^= 1
    try fixture.folder.write(fixture.path(derived), file)
    let report = fixture.cache.verify(repairing: true)
    #expect(report.damaged.map(\.url) == [key.url])
    #expect(fixture.files == [key.path])
  }
}
