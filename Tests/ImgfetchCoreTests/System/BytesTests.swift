import Testing
@testable import ImgfetchCore

@Suite("Comparing bytes") struct SameBytesTests {
  @Test("A difference is found at any length and in any place")
  func comparison() {
    for length in [0, 1, 7, 64, 1000] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      #expect(bytes.isSame(as: Array(bytes)))
      #expect(!bytes.isSame(as: bytes + [0]))
      for place in [0, length / 2, length - 1] where bytes.indices.contains(place) {
        var other = bytes
        other[place] ^= 1
        #expect(!bytes.isSame(as: other))
      }
    }
  }
}

@Suite("Text of a range of bytes")
struct TextOfBytesTests {
  @Test("is the range's text, even if it is empty or not UTF-8")
  func isTheRange() {
    let bytes: [UInt8] = Array("ab\u{E9}cd".utf8) + [0xFF, UInt8(ascii: "e")]
    #expect(String(bytes.span, 0..<2) == "ab")
    #expect(String(bytes.span, 2..<4) == "\u{E9}")
    #expect(String(bytes.span, 3..<3) == "")
    #expect(String(bytes.span, 3..<5) == "\u{FFFD}c")
    #expect(String(bytes.span, 6..<8) == "\u{FFFD}e")
  }
}

@Suite struct TextWithinTests {
  @Test(arguments: [
    ("a proxy failed", "proxy", true), ("a proxy", "a proxy", true), ("aab", "ab", true), ("a proxy", "proxies", false),
    ("", "a", false), ("a", "ab", false),
  ])
  func findsATextAnywhere(_ text: String, _ part: String, _ isThere: Bool) {
    #expect(text.holds(part) == isThere)
  }
}
