import TestSupport
import Testing

@testable import ImgfetchCore

/// The promises of each kind of tier, through the protocol alone.
@Suite struct CacheTierTests {
  private let key = CacheKey(url: "https://example.org/a.png")

  /// The tiers that can be written, empty.
  private func writableTiers() throws -> (fixture: CacheFixture, tiers: [any CacheTier]) {
    let fixture = try CacheFixture()
    return (fixture, [MemoryCache(limit: 1 << 20), fixture.cache])
  }

  private func keep(_ bytes: [UInt8], in tier: any CacheTier) {
    tier.keep(ImageBody(.bytes(bytes)), .sample(key), stored: SystemClock().wallTime())
  }

  private func bytes(in tier: any CacheTier) throws -> [UInt8]? {
    try tier.lookup(key, withBody: true, damaged: {})?.body.wholeBytes()
  }

  @Test func whatIsKeptIsFoundAndReplacesTheEarlierEntry() throws {
    let (_, tiers) = try writableTiers()
    for tier in tiers {
      #expect(try bytes(in: tier) == nil)
      keep([1, 2, 3], in: tier)
      #expect(try bytes(in: tier) == [1, 2, 3])
      keep([4], in: tier)
      #expect(try bytes(in: tier) == [4])
      let other = CacheKey(url: "https://example.org/b.png")
      #expect(tier.lookup(other, withBody: true, damaged: {}) == nil)
    }
  }

  @Test(arguments: [ForgetReason.damaged, .superseded])
  func whatIsForgottenIsNotFoundAndStaysReadable(_ reason: ForgetReason) throws {
    let (_, tiers) = try writableTiers()
    for tier in tiers {
      keep([1, 2, 3], in: tier)
      let entry = try #require(tier.lookup(key, withBody: true, damaged: {}))
      tier.touch(entry)
      tier.forget(entry, because: reason)
      #expect(tier.lookup(key, withBody: true, damaged: {}) == nil)
      #expect(try entry.body.wholeBytes() == [1, 2, 3])
    }
  }

  @Test func whatIsRemovedIsGoneWithWhatWasMadeOfIt() throws {
    let (_, tiers) = try writableTiers()
    let other = CacheKey(url: "https://example.org/b.png")
    for tier in tiers {
      for key in [key, CacheKey(url: key.url, salt: 7), key.derived(by: 3), other] {
        tier.keep(ImageBody(.bytes([1])), .sample(key), stored: SystemClock().wallTime())
      }
      tier.removeAll(of: key)
      for key in [key, CacheKey(url: key.url, salt: 7), key.derived(by: 3)] {
        #expect(tier.lookup(key, withBody: true, damaged: {}) == nil)
      }
      #expect(tier.lookup(other, withBody: true, damaged: {}) != nil)
      tier.removeEverything()
      #expect(tier.lookup(other, withBody: true, damaged: {}) == nil)
    }
  }

  @Test func anEntryThatWasReplacedIsNotForgottenWithItsPredecessor() throws {
    let (_, tiers) = try writableTiers()
    for tier in tiers {
      keep([1], in: tier)
      let entry = try #require(tier.lookup(key, withBody: true, damaged: {}))
      keep([2], in: tier)
      tier.forget(entry, because: .superseded)
      #expect(try bytes(in: tier) == [2])
    }
  }

  @Test func aBodyInAFileIsKeptOnDiskAndDeclinedByMemory() throws {
    let (fixture, tiers) = try writableTiers()
    let large = [UInt8](repeating: 7, count: 500_000)
    let file = try Descriptor.open(fixture.folder.write("large", large), [.read])
    let body = ImageBody(
      .file(ImageBody.Stored(descriptor: SharedDescriptor(file), length: 500_000, expectedHash: nil)))
    for tier in tiers {
      keep([1], in: tier)
      tier.keep(body, .sample(key), stored: SystemClock().wallTime())
    }
    #expect(try bytes(in: tiers[0]) == nil)
    #expect(try bytes(in: tiers[1]) == large)
  }

  @Test func aReadOnlyCacheKeepsNothingAndIgnoresDamagedEntries() throws {
    let fixture = try CacheFixture()
    try fixture.store(key.url, [1, 2, 3])
    let folder = try #require(
      try CacheFolder.open(
        root: fixture.folder.path("cache"), namespace: "default",
        trust: FolderTrust(user: Processes.user, isReadOnly: true)))
    let tier = ReadOnlyCache(folder) { _ in }
    keep([4], in: tier)
    let entry = try #require(tier.lookup(key, withBody: true, damaged: {}))
    #expect(try entry.body.wholeBytes() == [1, 2, 3])
    tier.forget(entry, because: .superseded)
    #expect(try bytes(in: tier) == [1, 2, 3])
    tier.forget(entry, because: .damaged)
    #expect(try bytes(in: tier) == nil)
    #expect(fixture.folder.read(fixture.path(key)) != nil)
  }
}
