import Testing
import TestSupport

@testable import ImgfetchCore

@Suite("Metadata is removed without decoding")
struct MetadataStripperTests {
  private func bare(_ bytes: [UInt8]) throws -> [UInt8] {
    try #require(inspected(bytes).get().format.withoutMetadata(bytes))
  }

  @Test func theResultIsTheSamePicture() throws {
    for image in validImages {
      let result = try bare(image.bytes)
      let before = try inspected(image.bytes).get()
      let after = try inspected(result).get()
      #expect(
        [after.width, after.height, after.frames, after.bits] == [
          before.width, before.height, before.frames, before.bits,
        ], "\(image.name)")
      #expect(after.hasAlpha == before.hasAlpha && after.loopCount == before.loopCount, "\(image.name)")
      #expect(after.colourModel == before.colourModel, "\(image.name)")
      #expect(after.orientation == 1 && !after.hasColourProfile && after.trailingBytes == 0, "\(image.name)")
      #expect(result.count <= image.bytes.count, "\(image.name)")
      let pixels = try PixelCheck.checksum(body(image.bytes), before)
      #expect(try PixelCheck.checksum(body(result), after) == pixels, "\(image.name)")
      #expect(try bare(result) == result, "\(image.name), once more")
    }
  }

  @Test func noMetadataIsLeftInAJPEG() throws {
    let plain = TestImages.jpeg(width: 40, height: 30)
    let talkative = TestImages.jpeg(width: 40, height: 30) {
      $0.orientation = 6
      $0.thumbnail = TestImages.jpeg(width: 8, height: 8)
      $0.colourProfile = true
      $0.padding = 100_000
    }
    #expect(try bare(talkative) == bare(plain))
    #expect(try bare(plain + plain) == bare(plain), "a further image behind the end mark")
  }

  @Test func onlyColourInformationIsLeftInAPNG() throws {
    let plain = TestImages.png(width: 31, height: 17)
    let gamma = TestImages.pngChunk("gAMA", [0, 0, 0xB1, 0x8F])
    let text = ["eXIf", "tEXt", "iTXt", "zTXt", "tIME", "iCCP", "prVt"].flatMap { name in
      TestImages.pngChunk(name, name == "eXIf" ? TestImages.exif(orientation: 3) : Array("a\0b".utf8))
    }
    let talkative = plain[..<33] + gamma + text + plain[33...]
    #expect(try bare(Array(talkative)) == plain[..<33] + gamma + plain[33...])
  }

  @Test func noMetadataIsLeftInAGIF() throws {
    let plain = TestImages.gif(width: 23, height: 19, frames: 3)
    let comment: [UInt8] = [0x21, 0xFE, 3, 0x41, 0x42, 0x43, 1, 0x3B, 0]
    let application = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [2, 0x2C, 0x3B, 0]
    #expect(try bare(plain.dropLast() + comment + application + [0x3B]) == plain)
  }

  /// The header has a flag for each kind of metadata.
  @Test func noMetadataIsLeftInAWebP() throws {
    let talkative = TestImages.webp { $0.extended = true }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [UInt8(content.count), 0, 0, 0] + content + (content.count % 2 == 1 ? [0] : [])
    }
    var bytes = talkative + chunk("EXIF", TestImages.exif(orientation: 6)) + chunk("XMP ", [1, 2, 3])
    bytes[20] |= 0x0C
    let length = bytes.count - 8
    for place in 0..<4 { bytes[4 + place] = UInt8(truncatingIfNeeded: length >> (8 * place)) }
    #expect(try inspected(bytes).get().orientation == 6)
    let result = try bare(bytes)
    #expect(try result == bare(talkative))
    #expect(result[20] & 0x2C == 0)
  }

  /// Bytes that were not inspected, or were changed since, must do no harm.
  @Test func invalidImagesDoNoHarm() {
    for image in validImages {
      guard let format = try? inspected(image.bytes).get().format else { continue }
      for length in 0..<min(image.bytes.count, 600) {
        _ = format.withoutMetadata(Array(image.bytes.prefix(length)))
      }
      for place in stride(from: 0, to: image.bytes.count, by: 3) {
        var bytes = image.bytes
        bytes[place] ^= 0xFF
        for other in ImageFormat.allCases { _ = other.withoutMetadata(bytes) }
      }
    }
  }
}
