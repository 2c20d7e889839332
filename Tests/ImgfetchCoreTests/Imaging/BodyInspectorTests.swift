import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Formats of the program's own") struct BodyInspectorTests {
  private struct Own: OwnFormat {
    let mark: String
    func recognises(_ beginning: [UInt8]) -> Bool { beginning.starts(with: mark.utf8) }
    func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) {}
    func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8] { image }
  }

  private func verdict(
    _ bytes: [UInt8], pieces: Int, formats: [Own]
  ) throws(InspectionFailure) -> (own: Bool, facts: ImageFacts?) {
    var inspector = BodyInspector(limits: InspectionLimits(), formats: formats)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      try inspector.feed(Array(bytes[start..<min(bytes.count, start + pieces)]).span)
    }
    if case .accepted(let facts)? = try inspector.verdict() { return (false, facts) }
    return (inspector.own != nil, nil)
  }

  @Test("An image is recognised by its first bytes, however they come", arguments: [1, 3, 63, 64, 65, 4096])
  func recognised(pieces: Int) throws {
    for length in [4, 5, 64, 200] {
      let bytes = Array("DOTS".utf8) + [UInt8](repeating: 7, count: length - 4)
      #expect(try verdict(bytes, pieces: pieces, formats: [Own(mark: "OTHR"), Own(mark: "DOTS")]).own)
    }
  }

  @Test("What they do not recognise is inspected as ever", arguments: [1, 64, 4096])
  func others(pieces: Int) throws {
    let picture = TestImages.gif(width: 4, height: 3)
    let result = try verdict(picture, pieces: pieces, formats: [Own(mark: "DOTS")])
    #expect(!result.own && result.facts?.width == 4)
    for bytes in [Array("DOT".utf8), [], Array("<html>\(String(repeating: " ", count: 100))</html>".utf8)] {
      #expect(throws: InspectionFailure.self) { try verdict(bytes, pieces: pieces, formats: [Own(mark: "DOTS")]) }
    }
  }

  @Test("They come before the library's own formats")
  func before() throws {
    let picture = TestImages.gif(width: 4, height: 3)
    #expect(try verdict(picture, pieces: 4096, formats: [Own(mark: "GIF8")]).own)
  }
}
