import Testing
import TestSupport

@testable import ImgfetchCore

@Suite("Removing only metadata keeps the coded pixels")
struct StrippingTests {
  private func stripped(_ bytes: [UInt8], _ change: (inout ImageTransform) -> Void = { _ in }) throws -> [UInt8] {
    var transform = ImageTransform(strips: true)
    change(&transform)
    let outcome = try transform.apply(to: body(bytes), inspected(bytes).get())
    #expect(!outcome.facts.hasColourProfile && outcome.facts.orientation == 1)
    return try outcome.body.wholeBytes()
  }

  /// A JPEG with a profile in the given number of segments.
  private func jpeg(_ profile: [UInt8], grey: Bool = false) -> [UInt8] {
    let plain = TestImages.jpeg(width: 40, height: 30) { if grey { $0.components = 1 } }
    let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
    return plain[..<2] + [0xFF, 0xE2] + MadeProfile.big(content.count + 2, 2) + content + plain[2...]
  }

  @Test func ofAnImageWithoutAProfile() throws {
    for image in validImages where !image.name.contains("CMYK") {
      let facts = try inspected(image.bytes).get()
      // Others are made upright.
      guard facts.orientation == 1 else { continue }
      #expect(try stripped(image.bytes) == facts.format.withoutMetadata(image.bytes), "\(image.name)")
      // Other options that change nothing make no difference.
      if facts.frames == 1 {
        let turned = try stripped(image.bytes) {
          $0.steps = [.turn(.mirrored), .turn(.mirrored), .crop(Crop(PixelSize(4, 4)))]
        }
        #expect(try inspected(turned).get().width == 4, "\(image.name)")
      }
    }
  }

  @Test func ofAnImageOnDisk() throws {
    let bytes = TestImages.jpeg(width: 40, height: 30) {
      $0.orientation = 1
      $0.padding = 500_000
    }
    let outcome = try ImageTransform(strips: true).apply(to: fileBody(bytes), inspected(bytes).get())
    #expect(try outcome.body.wholeBytes() == ImageFormat.jpeg.withoutMetadata(bytes))
  }

  @Test func ofAnImageWithAProfileOfSRGB() throws {
    let bytes = jpeg(SRGBProfile.bytes)
    #expect(try stripped(bytes) == ImageFormat.jpeg.withoutMetadata(bytes))
    // A profile for colours does not apply to grey.
    let grey = jpeg(SRGBProfile.bytes, grey: true)
    #expect(try stripped(grey) == ImageFormat.jpeg.withoutMetadata(grey))
  }

  @Test func notOfAnImageWithOtherColours() throws {
    let bytes = jpeg(SwappedProfile.bytes)
    let result = try stripped(bytes)
    #expect(result != ImageFormat.jpeg.withoutMetadata(bytes))
    let before = try #require(decoded(bytes).first?.picture.samples)
    let after = try #require(decoded(result).first?.picture.samples)
    // Noise is coded inexactly, but on average red is where green was.
    func sum(_ samples: [[Int]], _ channel: Int) -> Double { Double(samples.reduce(0) { $0 + $1[channel] }) }
    let ratio = sum(after, 0) / sum(before, 1)
    #expect(ratio > 0.9 && ratio < 1.1, "\(ratio)")
  }

  @Test func notOfInk() throws {
    let bytes = TestImages.jpeg(width: 9, height: 9) { $0.components = 4 }
    #expect(try inspected(stripped(bytes)).get().colourModel == .ycbcr)
  }

  @Test func notWhereAQualityIsRequested() throws {
    let bytes = TestImages.jpeg(width: 40, height: 30)
    #expect(try stripped(bytes) { $0.quality = 20 } != ImageFormat.jpeg.withoutMetadata(bytes))
  }

  @Test func profilesThatCanBeDropped() throws {
    #expect(try ColourProfile.isImplied([], for: .rgb, .png))
    #expect(try ColourProfile.isImplied(SRGBProfile.bytes, for: .rgba, .png))
    #expect(try ColourProfile.isImplied([1, 2, 3], for: .rgb, .png))
    #expect(try !ColourProfile.isImplied(SwappedProfile.bytes, for: .rgb, .png))
    #expect(try !ColourProfile.isImplied(SRGBProfile.bytes, for: .cmyk, .jpeg))
  }
}
