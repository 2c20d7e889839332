import Testing

@testable import ImgfetchCore

@Suite("The same bytes") struct SameBytesTests {
  @Test("are told from others, of whatever length and wherever they differ")
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
