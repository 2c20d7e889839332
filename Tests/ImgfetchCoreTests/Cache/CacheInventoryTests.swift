import Foundation
import ImgfetchCore
import TestSupport
import Testing

@Suite struct CacheInventoryTests {
  @Test func allEntriesAreListed() throws {
    let fixture = try CacheFixture()
    let keys = try (0..<5).map { try fixture.store("https://example.org/\($0).png", [UInt8](repeating: 1, count: $0)) }
    try fixture.folder.write("cache/v1/default/\(keys[0].path)", [0])
    _ = fixture.cache.claimPart(CacheKey(url: "https://example.org/part.png"))
    var found: [String: Int64] = [:]
    try fixture.cache.list { entry in
      found[entry.metadata.key.url] = entry.bytes
      return true
    }
    #expect(found == Dictionary(uniqueKeysWithValues: keys.dropFirst().enumerated().map { ($1.url, Int64($0 + 1)) }))
    var count = 0
    try fixture.cache.list { _ in
      count += 1
      return false
    }
    #expect(count == 1)
  }

  @Test func aRemovedFileThatANetworkDiskKeepsIsNoDamagedEntry() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    for name in [".nfs000000000000002a00000001", ".fuse_hidden0000002a00000001"] {
      try fixture.folder.write("cache/v1/default/\(key.shard)/\(name)", [1, 2, 3])
    }
    #expect(fixture.cache.verify(repairing: true).damaged.isEmpty)
    #expect(fixture.files.count == 3)
    #expect(try fixture.cache.exactSize().entries == 1)
    try fixture.cache.clear()
    #expect(fixture.files.isEmpty)
  }

  @Test func onlyATrustedEntryHasAPath() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    #expect(fixture.cache.path == fixture.folder.path("cache/v1/default"))
    #expect(fixture.cache.path(of: key) == fixture.folder.path(fixture.path(key)))
    #expect(fixture.cache.path(of: CacheKey(url: "https://example.org/b.png")) == nil)
    try fixture.folder.write(fixture.path(key), [0])
    #expect(fixture.cache.path(of: key) == nil)
  }

  @Test func anAddedFileIsFound() throws {
    let fixture = try CacheFixture()
    let image = TestImages.png(width: 20, height: 10)
    let file = try Descriptor.open(fixture.folder.write("mine.png", image), .read)
    let key = CacheKey(url: "https://example.org/a.png")
    #expect(try fixture.cache.add(file, as: key).metadata.facts?.width == 20)
    let entry = try #require(fixture.cache.lookup(key))
    #expect(try entry.body.wholeBytes() == image)
    #expect(entry.metadata.facts?.height == 10)
    #expect(entry.metadata.mime == "image/png")
    #expect(entry.metadata.verification == .structure)
    #expect(try fixture.cache.size().entries == 1)
  }

  @Test func aFileThatIsNotAnImageIsNotAdded() throws {
    let fixture = try CacheFixture()
    let file = try Descriptor.open(fixture.folder.write("page.html", TestImages.html()), .read)
    #expect(throws: AddingFailure.self) {
      try fixture.cache.add(file, as: CacheKey(url: "https://example.org/a.png"))
    }
    #expect(fixture.files.isEmpty)
  }

  @Test func namespacesDoNotSeeEachOther() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    let other = try DiskCache.open(root: fixture.folder.path("cache"), namespace: "other")
    #expect(other.lookup(key) == nil)
    try fixture.store(key.url, [2], in: other)
    #expect(try other.clear().entries == 1)
    #expect(fixture.cache.lookup(key) != nil)
  }

  @Test(
    "A namespace does not lead out of the cache", arguments: ["", ".", "..", "../..", "../../other", "a/b", "/tmp"])
  func namespaceIsNoPath(name: String) throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1])
    #expect(throws: CacheUnavailable.self) {
      try DiskCache.open(root: fixture.folder.path("cache"), namespace: name)
    }
  }
}
