import Testing
import TestSupport

@testable import ImgfetchCore

private func check(_ bytes: [UInt8], limits: PixelLimits = PixelLimits()) throws {
  try PixelCheck.verify(body(bytes), inspected(bytes).get(), limits)
}

@Suite("Every pixel is decoded on request")
struct PixelCheckTests {
  @Test func completeImagesPass() throws {
    for image in validImages {
      #expect(throws: Never.self, "\(image.name)") { try check(image.bytes) }
      let facts = try inspected(image.bytes).get()
      #expect(try PixelCheck.checksum(body(image.bytes), facts) != nil, "\(image.name)")
      #expect(throws: Never.self, "\(image.name), in a file") { try PixelCheck.verify(fileBody(image.bytes), facts) }
    }
  }

  @Test func bytesAfterTheEndDoNotMatter() throws {
    for image in validImages {
      #expect(throws: Never.self, "\(image.name)") {
        try check(image.bytes + [0xFF, 0xD8, 0x00, 0x89] + Array(repeating: 0x3B, count: 300))
      }
    }
  }

  /// The structure is valid, since all markers are there.
  @Test(arguments: [false, true])
  func aJPEGThatWasCutAndSewnUp(progressive: Bool) throws {
    let whole = TestImages.jpeg(width: 64, height: 64) {
      $0.progressive = progressive
      $0.detail = 30
    }
    let cut = Array(whole[..<(whole.count * 9 / 10)]) + [0xFF, 0xD9]
    #expect(throws: Never.self) { try inspected(cut).get() }
    #expect(throws: PixelFailure.self) { try check(cut) }
  }

  @Test func aJPEGWithAnInvalidCode() throws {
    let whole = TestImages.jpeg(width: 64, height: 64) { $0.detail = 30 }
    var refused = 0
    for place in stride(from: whole.count - 2000, to: whole.count - 2, by: 40) {
      var bytes = whole
      bytes[place] = 0xF7
      bytes[place + 1] = 0xF7
      if (try? inspected(bytes).get()) == nil || (try? check(bytes)) == nil { refused += 1 }
    }
    // Codes are dense, so some errors just give other pixels; most do not.
    #expect(refused > 20)
  }

  @Test func aPNGWithInvalidCompressedData() throws {
    var data = TestImages.deflated([UInt8](repeating: 0, count: 20 * 61))
    data[data.count - 1] ^= 1
    let bytes =
      TestImages.pngSignature
      + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 20, height: 20, depth: 8, colourType: 2))
      + TestImages.pngChunk("IDAT", data) + TestImages.pngChunk("IEND", [])
    #expect(throws: Never.self) { try inspected(bytes).get() }
    #expect(throws: PixelFailure.self) { try check(bytes) }
  }

  /// A PNG of 20 equal rows with this compressed data, or with that of the rows themselves.
  private func striped(_ adjust: (inout [UInt8]) -> Void = { _ in }, rows: Int = 20) -> [UInt8] {
    let row = [0] + (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) }
    var data = TestImages.deflated(Array(repeatElement(row, count: rows).joined()))
    adjust(&data)
    return TestImages.pngSignature
      + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 200, height: 20, depth: 8, colourType: 2))
      + TestImages.pngChunk("IDAT", data) + TestImages.pngChunk("IEND", [])
  }

  /// Browsers show it: an optimizer of old wrote such headers.
  @Test func aPNGWhoseHeaderNamesTooSmallAWindow() throws {
    // A window of 256 bytes, while each row refers to the one before, 601 bytes away.
    let small = striped { $0.replaceSubrange(0..<2, with: [0x08, 0x1D]) }
    let facts = try inspected(small).get()
    #expect(try PixelCheck.checksum(body(small), facts) == PixelCheck.checksum(body(striped()), facts))
    #expect(throws: Never.self) { try check(small) }
  }

  @Test func aPNGWithMoreDataThanItsPixelsNeed() throws {
    for more in [striped({ $0 += [1, 2, 3, 4] }), striped(rows: 21), striped(rows: 400)] {
      let facts = try inspected(more).get()
      #expect(try PixelCheck.checksum(body(more), facts) == PixelCheck.checksum(body(striped()), facts))
      #expect(throws: Never.self) { try check(more) }
    }
  }

  @Test func aPNGWithTooFewRows() throws {
    for rows in [0, 1, 19] {
      let bytes =
        TestImages.pngSignature
        + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 20, height: 20, depth: 8, colourType: 2))
        + TestImages.pngChunk("IDAT", TestImages.deflated([UInt8](repeating: 0, count: rows * 61)))
        + TestImages.pngChunk("IEND", [])
      #expect(throws: Never.self) { try inspected(bytes).get() }
      #expect(throws: PixelFailure.self) { try check(bytes) }
    }
  }

  @Test func anAPNGWithAnInvalidFrame() throws {
    var bytes = TestImages.apng(width: 16, height: 12, frames: 3)
    let last = try #require(bytes.lastRange(of: Array("fdAT".utf8)))
    let length = bytes[(last.lowerBound - 4)..<last.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    var content = Array(bytes[last.upperBound..<last.upperBound + length])
    content[content.count / 2] ^= 0x55
    bytes.replaceSubrange(
      (last.lowerBound - 4)..<(last.upperBound + length + 4), with: TestImages.pngChunk("fdAT", content))
    #expect(throws: Never.self) { try inspected(bytes).get() }
    #expect(throws: PixelFailure.self) { try check(bytes) }
  }

  @Test func aGIFWithTooFewCodes() throws {
    let whole = TestImages.gif(width: 23, height: 19)
    // The end code amid the codes.
    var bytes = whole
    bytes[bytes.count - 200] = 129
    #expect(throws: Never.self) { try inspected(bytes).get() }
    #expect(throws: PixelFailure.self) { try check(bytes) }
  }

  @Test func tooManyPixelsAreRejectedBeforeAnythingIsDecoded() throws {
    let bytes = TestImages.gif(width: 100, height: 100, frames: 3)
    #expect(throws: PixelFailure.self) { try check(bytes, limits: PixelLimits(maxPixels: 29_999)) }
    #expect(throws: Never.self) { try check(bytes, limits: PixelLimits(maxPixels: 30_000)) }
  }

  /// A progressive JPEG needs memory for all coefficients, a WebP for all pixels; where that is
  /// too much it is rejected.
  @Test func imagesThatNeedTooMuchMemory() throws {
    let little = PixelLimits(memory: PixelMemory(total: 100_000))
    let progressive = TestImages.progressiveJPEG(width: 400, height: 400)
    #expect(throws: PixelFailure.self) { try check(progressive, limits: little) }
    let webp = TestImages.webp(width: 400, height: 400)
    #expect(throws: PixelFailure.self) { try check(webp, limits: little) }
    // These need a few rows only.
    #expect(throws: Never.self) { try check(TestImages.jpeg(width: 400, height: 400), limits: little) }
    #expect(throws: Never.self) { try check(TestImages.png(width: 400, height: 400), limits: little) }
    #expect(throws: Never.self) { try check(TestImages.gif(width: 400, height: 400), limits: little) }
  }

  @Test func theChecksumDependsOnPixelsAndNotOnTheFile() throws {
    func checksum(_ bytes: [UInt8]) throws -> ContentHash? {
      try PixelCheck.checksum(body(bytes), inspected(bytes).get())
    }
    var png = KnownPNG(width: 19, height: 13, colourType: 0, depth: 8)
    let plain = try checksum(png.bytes)
    png.interlaced = true
    #expect(try checksum(png.bytes) == plain)
    png.colourType = 2
    #expect(try checksum(png.bytes) != plain)
  }

  @Test func sharesOfMemoryAreReturned() {
    let memory = PixelMemory(total: 100)
    for _ in 0..<3 { #expect(memory.holding(1000) { $0 } == 100) }
    #expect(memory.holding(60) { $0 } == 60)
    #expect(memory.holding(-1) { $0 } == 0)
  }
}

extension [UInt8] {
  /// The last place of `pattern`.
  fileprivate func lastRange(of pattern: [UInt8]) -> Range<Int>? {
    guard count >= pattern.count else { return nil }
    for start in stride(from: count - pattern.count, through: 0, by: -1)
    where Array(self[start..<start + pattern.count]) == pattern {
      return start..<start + pattern.count
    }
    return nil
  }
}
