import Testing

@testable import ImgfetchCore

@Suite struct MD5Tests {
  @Test(
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a"
      ),
    ])
  func theRFCsTexts(text: String, digest: String) {
    var whole = MD5()
    whole.update(text.utf8Span.span)
    #expect(hex(whole.finish()) == digest)
    for cut in 0...text.utf8.count {
      var pieces = MD5()
      let bytes = Array(text.utf8)
      pieces.update(bytes.span.extracting(0..<cut))
      pieces.update(bytes.span.extracting(cut..<bytes.count))
      #expect(hex(pieces.finish()) == digest, "cut at \(cut)")
    }
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
