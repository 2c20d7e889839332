import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("JPEG XL") struct JXLWalkTests {
  @Test("A bare codestream is described by its header, and does not tell where it ends")
  func bare() throws {
    let facts = try inspected(TestImages.bareJXL).get()
    #expect((facts.format, facts.width, facts.height, facts.bits, facts.hasAlpha) == (.jxl, 24, 16, 8, false))
    #expect(!facts.hasKnownEnd)
    #expect(try inspected(TestImages.losslessJXL).get().hasAlpha)
    #expect(refusal(Array(TestImages.bareJXL.prefix(3))) == .truncated(.jxl, at: 3))
  }

  @Test("In boxes its end is known, and each cut is found")
  func boxed() throws {
    let facts = try inspected(TestImages.boxedJXL).get()
    #expect((facts.width, facts.height, facts.hasKnownEnd) == (24, 16, true))
    for length in 1..<TestImages.boxedJXL.count {
      #expect(refusal(Array(TestImages.boxedJXL.prefix(length))) != nil, "\(length)")
    }
    let turned = try inspected(TestImages.turnedJXL).get()
    #expect((turned.width, turned.height) == (16, 24))
  }

  @Test("The result does not depend on how the bytes are cut", arguments: [TestImages.bareJXL, TestImages.boxedJXL])
  func chunks(image: [UInt8]) throws {
    let whole = try inspected(image).get()
    for size in 1...20 { #expect(try inspected(image, chunk: size).get() == whole, "\(size)") }
  }

  /// A box of this type.
  private func box(_ type: String, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
    let length = length ?? content.count + 8
    let size: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
    return size + Array(type.utf8) + content
  }

  @Test("A codestream may come in parts, and the last box may go on to the end of the file")
  func parts() throws {
    let start = Array(TestImages.boxedJXL.prefix(32))
    let code = TestImages.bareJXL
    var whole = start
    whole += box("jxlp", [0, 0, 0, 0] + code.prefix(3))
    whole += box("jxlp", [0x80, 0, 0, 1] + code.dropFirst(3))
    let facts = try inspected(whole).get()
    #expect((facts.width, facts.hasKnownEnd) == (24, true))
    #expect(refusal(Array(whole.prefix(32 + 15))) != nil)
    let endless = try inspected(start + box("jxlc", code, length: 0)).get()
    #expect((endless.height, endless.hasKnownEnd) == (16, false))
    #expect(try inspected(whole + box("Exif", [1, 2, 3, 4])).get().trailingBytes == 0)
  }

  @Test("Behind the codestream anything may follow")
  func followers() throws {
    let cut = box("Exif", [1, 2, 3, 4], length: 1000)
    for follower in [[0], [13, 10], [UInt8](repeating: 0, count: 40), Array("<!-- from a cache -->".utf8), cut] {
      let facts = try inspected(TestImages.boxedJXL + follower).get()
      #expect((facts.width, facts.height) == (24, 16), "\(follower)")
    }
  }

  @Test("Sizes that lie are refused before anything is allocated")
  func sizes() {
    // Not small, 30 bits each, all set, no ratio.
    let ones = [Int](repeating: 1, count: 30)
    var bits = [0, 1, 1]
    bits += ones
    bits += [0, 0, 0, 1, 1]
    bits += ones
    bits += [1]
    var bytes: [UInt8] = [0xFF, 0x0A]
    bytes += [UInt8](repeating: 0, count: 20)
    for (place, bit) in bits.enumerated() { bytes[2 + place / 8] |= UInt8(bit) << UInt8(place % 8) }
    #expect(
      refusal(bytes) == .tooManyPixels(width: 1 << 30, height: 1 << 30, frames: 1, limit: 1 << 28))
  }

  @Test("Every flipped bit is described or refused", arguments: [TestImages.bareJXL, TestImages.boxedJXL])
  func flipped(image: [UInt8]) {
    for bit in 0..<image.count * 8 {
      var image = image
      image[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = inspected(image)
    }
  }
}
