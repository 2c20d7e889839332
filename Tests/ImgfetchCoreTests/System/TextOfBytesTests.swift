import Testing

@testable import ImgfetchCore

@Suite("Text cut out of bytes")
struct TextOfBytesTests {
  @Test("is what stands in the range, also where that is nothing or no UTF-8")
  func isTheRange() {
    let bytes: [UInt8] = Array("ab\u{E9}cd".utf8) + [0xFF, UInt8(ascii: "e")]
    #expect(String(bytes.span, 0..<2) == "ab")
    #expect(String(bytes.span, 2..<4) == "\u{E9}")
    #expect(String(bytes.span, 3..<3) == "")
    #expect(String(bytes.span, 3..<5) == "\u{FFFD}c")
    #expect(String(bytes.span, 6..<8) == "\u{FFFD}e")
  }
}
