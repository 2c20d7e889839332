import ImgfetchCore
import Testing
import TestSupport

@Suite("Images with too many pixels are rejected at their header")
struct PixelLimitTests {
  /// Inspects byte by byte and returns the place at which the image was rejected.
  private func refused(_ bytes: [UInt8], maxPixels: Int64 = 1 << 28) -> (at: Int, failure: InspectionFailure)? {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: maxPixels))
    for (place, byte) in bytes.enumerated() {
      do throws(InspectionFailure) { try inspector.feed([byte].span) } catch { return (place + 1, error) }
    }
    return nil
  }

  @Test func hugePNG() throws {
    let header = TestImages.pngHeader(width: 60_000, height: 60_000, depth: 8, colourType: 2)
    let bytes = TestImages.pngSignature + TestImages.pngChunk("IHDR", header) + [UInt8](repeating: 0, count: 100)
    let found = try #require(refused(bytes))
    #expect(found.at == 33)
    #expect(found.failure == .tooManyPixels(width: 60_000, height: 60_000, frames: 1, limit: 1 << 28))
    #expect(found.failure.description == "60000x60000 pixels are more than the limit of 268435456 pixels")
  }

  @Test func pngWhoseSizeOverflows() {
    let most = Int(Int32.max)
    let header = TestImages.pngHeader(width: most, height: most, depth: 16, colourType: 6)
    let bytes =
      TestImages.pngSignature + TestImages.pngChunk("IHDR", header) + TestImages.pngChunk("IDAT", [1, 2, 3])
      + TestImages.pngChunk("IEND", [])
    #expect(refused(bytes)?.at == 33)
    // Even without a limit there is too little data.
    #expect(refused(bytes, maxPixels: .max)?.failure.description.contains("too little image data") == true)
  }

  @Test("Without a limit, an image of more pixels than can be counted is refused before it is decoded")
  func hugeBMP() throws {
    var bytes = TestImages.bmp(width: 9, height: 1) { ($0.bits, $0.coding) = (8, 1) }
    for side in [18, 22] { bytes.replaceSubrange(side..<side + 4, with: [0xFF, 0xFF, 0xFF, 0x7F]) }
    let facts = try Inspector.facts(of: bytes, limits: InspectionLimits(maxPixels: .max))
    #expect(facts.width == Int(Int32.max) && facts.height == facts.width)
    let limits = PixelLimits(maxPixels: .max)
    #expect(throws: PixelFailure.self) { try PixelCheck.verify(body(bytes), facts, limits) }
    let small = ImageTransform.thumbnail(width: 16, height: 16)
    #expect(throws: TransformFailure.self) { try small.apply(to: body(bytes), facts, limits) }
  }

  @Test func hugeGIF() {
    let bytes = Array("GIF89a".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x2C]
    #expect(refused(bytes)?.at == 13)
    #expect(refused(bytes)?.failure == .tooManyPixels(width: 65_535, height: 65_535, frames: 1, limit: 1 << 28))
  }

  @Test func hugeJPEGAndWebP() {
    var jpeg = TestImages.jpeg()
    for place in jpeg.indices.dropLast(9) where jpeg[place] == 0xFF && jpeg[place + 1] == 0xC0 {
      for byte in 5...8 { jpeg[place + byte] = 0xFF }
    }
    guard case .tooManyPixels(65_535, 65_535, 1, _)? = refusal(jpeg) else { Issue.record("taken"); return }
    var webp = TestImages.webp { $0.extended = true }
    for byte in 24...29 { webp[byte] = 0x7F }
    guard case .tooManyPixels? = refusal(webp) else { Issue.record("taken"); return }
  }

  @Test func framesCountOnlyWhereTheyAreDecoded() throws {
    let images = [
      TestImages.gif(width: 10, height: 10, frames: 4), TestImages.apng(width: 10, height: 10, frames: 4),
      TestImages.animatedWebP(width: 10, height: 10, frames: 4),
    ]
    for bytes in images {
      #expect(refused(bytes, maxPixels: 100) == nil)
      #expect(refused(bytes, maxPixels: 99) != nil)
      let facts = try inspected(bytes).get()
      #expect(throws: PixelFailure.self) { try PixelCheck.verify(body(bytes), facts, PixelLimits(maxPixels: 399)) }
      #expect(throws: Never.self) { try PixelCheck.verify(body(bytes), facts, PixelLimits(maxPixels: 400)) }
    }
  }

  @Test func framesBeyondTheScreen() {
    let gif = TestImages.gif(width: 5, height: 5)
    let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0, 2, 1, 0, 0]
    #expect(
      refusal(gif.dropLast() + frame + [0x3B])
        == .tooManyPixels(width: 65_534, height: 65_535, frames: 1, limit: 1 << 28))
  }

  @Test func endlessScansOfAProgressiveJPEG() {
    let image = TestImages.jpeg(width: 8, height: 8) { ($0.components, $0.progressive) = (1, true) }
    let start = (image.indices.last { image[$0] == 0xFF && image[$0 + 1] == 0xDA }) ?? 0
    let scan = Array(image[start...].dropLast(2))
    let many = Array(image.dropLast(2)) + Array(repeatElement(scan, count: 10_000).joined()) + [0xFF, 0xD9]
    #expect(damage(many) == "more than 500 scans")
    let some = Array(image.dropLast(2)) + Array(repeatElement(scan, count: 400).joined()) + [0xFF, 0xD9]
    #expect(refusal(some) == nil)
  }

  @Test func imagesOfNoPixels() {
    let header = TestImages.pngHeader(width: 0, height: 4, depth: 8, colourType: 2)
    let png = TestImages.pngSignature + TestImages.pngChunk("IHDR", header)
    #expect(refusal(png) == .noPixels(.png))
    #expect(
      refusal(Array("GIF89a".utf8) + [5, 0, 0, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == .noPixels(.gif))
    var jpeg = TestImages.jpeg()
    for place in jpeg.indices.dropLast(9) where jpeg[place] == 0xFF && jpeg[place + 1] == 0xC0 {
      (jpeg[place + 5], jpeg[place + 6]) = (0, 0)
    }
    #expect(refusal(jpeg) == .noPixels(.jpeg))
    var webp = TestImages.plainLossyWebP
    (webp[26], webp[27]) = (0, 0)
    #expect(refusal(webp)?.description == "WebP of no pixels: its width or height is 0")
  }
}
