import ImgfetchCore
import TestSupport
import Testing

/// Entries of other versions. Version 1 is written here byte by byte, as the last program with that version wrote it.
@Suite struct EntryVersionTests {
  private static let url = "http://127.0.0.1:8099/a.gif"

  private static let versionOne = bytes(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003bc8000104d5"
      + "0a3524e594ea1861194424e594ea18000000000000000000000000000000000303010101000000010000000100000001"
      + "0000000000000000000000000000001b000000687474703a2f2f3132372e302e302e313a383039392f612e6769661b00"
      + "0000687474703a2f2f3132372e302e302e313a383039392f612e67696609000000696d6167652f6769662a0000000600"
      + "00006163636570741c0000002a2f2a3b713d302e382c696d6167652f2a2c696d6167652f776562702700000045546167"
      + "3a2231220a566172793a4163636570740a436f6e74656e742d4c656e6774683a34330a2b000000000000002eba96267a"
      + "6c94474b3a743b4947cf36bcac006d9f3a89f7cda6600870cbbd77e8000000000000000000000001000000696d676665"
      + "746368")

  private static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }

  /// A cache with `file` as the entry of that URL.
  private func fixture(with file: [UInt8]) throws -> (fixture: CacheFixture, key: CacheKey) {
    let fixture = try CacheFixture()
    let key = try fixture.store(Self.url, [])
    try fixture.folder.write(fixture.path(key), file)
    return (fixture, key)
  }

  /// An entry with changed metadata, and lengths and hashes that match again.
  private func entry(
    _ metadata: EntryMetadata, body: [UInt8] = [1, 2, 3], change: (inout [UInt8]) -> Void
  ) throws -> [UInt8] {
    let trailer = try #require(metadata.trailer(bodyLength: Int64(body.count), bodyHash: body.contentHash))
    var changed = Array(trailer.dropLast(EntryFooter.length))
    change(&changed)
    var footer = Array(trailer.suffix(EntryFooter.length))
    let hash = changed.contentHash
    for at in 0..<8 { footer[24 + at] = UInt8(truncatingIfNeeded: hash.high >> UInt64(56 - 8 * at)) }
    for at in 0..<8 { footer[32 + at] = UInt8(truncatingIfNeeded: hash.low >> UInt64(56 - 8 * at)) }
    for at in 0..<4 { footer[40 + at] = UInt8(truncatingIfNeeded: changed.count >> (8 * at)) }
    return body + changed + footer
  }

  private var sample: EntryMetadata {
    var metadata = EntryMetadata.sample(CacheKey(url: Self.url), fields: HeaderFields([("ETag", "\"1\"")]))
    metadata.facts = ImageFacts(format: .gif, width: 1, height: 1, colourModel: .palette)
    metadata.provenance = Provenance(.allPublic, otherOrigins: ["https://a.example", "https://b.example:444"])
    return metadata
  }

  @Test func versionOneIsRead() throws {
    let (fixture, key) = try fixture(with: Self.versionOne)
    let found = try #require(fixture.cache.lookup(key))
    #expect(try found.body.wholeBytes() == Array(Self.versionOne.prefix(43)))
    #expect(found.metadata.status == 200)
    #expect(found.metadata.mime == "image/gif")
    #expect(found.metadata.facts?.format == .gif)
    #expect(found.metadata.fields.first("ETag") == "\"1\"")
    #expect(found.metadata.varyFields.map(\.0) == ["accept"])
    #expect(found.metadata.provenance == Provenance())
  }

  @Test func anUnknownValueInVersionOneIsDamage() throws {
    let (fixture, key) = try fixture(with: Self.versionOne + [0])
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.files.isEmpty)
  }

  @Test func versionTwoReplacesIt() throws {
    let (fixture, key) = try fixture(with: Self.versionOne)
    let old = try #require(fixture.cache.lookup(key))
    _ = try #require(fixture.cache.revalidated(old, HeaderFields([("X-New", "1")])))
    let file = try #require(fixture.folder.read(fixture.path(key)))
    #expect(file[file.count - 12] == 2)
    let found = try #require(try fixture.another().lookup(key))
    #expect(try found.body.wholeBytes() == old.body.wholeBytes())
    #expect(found.metadata.facts == old.metadata.facts)
    #expect(found.metadata.fields.contains("X-New"))
  }

  @Test func provenanceSurvivesTheRoundTrip() throws {
    for address in Provenance.Address.allCases {
      for origins in [nil, [], ["https://a.example"], ["https://a.example", "http://[::1]:81"]] {
        var metadata = sample
        metadata.provenance = Provenance(address, otherOrigins: origins)
        let (fixture, key) = try fixture(with: try entry(metadata) { _ in })
        #expect(fixture.cache.lookup(key)?.metadata.provenance == metadata.provenance)
      }
    }
  }

  /// Later programs can add fields without a new version.
  @Test func anUnknownFieldIsSkipped() throws {
    for field: [UInt8] in [[3, 0, 0, 0, 0, 0], [255, 255, 4, 0, 0, 0, 1, 2, 3, 4], [0, 0, 1, 0, 0, 0, 1]] {
      for isFirst in [false, true] {
        let count = field.count
        let file = try entry(sample) { bytes in
          // The known fields take 7 bytes and 6, 4 and 17, and 4 and 21.
          bytes.insert(contentsOf: field, at: isFirst ? bytes.count - 59 : bytes.count)
        }
        let (fixture, key) = try fixture(with: file)
        let found = try #require(fixture.cache.lookup(key), "\(count) bytes")
        #expect(found.metadata.provenance == sample.provenance)
        #expect(found.metadata.fields.first("ETag") == "\"1\"")
      }
    }
  }

  @Test func anUnreadableFieldCountsAsMissing() throws {
    for (field, provenance) in [
      ([1, 0, 0, 0, 0, 0], Provenance(.unknown, otherOrigins: [])),
      ([1, 0, 1, 0, 0, 0, 99], Provenance(.unknown, otherOrigins: [])),
      ([2, 0, 3, 0, 0, 0, 1, 0, 0], Provenance(.notPublic, otherOrigins: nil)),
      ([2, 0, 5, 0, 0, 0, 9, 0, 0, 0, 65], Provenance(.notPublic, otherOrigins: nil)),
    ] as [([UInt8], Provenance)] {
      var metadata = sample
      metadata.provenance = Provenance(.notPublic, otherOrigins: [])
      let (fixture, key) = try fixture(with: try entry(metadata) { $0 += field })
      #expect(fixture.cache.lookup(key)?.metadata.provenance == provenance)
    }
  }

  @Test func aTruncatedFieldIsDamage() throws {
    for field: [UInt8] in [[3], [3, 0, 1, 0, 0], [3, 0, 1, 0, 0, 0], [3, 0, 255, 255, 255, 255, 1]] {
      let (fixture, key) = try fixture(with: try entry(sample) { $0 += field })
      #expect(fixture.cache.lookup(key) == nil)
      #expect(fixture.files.isEmpty)
    }
  }

  @Test(arguments: [2, 3, 36, 37])
  func aValueThatOnlyLaterProgramsKnowIsLeftAlone(at offset: Int) throws {
    let file = try entry(sample) { $0[offset] = 0x40 }
    let (fixture, key) = try fixture(with: file)
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.cache.claimPart(key).warning?.contains("newer") == true)
    #expect(fixture.folder.read(fixture.path(key)) == file)
    #expect(fixture.cache.verify(repairing: true).newer == 1)
    #expect(fixture.folder.read(fixture.path(key)) == file)
  }

  @Test func aFlippedBitInAnyByteIsDamageOrALaterVersion() throws {
    let (fixture, key) = try fixture(with: [])
    let file = try entry(sample) { _ in }
    for at in file.indices {
      var damaged = file
      damaged[at] ^= 1 << (at % 8)
      try fixture.folder.write(fixture.path(key), damaged)
      #expect(try fixture.another().lookup(key) == nil, "byte \(at)")
      let isLater = (file.count - 12..<file.count - 8).contains(at)
      #expect(fixture.files.isEmpty != isLater, "byte \(at)")
    }
  }

  /// Any value in any field, with matching hashes, gives no other image and does no harm.
  @Test func anyValueInAnyFieldDoesNoHarm() throws {
    let (fixture, key) = try fixture(with: [])
    let count = try entry(sample) { _ in }.count - EntryFooter.length - 3
    for at in 0..<count {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        try fixture.folder.write(fixture.path(key), try entry(sample) { $0[at] = value })
        let found = try fixture.another().lookup(key)
        #expect(try found.map { try $0.body.wholeBytes() == [1, 2, 3] } ?? true)
      }
    }
  }
}
