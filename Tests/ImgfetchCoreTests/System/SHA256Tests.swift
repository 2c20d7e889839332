import ImgfetchCore
import Testing

@Suite struct SHA256Tests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// An expectation cannot hold a span that it borrows.
  private func digest(_ text: String) throws -> String { hex(try SHA256.digest(of: Array(text.utf8).span)) }

  /// FIPS 180-4's examples.
  @Test func digests() throws {
    #expect(try digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(try digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func piecesAreOneRow() throws {
    var hash = try SHA256()
    for piece in ["a", "", "bc"] { hash.update(Array(piece.utf8).span) }
    #expect(hex(try hash.finish()) == (try digest("abc")))
  }

  /// RFC 4231's second case.
  @Test func keyed() throws {
    #expect(
      hex(try SHA256.keyed(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(try SHA256.keyed([1], []) != SHA256.keyed([2], []))
  }
}
