import Testing
import TestSupport

@testable import ImgfetchCore

@Suite("JPEGs are decoded at full size and at eighths of it")
struct JPEGDecodingTests {
  private func picture(_ bytes: [UInt8], eighths: Int = 8) throws -> Picture {
    try #require(decoded(body(bytes), inspected(bytes).get(), eighths: eighths).first?.picture)
  }

  /// At a fourth of the size a sequential one is decoded by other code: `SmallJPEGTests`.
  @Test(arguments: [1, 3, 4, 5, 6, 7, 8])
  func aProgressiveOneIsTheSamePictureAsASequentialOne(eighths: Int) throws {
    for components in [1, 3, 4] {
      func image(progressive: Bool) -> [UInt8] {
        TestImages.jpeg(width: 61, height: 45) {
          ($0.components, $0.progressive, $0.detail) = (components, progressive, 20)
        }
      }
      let sequential = try picture(image(progressive: false), eighths: eighths)
      #expect(sequential.layout.width == (61 * eighths + 7) / 8)
      #expect(sequential.layout.height == (45 * eighths + 7) / 8)
      // At one eighth the scans of details are skipped, which must make no difference.
      #expect(try picture(image(progressive: true), eighths: eighths) == sequential)
    }
  }

  @Test func restartMarkersMakeNoDifference() throws {
    for progressive in [false, true] {
      func image(interval: Int) -> [UInt8] {
        TestImages.jpeg(width: 61, height: 45) { ($0.progressive, $0.restartInterval) = (progressive, interval) }
      }
      for eighths in [1, 8] {
        let marked = try picture(image(interval: 3), eighths: eighths)
        #expect(marked.layout == (try picture(image(interval: 0), eighths: eighths)).layout)
      }
      #expect(throws: Never.self) {
        try PixelCheck.verify(body(image(interval: 3)), inspected(image(interval: 3)).get())
      }
    }
  }

  /// As Chromium and Pillow show it.
  @Test func inkIsTakenForInvertedWithAndWithoutAdobesMarker() throws {
    var bytes = TestImages.jpeg(width: 16, height: 16) { $0.components = 4 }
    let adobe = try picture(bytes)
    #expect(adobe.layout.model == .cmyk)
    bytes[2 + 4] = UInt8(ascii: "X")
    #expect(try picture(bytes) == adobe)
  }

  @Test func profilesInPiecesAreJoined() throws {
    let profile = SwappedProfile.bytes
    func segment(_ number: UInt8, of count: UInt8, _ content: ArraySlice<UInt8>) -> [UInt8] {
      let body = Array("ICC_PROFILE".utf8) + [0, number, count] + content
      return [0xFF, 0xE2, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }
    func read(_ segments: [UInt8]) throws -> [UInt8] {
      let bytes = inserted(segments, into: TestImages.jpeg(), at: 2)
      return try ImageDecoder(body(bytes), inspected(bytes).get(), memory: 1 << 20).profile
    }
    let first = segment(1, of: 2, profile[..<100])
    let second = segment(2, of: 2, profile[100...])
    #expect(try read(first + second) == profile)
    #expect(try read(first).isEmpty, "half of a profile is none")
    #expect(try read(second + first).isEmpty)
  }
}
