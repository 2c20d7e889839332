import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// A cache belongs to one user: what others could have written is never served.
@Suite struct FolderTrustTests {
  private func refusal(_ root: String, user: UInt32 = Processes.user) -> String? {
    do {
      _ = try DiskCache.open(root: root, user: user)
      return nil
    } catch { return error.message }
  }

  @Test func aFolderThatOthersMayWriteToIsNotACache() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    for name in ["cache", "cache/v1", "cache/v1/default"] {
      for mode: mode_t in [0o770, 0o707, 0o777] {
        chmod(fixture.folder.path(name), mode)
        let message = try #require(refusal(fixture.folder.path("cache")))
        #expect(message.contains(fixture.folder.path(name)))
        #expect(message.contains("go-w"))
      }
      chmod(fixture.folder.path(name), 0o755)
      #expect(try fixture.another().lookup(key) != nil)
    }
  }

  @Test func anotherUsersFolderIsNotACache() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1])
    let message = try #require(refusal(fixture.folder.path("cache"), user: Processes.user + 1))
    #expect(message.contains("another user"))
  }

  @Test func aFileInItsPlaceIsNotACache() throws {
    let folder = try TemporaryFolder()
    try folder.write("cache", "text")
    #expect(refusal(folder.path("cache")) != nil)
  }

  @Test func theCachesOwnFolderMayBeReachedThroughALink() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    try FileManager.default.createSymbolicLink(
      atPath: fixture.folder.path("link"), withDestinationPath: fixture.folder.path("cache"))
    #expect(try DiskCache.open(root: fixture.folder.path("link")).lookup(key) != nil)
  }

  @Test func insideItNoLinkIsFollowed() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1])
    for name in ["cache/v1/default", "cache/v1"] {
      try FileManager.default.moveItem(
        atPath: fixture.folder.path(name), toPath: fixture.folder.path("elsewhere"))
      try FileManager.default.createSymbolicLink(
        atPath: fixture.folder.path(name), withDestinationPath: fixture.folder.path("elsewhere"))
      #expect(refusal(fixture.folder.path("cache")) != nil)
      try fixture.folder.remove(name)
      try FileManager.default.moveItem(
        atPath: fixture.folder.path("elsewhere"), toPath: fixture.folder.path(name))
    }
    #expect(refusal(fixture.folder.path("cache")) == nil)
  }

  @Test func aReadOnlyCacheThatCannotBeTrustedIsSkippedAndReported() throws {
    let lower = try CacheFixture()
    let key = try lower.store("https://example.org/a.png", [1])
    chmod(lower.folder.path("cache"), 0o777)
    let said = Guarded<[String]>([])
    let cache = try DiskCache.open(
      root: lower.folder.path("mine"), readOnlyCaches: [lower.folder.path("cache"), lower.folder.path("none")]
    ) { sentence in said.withLock { $0.append(sentence) } }
    #expect(cache.lookup(key) == nil)
    #expect(said.withLock { $0.count } == 2)
  }

  @Test func aCacheThatCannotBeMadeCostsOnlyTheCache() throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "text")
    let cache = try DiskCache.open(root: folder.path("dangling/cache"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("dangling"), withDestinationPath: folder.path("file"))
    let key = CacheKey(url: "https://example.org/a.png")
    #expect(cache.lookup(key) == nil)
    #expect(cache.claimPart(key).warning?.contains(folder.path("dangling/cache")) == true)
  }
}
