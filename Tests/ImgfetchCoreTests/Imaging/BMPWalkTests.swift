import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("BMP") struct BMPWalkTests {
  @Test("Every depth and header is described", arguments: [1, 4, 8, 16, 24, 32], [12, 40, 52, 108, 124])
  func kinds(bits: Int, headerSize: Int) throws {
    if headerSize == 12, bits == 16 || bits == 32 { return }
    let bytes = TestImages.bmp(width: 13, height: 7) { ($0.bits, $0.headerSize) = (bits, headerSize) }
    let facts = try inspected(bytes).get()
    #expect((facts.format, facts.width, facts.height, facts.frames) == (.bmp, 13, 7, 1))
    #expect(facts.colourModel == (bits <= 8 ? .palette : .rgb))
    #expect(facts.bits == (bits <= 8 ? bits : bits == 16 ? 5 : 8) && facts.trailingBytes == 0)
  }

  @Test("Rows may go from the top down, and bytes may follow")
  func topDown() throws {
    let bytes = TestImages.bmp { ($0.isTopDown, $0.end) = (true, [1, 2, 3]) }
    let facts = try inspected(bytes).get()
    #expect((facts.height, facts.trailingBytes) == (5, 3))
  }

  @Test("Run-length codes may go from the top down", arguments: [(1, 8), (2, 4)])
  func topDownRunLength(coding: Int, bits: Int) throws {
    let bytes = TestImages.bmp { ($0.coding, $0.bits, $0.isTopDown) = (coding, bits, true) }
    #expect(try inspected(bytes).get().height == 5)
    #expect(throws: Never.self) { try PixelCheck.verify(body(bytes), inspected(bytes).get()) }
  }

  @Test("Run-length codes are followed to their end mark", arguments: [(1, 8), (2, 4)])
  func runLength(coding: Int, bits: Int) throws {
    let bytes = TestImages.bmp { ($0.coding, $0.bits, $0.end) = (coding, bits, [9]) }
    #expect(try inspected(bytes).get().trailingBytes == 1)
    for length in 0..<bytes.count - 1 { #expect(refusal(Array(bytes.prefix(length))) != nil, "\(length)") }
  }

  @Test("Sizes that lie are refused before anything is allocated")
  func sizes() {
    var bytes = TestImages.bmp()
    bytes.replaceSubrange(18..<22, with: TestImages.little(0, 4))
    #expect(refusal(bytes) == .noPixels(.bmp))
    bytes.replaceSubrange(18..<22, with: TestImages.little(-1, 4))
    #expect(damage(bytes) == "its width is negative")
    bytes.replaceSubrange(18..<26, with: TestImages.little(0x7FFF_FFFF, 4) + TestImages.little(-0x8000_0000, 4))
    #expect(
      refusal(bytes) == .tooManyPixels(width: 0x7FFF_FFFF, height: 0x8000_0000, frames: 1, limit: 1 << 28))
  }

  @Test("A coding that does not exist is damage, as are pixels within the header")
  func impossible() {
    #expect(damage(TestImages.bmp { $0.coding = 1 }) == "24 bits a pixel in coding 1 do not exist")
    #expect(damage(TestImages.bmp { $0.start = 20 }) == "its pixels begin within its header")
    #expect(refusal(TestImages.bmp { $0.start = 1 << 30 }) == .truncated(.bmp, at: 194))
    #expect(refusal(TestImages.bmp { $0.start = 0 }) == nil)
  }

  @Test("Text that begins with BM is text")
  func text() {
    guard case .notImage = refusal(Array("BM is the beginning of this text, which goes on for a while.".utf8)) else {
      Issue.record("it was taken for a picture")
      return
    }
  }
}
