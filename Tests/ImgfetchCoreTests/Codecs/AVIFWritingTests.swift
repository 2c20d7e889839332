import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Writing AVIF") struct AVIFWritingTests {
  private let limits = PixelLimits(executor: SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") })

  private func written(_ bytes: [UInt8], _ change: (inout ImageTransform) -> Void = { _ in }) throws -> InspectedImage {
    var transform = ImageTransform(target: .format(.avif), quality: 90, speed: 9)
    change(&transform)
    return try transform.apply(to: body(bytes), inspected(bytes).get(), limits)
  }

  /// The first picture of the written image, as RGBA or RGB.
  private func shown(_ image: InspectedImage) throws -> Picture {
    let made = try ImageTransform(target: .format(.png), takesFirstFrame: true).apply(
      to: image.body, image.facts, limits)
    return try #require(decoded(made.body, made.facts).first).picture
  }

  @Test("Alpha stays, and colours nearly")
  func alpha() throws {
    let image = try written(TestImages.losslessJXL)
    #expect((image.facts.format, image.facts.width, image.facts.height) == (.avif, 24, 16))
    let picture = try shown(image)
    #expect(picture[3, 3][3] == 153)
    #expect(zip(picture[12, 8], TestImages.coded(12, 8)).allSatisfy { abs($0 - $1) <= 10 })
  }

  @Test("A colour profile goes along, unless it is stripped")
  func profile() throws {
    let bytes = ProfileSandboxTests.jpeg(SwappedProfile.bytes)
    #expect(try written(bytes).facts.hasColourProfile)
    #expect(try !written(bytes) { $0.strips = true }.facts.hasColourProfile)
  }

  @Test("The orientation of EXIF becomes AVIF's own")
  func orientation() throws {
    let image = TestImages.jpeg(width: 40, height: 30) { $0.orientation = 6 }
    let facts = try written(image).facts
    #expect((facts.width, facts.height, facts.orientation) == (30, 40, 1))
  }

  @Test("XMP goes along like Exif: of whom it is and on what terms, or all of it", arguments: [false, true])
  func packet(isWhole: Bool) throws {
    let image = try written(TestImages.talkativeJPEG()) { $0.keepsMetadata = isWhole }
    let read = MetadataReader { place, count in image.body.bytes(from: place, atMost: count) }.metadata(of: .avif)
    let packet = String(decoding: read.xmp, as: UTF8.self)
    #expect(packet.contains("Some Rights") && packet.contains("DMI-PROHIBITED"), "\(packet)")
    #expect(packet.contains("A Serial") == isWhole && packet.contains("48,8N") == isWhole, "\(packet)")
    #expect(String(decoding: read.exif, as: UTF8.self).contains("A Copyright"))
    let stripped = try written(TestImages.talkativeJPEG()) { $0.strips = true }
    let none = MetadataReader { place, count in stripped.body.bytes(from: place, atMost: count) }.metadata(of: .avif)
    #expect(none == MetadataBlocks())
  }

  @Test("An animation stays one, and an image of 16 bits keeps ten")
  func kinds() throws {
    let animated = try written(TestImages.animatedAVIF)
    #expect((animated.facts.format, animated.facts.frames) == (.avif, 3))
    #expect(try written(TestImages.wideTIFF).facts.bits == 10)
  }

  @Test("An animation does not tell the time of day, so that the same pictures give the same bytes")
  func times() throws {
    let bytes = try written(TestImages.animatedAVIF).body.bytes()
    for box in ["mvhd", "tkhd", "mdhd"] {
      let name = Array(box.utf8)
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
      let width = bytes[place + 4] == 1 ? 16 : 8
      #expect(bytes[place + 8..<place + 8 + width].allSatisfy { $0 == 0 }, "\(box)")
    }
  }

  @Test("A lower quality and a slower speed make smaller files")
  func settings() throws {
    let bytes = TestImages.jpeg(width: 200, height: 150)
    let sizes = try [(90, 9), (20, 9)].map { quality, speed in
      try written(bytes) { ($0.quality, $0.speed) = (quality, speed) }.body.count
    }
    #expect(sizes[0] > sizes[1])
    let (slow, fast) = (ImageTransform(speed: 2), ImageTransform(speed: 8))
    #expect(slow.signature != fast.signature && ImageTransform(encoded: slow.encoded) == slow)
  }
}
