import ImgfetchCore
import Testing

@Suite struct EntryFormatTests {
  private let key = CacheKey(url: "https://example.org/a.png?x=1", salt: 7, variant: 9)

  private func encoded(_ metadata: EntryMetadata) throws -> (bytes: [UInt8], range: Range<Int>) {
    let trailer = try #require(metadata.trailer(bodyLength: 0, bodyHash: [UInt8]().contentHash))
    return (trailer, 0..<(trailer.count - EntryFooter.length))
  }

  @Test func metadataSurvivesTheRoundTrip() throws {
    let fields = HeaderFields([("ETag", "\"x\""), ("Set-Cookie", "a"), ("Set-Cookie", "b")])
    let (bytes, range) = try encoded(.sample(key, fields: fields))
    let back = try #require(EntryMetadata.read(bytes, in: range, expected: nil).metadata)
    #expect(back.key == key)
    #expect(back.finalURL == "https://cdn.example.org/final.png")
    #expect(back.status == 200)
    #expect(back.mime == "image/png")
    #expect(back.verification == .structure)
    #expect(back.fields == fields)
    #expect(back.varyFields.map(\.0) == ["Accept"])
    #expect(back.varyFields.map(\.1) == ["image/webp"])
    #expect(back.requestTime == WallTime(seconds: 1_700_000_000))
    #expect(back.responseTime == WallTime(seconds: 1_700_000_001))
  }

  @Test func imageFactsSurviveTheRoundTrip() throws {
    for format in ImageFormat.allCases {
      for model in ImageFacts.ColourModel.allCases {
        let facts = ImageFacts(
          format: format, width: 640, height: 70_000, frames: 12, bits: 16, hasAlpha: true, orientation: 6,
          loopCount: 0, hasColourProfile: true, colourModel: model, trailingBytes: 5)
        var metadata = EntryMetadata.sample(key)
        metadata.facts = facts
        let (bytes, range) = try encoded(metadata)
        #expect(try #require(EntryMetadata.read(bytes, in: range, expected: key).metadata).facts == facts)
      }
    }
    let plain = ImageFacts(format: .png, width: 1, height: 1)
    var metadata = EntryMetadata.sample(key)
    metadata.facts = plain
    let (bytes, range) = try encoded(metadata)
    #expect(try #require(EntryMetadata.read(bytes, in: range, expected: key).metadata).facts == plain)
  }

  @Test func theOriginSurvivesTheRoundTrip() throws {
    var metadata = EntryMetadata.sample(key.derived(by: 0xFEED))
    metadata.origin = ContentHash(high: 1, low: 2)
    let (bytes, range) = try encoded(metadata)
    let back = try #require(EntryMetadata.read(bytes, in: range, expected: nil).metadata)
    #expect(back.key == metadata.key)
    #expect(back.origin == metadata.origin)
    #expect(EntryMetadata.read(bytes, in: range, expected: metadata.key).metadata?.origin == metadata.origin)
    for other in [key, key.derived(by: 0xFEEC), CacheKey(url: key.url, derivation: 0xFEED)] {
      #expect(EntryMetadata.read(bytes, in: range, expected: other).metadata == nil)
    }
    for end in range { #expect(EntryMetadata.read(bytes, in: 0..<end, expected: nil).metadata == nil) }
  }

  @Test func metadataOfAnotherKeyIsRejected() throws {
    let (bytes, range) = try encoded(.sample(key))
    #expect(EntryMetadata.read(bytes, in: range, expected: key).metadata != nil)
    for other in [
      CacheKey(url: key.url), CacheKey(url: key.url, salt: 7), CacheKey(url: key.url, salt: 8, variant: 9),
      CacheKey(url: "https://example.org/b.png?x=1", salt: 7, variant: 9),
    ] {
      #expect(EntryMetadata.read(bytes, in: range, expected: other).metadata == nil)
    }
  }

  @Test func truncatedMetadataIsRejected() throws {
    let (bytes, range) = try encoded(.sample(key, fields: HeaderFields([("ETag", "\"x\"")])))
    for end in range { #expect(EntryMetadata.read(bytes, in: 0..<end, expected: nil).metadata == nil) }
    #expect(EntryMetadata.read(bytes, in: 0..<(range.upperBound + 1), expected: nil).metadata == nil)
  }

  @Test func garbageDoesNoHarm() throws {
    let (bytes, range) = try encoded(.sample(key))
    for at in range {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        var damaged = bytes
        damaged[at] = value
        _ = EntryMetadata.read(damaged, in: range, expected: nil)
      }
    }
  }

  @Test func theFootersLengthsMustFitTheFile() throws {
    let body: [UInt8] = [1, 2, 3]
    let trailer = try #require(
      EntryMetadata.sample(key).trailer(bodyLength: 3, bodyHash: body.contentHash))
    let length = Int64(trailer.count + 3)
    guard case .footer(let footer) = EntryFooter.read(trailer, fileLength: length) else {
      Issue.record("no footer")
      return
    }
    #expect(footer.bodyLength == 3)
    #expect(footer.metadataLength == trailer.count - EntryFooter.length)
    #expect(footer.bodyHash == body.contentHash)
    #expect(EntryFooter.read(trailer, fileLength: length + 1) == .damaged)
    #expect(EntryFooter.read([], fileLength: 0) == .damaged)
    #expect(EntryFooter.read([UInt8](repeating: 0, count: 64), fileLength: 64) == .damaged)
  }

  @Test func aFooterOfALaterVersionIsNotTakenForDamage() throws {
    var trailer = try #require(EntryMetadata.sample(key).trailer(bodyLength: 0, bodyHash: [UInt8]().contentHash))
    trailer[trailer.count - 12] = 3
    #expect(EntryFooter.read(trailer, fileLength: Int64(trailer.count)) == .newer(version: 3))
    trailer[trailer.count - 12] = 0
    #expect(EntryFooter.read(trailer, fileLength: Int64(trailer.count)) == .damaged)
  }

  @Test func aHeaderTooLongToBeReadIsNotStored() {
    var metadata = EntryMetadata.sample(key)
    metadata.finalURL = String(repeating: "x", count: 2 << 20)
    #expect(metadata.trailer(bodyLength: 0, bodyHash: [UInt8]().contentHash) == nil)
  }

  /// The numbers on the page "The format of the disk cache".
  @Test func everyFieldIsWhereTheDocumentationSays() throws {
    var metadata = EntryMetadata.sample(key, fields: HeaderFields([("ETag", "\"1\"")]))
    metadata.provenance = Provenance(.notPublic, otherOrigins: ["http://a.example:81"])
    metadata.facts = ImageFacts(
      format: .webp, width: 640, height: 480, frames: 3, bits: 8, hasAlpha: true, orientation: 6, colourModel: .ycbcr)
    let body: [UInt8] = [1, 2, 3]
    let file = try body + #require(metadata.trailer(bodyLength: 3, bodyHash: body.contentHash))
    func number(_ offset: Int, _ width: Int) -> UInt64 {
      (0..<width).reduce(0) { $0 | UInt64(file[offset + $1]) << UInt64(8 * $1) }
    }
    let footer = file.count - 64
    #expect(String(decoding: file.suffix(8), as: UTF8.self) == "imgfetch")
    #expect(number(footer + 52, 4) == 2)
    #expect(number(footer, 8) == 3)
    let hex = file[(footer + 8)..<(footer + 24)].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    #expect(hex.joined() == body.contentHash.hex)
    let length = Int(number(footer + 40, 4))
    #expect(3 + length + 64 == file.count)

    #expect(number(3, 2) == 200)
    #expect(file[3 + 2] == 1)
    #expect(file[3 + 3] == 7)
    #expect(number(3 + 4, 8) == 1_700_000_000_000_000_000)
    #expect(number(3 + 20, 8) == 7)
    #expect(number(3 + 28, 8) == 9)
    #expect(file[(3 + 36)..<(3 + 41)] == [4, 4, 8, 6, 1])
    #expect(number(3 + 44, 4) == 640)
    #expect(number(3 + 48, 4) == 480)
    #expect(number(3 + 52, 4) == 3)
    let url = Array(key.url.utf8)
    #expect(number(3 + 68, 4) == UInt64(url.count))
    #expect(Array(file[(3 + 72)..<(3 + 72 + url.count)]) == url)
    let tags = footer - 36
    #expect(String(decoding: file[..<tags].suffix(9), as: UTF8.self) == "ETag:\"1\"\n")
    #expect(file[tags..<(tags + 7)] == [1, 0, 1, 0, 0, 0, 2])
    #expect(file[(tags + 7)..<(tags + 17)] == [2, 0, 23, 0, 0, 0, 19, 0, 0, 0])
    #expect(String(decoding: file[(tags + 17)..<footer], as: UTF8.self) == "http://a.example:81")
  }
}
