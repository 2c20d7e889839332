import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite struct FailureNoteTests {
  private let key = CacheKey(url: "https://example.org/gone.png")

  @Test func isFoundForAsLongAsRequested() throws {
    let fixture = try CacheFixture()
    #expect(fixture.cache.failureNote(of: key, within: 60) == nil)
    fixture.cache.noteFailure(of: key, status: 404, for: 3600)
    let now = fixture.clock.wallTime()
    #expect(fixture.cache.failureNote(of: key, within: 60) == FailureNote(status: 404, failed: now))
    fixture.clock.advance(.seconds(61))
    #expect(fixture.cache.failureNote(of: key, within: 60) == nil)
    #expect(try fixture.another().failureNote(of: key, within: 3600) != nil)
    fixture.cache.removeFailureNote(of: key)
    #expect(fixture.files.isEmpty)
  }

  @Test func belongsToOneKey() throws {
    let fixture = try CacheFixture()
    fixture.cache.noteFailure(of: CacheKey(url: key.url, salt: 1), status: 410, for: 3600)
    #expect(fixture.cache.failureNote(of: key, within: 60) == nil)
    #expect(fixture.cache.failureNote(of: CacheKey(url: key.url, salt: 1), within: 60)?.status == 410)
    try fixture.cache.remove(key)
    #expect(fixture.files.isEmpty)
  }

  @Test func isIgnoredWhenItIsDamaged() throws {
    let fixture = try CacheFixture()
    fixture.cache.noteFailure(of: key, status: 404, for: 3600)
    let name = try #require(fixture.files.first)
    let note = try #require(fixture.folder.read("cache/v1/default/\(name)"))
    for at in note.indices {
      var damaged = note
      damaged[at] ^= 1
      try fixture.folder.write("cache/v1/default/\(name)", damaged)
      #expect(fixture.cache.failureNote(of: key, within: 60) == nil, "byte \(at)")
    }
  }

  @Test func isNotAnImageAndIsRemovedWhenItExpires() throws {
    let fixture = try CacheFixture()
    fixture.cache.noteFailure(of: key, status: 404, for: 3600)
    #expect(try fixture.cache.size() == CacheUsage())
    #expect(try fixture.cache.exactSize() == CacheUsage())
    #expect(fixture.cache.verify(repairing: true).sound == CacheUsage())
    #expect(try fixture.cache.clean(maximumAge: 0, maximumSize: 0).temporaries == 0)
    #expect(fixture.cache.lookup(key) == nil)
    fixture.clock.advance(.seconds(3601))
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 1)
    #expect(fixture.files.isEmpty)
    fixture.cache.noteFailure(of: key, status: 404, for: 1e30)
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 0)
    #expect(try fixture.cache.clear() == CacheUsage())
    #expect(fixture.files.isEmpty)
  }
}
