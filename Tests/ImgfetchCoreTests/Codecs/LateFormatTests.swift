import TestSupport
import Testing

@testable import ImgfetchCore

/// Formats whose libraries a helper loads before it is shut in.
@Suite("Formats by libraries that are loaded late") struct LateFormatTests {
  private let limits = PixelLimits(executor: SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") })

  /// The picture in a helper, converted to PNG, which keeps every sample.
  private func shown(_ bytes: [UInt8], strips: Bool = false) throws -> Picture {
    let facts = try inspected(bytes).get()
    try PixelCheck.verify(body(bytes), facts, limits)
    let transform = ImageTransform(target: .format(.png), strips: strips, takesFirstFrame: true)
    let made = try transform.apply(to: body(bytes), facts, limits)
    #expect((made.facts.width, made.facts.height) == (facts.width, facts.height))
    return try #require(decoded(made.body, made.facts).first).picture
  }

  /// The largest difference of any colour from that of the picture that the file was made of.
  private func difference(_ picture: Picture, by scale: Int = 1, place: (Int, Int) -> (Int, Int) = { ($0, $1) }) -> Int
  {
    var largest = 0
    for y in 0..<picture.layout.height {
      for x in 0..<picture.layout.width {
        let (fromX, fromY) = place(x, y)
        for (one, other) in zip(picture[x, y], TestImages.coded(fromX, fromY)) {
          largest = max(largest, abs(one - other * scale))
        }
      }
    }
    return largest
  }

  @Test("AVIF: alpha, turned, cut, of ten bits")
  func avif() throws {
    let alpha = try shown(TestImages.alphaAVIF)
    #expect(alpha.layout.model == .rgba && alpha[3, 3][3] == 153 && difference(alpha) <= 8)
    let turned = try shown(TestImages.turnedAVIF)
    #expect((turned.layout.width, turned.layout.height) == (16, 24))
    #expect(difference(turned) { (23 - $1, 15 - $0) } <= 8)
    let cut = try shown(TestImages.cutAVIF)
    #expect((cut.layout.width, cut.layout.height) == (12, 8))
    #expect(difference(cut) { ($0 + 8, $1 + 3) } <= 8)
    let deep = try shown(TestImages.deepAVIF)
    #expect(deep.layout.bits == 16 && difference(deep, by: 257) <= 8 * 257)
  }

  @Test("The frames of an animated AVIF, one after another")
  func frames() throws {
    let facts = try inspected(TestImages.animatedAVIF).get()
    #expect(facts.frames == 3)
    try PixelCheck.verify(body(TestImages.animatedAVIF), facts, limits)
    let made = try ImageTransform(target: .format(.webp)).apply(to: body(TestImages.animatedAVIF), facts, limits)
    let pictures = try decoded(made.body, made.facts)
    #expect(pictures.map(\.milliseconds) == [100, 100, 100])
    #expect(pictures.map { ($0.picture[9, 9][2] + 20) / 100 } == [0, 1, 2])
  }

  @Test("HEIC")
  func heic() throws { #expect(try difference(shown(TestImages.codedHEIC)) <= 8) }

  @Test("A HEIC whose turn is listed before its size, which libheif 1.15 tells unturned")
  func turnedHEIC() throws {
    let turned = try shown(TestImages.turnedHEIC)
    #expect((turned.layout.width, turned.layout.height) == (16, 24))
    #expect(difference(turned) { (23 - $1, $0) } <= 8)
  }

  @Test("A HEIC of a kind that libheif does not read is told as such: no decoder is missing")
  func unreadHEIC() throws {
    // The box of the brands, of which libheif knows none.
    let bytes =
      TestImages.box("ftyp", Array("heis".utf8) + [0, 0, 0, 0] + Array("heisheisheis".utf8))
      + TestImages.codedHEIC.dropFirst(28)
    let facts = try inspected(bytes).get()
    do throws(PixelFailure) {
      try PixelCheck.verify(body(bytes), facts, limits)
      Issue.record("it was decoded")
    } catch {
      guard case .unsupported(.heic, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("JPEG XL: bare, in boxes, lossless, turned")
  func jxl() throws {
    #expect(try difference(shown(TestImages.bareJXL)) <= 24)
    #expect(try difference(shown(TestImages.boxedJXL)) <= 24)
    let lossless = try shown(TestImages.losslessJXL)
    #expect(lossless.layout.model == .rgba && lossless[3, 3][3] == 153 && difference(lossless) == 0)
    let turned = try shown(TestImages.turnedJXL)
    #expect((turned.layout.width, turned.layout.height) == (16, 24))
    #expect(difference(turned) { ($1, 15 - $0) } <= 4)
  }

  @Test("TIFF: what is stored as 8 or 16 bits is kept as it is, everything else decoded to RGB")
  func tiff() throws {
    let wide = try shown(TestImages.wideTIFF)
    #expect((wide.layout.bits, wide.layout.model) == (16, .rgba))
    #expect(difference(wide, by: 257) == 0 && wide[0, 0][3] == 153 * 257)
    #expect(try shown(TestImages.tiledTIFF).layout.model == .grey)
    #expect(try difference(shown(TestImages.jpegTIFF)) <= 12)
    #expect(try difference(shown(TestImages.pagesTIFF)) == 0)
    #expect(try difference(shown(TestImages.inkTIFF)) <= 2)
    let fax = try shown(TestImages.faxTIFF)
    #expect(fax.samples.allSatisfy { $0 == [0, 0, 0] || $0 == [255, 255, 255] })
    // Its strips as they are.
    let plain = TestImages.tiff()
    #expect(try shown(plain).layout.width == inspected(plain).get().width)
  }

  @Test(
    "TIFF: L*a*b* has the colours that it names, white to begin with",
    arguments: [
      (8, [255, 0, 0], [255, 255, 255]), (8, [138, 81, 70], [255, 0, 0]), (8, [75, 68, 144], [0, 0, 255]),
      (9, [255, 128, 128], [255, 255, 255]), (9, [138, 209, 198], [255, 0, 0]), (8, [0, 0, 0], [0, 0, 0]),
    ] as [(Int, [UInt8], [Int])])
  func lab(photometric: Int, stored: [UInt8], colour: [Int]) throws {
    let picture = try shown(
      TestImages.tiff {
        $0.photometric = photometric
        $0.pixel = stored
      })
    #expect(zip(picture[4, 2], colour).allSatisfy { abs($0 - $1) <= 4 }, "\(picture[4, 2])")
  }

  @Test("SVG is drawn at its own size: shapes, filters, pictures within it")
  func svg() throws {
    let picture = try shown(Drawing.shapes)
    #expect((picture.layout.width, picture.layout.height, picture.layout.model) == (20, 10, .rgba))
    #expect(picture[2, 5] == [255, 0, 0, 128] && picture[15, 5] == [0, 0, 0, 0])
    #expect(try shown(Drawing.filtered)[10, 5][3] > 0)
    #expect(try shown(Drawing.withPicture)[3, 3] == [255, 0, 0, 255])
  }

  @Test(
    "An SVG that needs fonts or files is not drawn",
    arguments: [
      ("<text>a</text>", "fonts"), ("<image href='a.png'/>", "a file"), ("<use xlink:href=' http://a/b#c'/>", "a file"),
      ("<style>@import 'a.css';</style>", "a file"), ("<path d='M0 0' fill='URL( \"a.svg#b\")'/>", "a file"),
      ("<image href='data:image/svg+xml,a'/>", "a file"), ("<foreignObject/>", "a browser"),
    ])
  func needs(content: String, need: String) throws {
    let head =
      "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='9' height='9'>"
    let bytes = Array("\(head)\(content)</svg>".utf8)
    #expect(DrawnContents.need(of: bytes) == need)
    let facts = try inspected(bytes).get()
    #expect(throws: PixelFailure.unsupported(.svg, reason: "it needs \(need), which no decoder is given")) {
      try PixelCheck.verify(body(bytes), facts, limits)
    }
  }

  @Test(
    "References within an SVG, and links, are no files",
    arguments: [
      "<a href='http://a/'><path d='M0 0' fill='url(#b)'/></a>", "<use href='#c'/>",
      "<path style='fill: url(&quot;#b&quot;)'/>",
      "<path mask='url( \"#b\" )'/>",
    ])
  func needless(content: String) { #expect(DrawnContents.need(of: Array("<svg>\(content)</svg>".utf8)) == nil) }

  @Test(
    "Every cut and every flipped bit is refused or decoded, and does no harm",
    arguments: [
      TestImages.alphaAVIF, TestImages.codedHEIC, TestImages.boxedJXL, TestImages.tiledTIFF, Drawing.shapes,
    ])
  func damaged(image: [UInt8]) throws {
    let whole = try inspected(image).get()
    for length in stride(from: 0, to: image.count, by: 5) {
      let cut = Array(image.prefix(length))
      #expect(throws: PixelFailure.self) { try PixelCheck.verify(body(cut), whole, limits) }
    }
    // Each byte with one of its bits, and not with all eight: a helper that crashes has to be started anew.
    for place in image.indices {
      var flipped = image
      flipped[place] ^= 1 << UInt8(place % 8)
      guard let facts = try? inspected(flipped, maxPixels: 1 << 16).get() else { continue }
      try? PixelCheck.verify(body(flipped), facts, limits)
    }
    try PixelCheck.verify(body(image), whole, limits)
  }

  // How much it takes depends on the version of libjxl: 0.11 fails with all of these.
  @Test("A JPEG XL that needs more memory than there is for it is too large, not damaged", arguments: [10, 18, 21])
  func scarce(exponent: Int64) throws {
    let facts = try inspected(TestImages.bareJXL).get()
    do throws(PixelFailure) {
      _ = try limits.executor.perform(PixelCheck.decoding, body(TestImages.bareJXL), facts, memory: 1 << exponent)
      #expect(exponent > 10, "a kilobyte is too little for every version")
    } catch {
      guard case .tooLarge(.jxl, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("A helper's name tells its kind")
  func names() {
    for formats: Set<ImageFormat> in [[], [.avif], [.heic, .tiff]] {
      let kind = HelperKind(for: formats.union([.jpeg]))
      #expect(HelperKind(processName: kind.processName) == kind && kind.formats == formats)
    }
    #expect(HelperKind(processName: "imgfetch") == nil)
  }
}

private enum Drawing {
  static func svg(_ content: String) -> [UInt8] {
    Array("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 10'>\(content)</svg>".utf8)
  }

  static let shapes = svg("<rect width='10' height='10' fill='red' fill-opacity='.5'/>")
  static let filtered = svg(
    "<filter id='a'><feGaussianBlur stdDeviation='2'/></filter><rect width='12' height='8' filter='url(#a)'/>")
  static let withPicture = svg(
    "<image width='10' height='10' href='data:image/png;base64,\(TestImages.redPNG)'/>")
}
