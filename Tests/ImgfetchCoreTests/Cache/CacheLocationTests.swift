import Foundation
import ImgfetchCore
import TestSupport
import Testing

@Suite("The secret of a cache") struct SecretTests {
  @Test func allProcessesGetTheSame() async throws {
    let fixture = try CacheFixture()
    let secrets = await withTaskGroup(of: [UInt8]?.self) { group in
      for _ in 0..<8 { group.addTask { try? fixture.another().secret() } }
      return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
    }
    #expect(secrets.count == 1)
    #expect(secrets.first??.count == 32)
    #expect(try fixture.another().secret() == secrets.first)
  }

  @Test func noOtherUserMayReadIt() throws {
    let fixture = try CacheFixture()
    let secret = try fixture.cache.secret()
    let path = fixture.folder.path("cache/v1/secret")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    chmod(path, 0o644)
    #expect(try fixture.cache.secret() != secret)
  }

  @Test func aTruncatedOneIsReplaced() throws {
    let fixture = try CacheFixture()
    let secret = try fixture.cache.secret()
    try fixture.folder.write("cache/v1/secret", Array(secret.prefix(31)))
    chmod(fixture.folder.path("cache/v1/secret"), 0o600)
    let next = try fixture.cache.secret()
    #expect(next.count == 32)
    #expect(next != secret)
  }
}
