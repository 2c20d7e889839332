import Testing

@testable import imgfetch

@Suite("Numbers in rows") struct ByteWritingTests {
  @Test("A number has its digits behind what is there, whatever its length")
  func numbers() {
    for number in [0, 7, 10, 99, 100, 4_096, 1_000_000_007, -1, -10, .max, .min] as [Int64] {
      var bytes = Array("a".utf8)
      bytes.append(number: number)
      bytes.append(text: ",")
      #expect(String(decoding: bytes, as: UTF8.self) == "a\(number),")
    }
  }
}
