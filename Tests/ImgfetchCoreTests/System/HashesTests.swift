import CCryptoShim
import ImgfetchCore
import Testing

@Suite struct SHA256Tests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// An expectation cannot capture a borrowed span.
  private func digest(_ text: String) -> String { hex(SHA256.digest(of: Array(text.utf8).span)) }

  /// The examples of FIPS 180-2 and of NIST's collection: no, one, two and many blocks.
  @Test func digests() {
    #expect(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      digest(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")
        == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
    #expect(
      digest(String(repeating: "a", count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func hashingInPiecesGivesTheSameDigest() {
    var hash = SHA256()
    for piece in ["a", "", "bc"] { hash.update(Array(piece.utf8).span) }
    #expect(hex(hash.finish()) == digest("abc"))
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for cut in [1, 55, 56, 63, 64, 65, 127, 128, 500] {
      let (first, second) = (Array(bytes.prefix(cut)), Array(bytes.dropFirst(cut)))
      var pieces = SHA256()
      pieces.update(first.span)
      pieces.update(second.span)
      let whole = SHA256.digest(of: bytes.span)
      #expect(pieces.finish() == whole)
    }
  }

  @Test func thePrefixIsTheFirstSixteenBytesOfTheDigest() {
    for length in [0, 1, 55, 56, 64, 200] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let (high, low) = SHA256.prefix(of: bytes.span)
      let text = [high, low].map { word in hex((0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }) }
      #expect(text.joined() == hex(SHA256.digest(of: bytes.span)).prefix(32))
    }
  }

  @Test(arguments: [1, 2, 3, 64]) func theProcessorsInstructionsGiveTheSameAsPlainArithmetic(_ blocks: Int) {
    // Without such instructions this runs the same code twice.
    let compress = imgfetch_sha256_is_native() ? imgfetch_sha256_blocks_native : imgfetch_sha256_blocks_plain
    let bytes = (0..<(64 * blocks)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    var plain: [UInt32] = [1, 2, 3, 4, 5, 6, 7, .max]
    var native = plain
    imgfetch_sha256_blocks_plain(&plain, bytes, blocks)
    compress(&native, bytes, blocks)
    #expect(plain == native)
  }

  /// RFC 4231's second and sixth case: a short key, and one that is longer than a block.
  @Test func keyed() {
    #expect(
      hex(SHA256.keyed(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hex(
        SHA256.keyed(
          [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(SHA256.keyed([1], []) != SHA256.keyed([2], []))
  }
}
