import Testing
import TestSupport

@testable import ImgfetchCore

/// The expected texts were made by the Python packages thumbhash 0.1.2 (its alpha put right), blurhash 1.1.5 and
/// ImageHash 4.3.2, of the same pixels.
@Suite("Fingerprints")
struct FingerprintTests {
  struct Sample: Sendable {
    var width: Int
    var height: Int
    var hasAlpha = false
    var texts: [String]
  }

  static let samples = [
    Sample(
      width: 40, height: 30,
      texts: [
        "XAkOTZr0h4eDh4eJh3d4iH9xhP94", "L,H.Gtk3|is%l}f6o2jZgNfhfSfj", "0f0f0f0f0f0f0f0f", "aa51d555d51dd541",
      ]),
    Sample(
      width: 30, height: 40,
      texts: [
        "nAkOPRr2h3KIqIh4eIh3iKyAgf94", "L.H_x5oZ|gs+l}e:jujHgOfhfSfj", "0f0f0f0f0f0f0f0f", "aa3d9a17933cbc18",
      ]),
    Sample(
      width: 40, height: 30, hasAlpha: true,
      texts: [
        "XumNNJQr9IaEd4p3+BZo9W8GdieGd4h3Bw==", "L,H.Gtk3|is%l}f6o2jZgNfhfSfj", "0f0f0f0f0f0f0f0f", "aa51d555d51dd541",
      ]),
    Sample(
      width: 64, height: 12,
      texts: ["XwgSaZzzeYiDh4d4b3SH/3g=", "L^HoOOj*]GoMqlf4o3jbg1fQfQfR", "0f0f0f0f0f0f0f0f", "b752d253d05bd309"]),
  ]

  private func pixels(_ sample: Sample) -> [UInt8] {
    var pixels: [UInt8] = []
    for y in 0..<sample.height {
      for x in 0..<sample.width {
        let (left, above) = (x - sample.width / 3, y - sample.height / 2)
        let alpha = sample.hasAlpha ? min(255, (x + y) * 6) : 255
        let red = abs(2 * x - (sample.width - 1)) * 255 / (sample.width - 1)
        let green = y * 255 / (sample.height - 1)
        let blue = min(255, (left * left + above * above) / 3)
        pixels += [red, green, blue, alpha].map { UInt8($0) }
      }
    }
    return pixels
  }

  private func png(_ sample: Sample) -> [UInt8] {
    let pixels = pixels(sample)
    var rows: [UInt8] = []
    for y in 0..<sample.height {
      rows.append(0)
      rows += pixels[y * sample.width * 4..<(y + 1) * sample.width * 4]
    }
    let header = TestImages.pngHeader(width: sample.width, height: sample.height, depth: 8, colourType: 6)
    var png = TestImages.pngSignature + TestImages.pngChunk("IHDR", header)
    png += TestImages.pngChunk("IDAT", TestImages.deflated(rows))
    return png + TestImages.pngChunk("IEND", [])
  }

  private func details(_ bytes: [UInt8], _ wanted: [ImageDetail]) throws -> ImageDetails {
    try DetailWork(ImageDetailSet(wanted)).details(of: body(bytes), inspected(bytes).get(), PixelLimits())
  }

  /// Expects two fingerprints to agree but for another program's rounding: single steps of a ThumbHash, and of a pHash
  /// the waves that this even picture lacks.
  private func expectClose(_ text: String, _ expected: String, _ kind: ImageDetail) {
    switch kind {
    case .thumbhash: #expect(zip(text.utf8, expected.utf8).count { $0 != $1 } <= 6, "\(text) \(expected)")
    case .phash:
      let (bits, others) = (UInt64(text, radix: 16) ?? 0, UInt64(expected, radix: 16) ?? ~0)
      #expect((bits ^ others).nonzeroBitCount <= 8, "\(text) \(expected)")
    default: #expect(text == expected)
    }
  }

  @Test(arguments: samples) func equalThoseOfOtherPrograms(sample: Sample) throws {
    let found = try details(png(sample), ImageDetail.fingerprints)
    for (text, expected) in zip(found.fingerprints, sample.texts) { expectClose(text.1, expected, text.0) }
    #expect(found.fingerprints.map(\.0) == ImageDetail.fingerprints)
  }

  @Test(arguments: ImageDetail.fingerprints) func eachIsTheSameAlone(kind: ImageDetail) throws {
    for sample in Self.samples {
      let alone = try details(png(sample), [kind])
      expectClose(try #require(alone.text(of: kind)), sample.texts[Int(kind.rawValue)], kind)
      #expect(alone.fingerprints.count == 1)
    }
  }

  @Test func placeholdersAreUpright() throws {
    let picture = SmallPicture(size: PixelSize(40, 30), pixels: pixels(Self.samples[0]))
    for number in 1...8 {
      let way = Orientation(exif: number)
      let turned = try picture.turned(way)
      #expect(turned.size == way.turned(picture.size))
      let expected = way.source(of: PixelRect(x: 3, y: 5, width: 1, height: 1), in: turned.size)
      let at = ((5 * turned.size.width + 3) * 4, (expected.y * 40 + expected.x) * 4)
      #expect(Array(turned.pixels[at.0..<at.0 + 4]) == Array(picture.pixels[at.1..<at.1 + 4]), "orientation \(number)")
    }
    let upright = TestImages.jpeg(width: 64, height: 48)
    let tagged = TestImages.jpeg(width: 64, height: 48) { $0.orientation = 6 }
    #expect(
      try details(upright, [.thumbhash]).text(of: .thumbhash) != details(tagged, [.thumbhash]).text(of: .thumbhash))
    #expect(try details(upright, [.phash]).text(of: .phash) == details(tagged, [.phash]).text(of: .phash))
  }

  @Test func aFlatPictureHasOneStrongWave() throws {
    let flat = SmallPicture(size: PixelSize(50, 20), pixels: [UInt8](repeating: 200, count: 4000))
    #expect(PerceptualHash.text(of: flat.grey) == "8000000000000000")
    #expect(DifferenceHash.text(of: flat.grey) == "0000000000000000")
  }

  @Test func everyFormatAndShapeHasThem() throws {
    let images =
      TestImages.samples().map(\.bytes) + [
        TestImages.progressiveJPEG(), TestImages.jpeg { $0.components = 1 }, TestImages.jpeg { $0.components = 4 },
        TestImages.png(width: 1, height: 1), TestImages.png(width: 700, height: 2),
        TestImages.png(width: 2, height: 700),
        TestImages.png(width: 300, height: 200) { ($0.colourType, $0.depth) = (6, 16) }, TestImages.apng(),
        TestImages.animatedWebP(),
      ]
    for image in images {
      let found = try details(image, ImageDetail.allCases)
      #expect(found.fingerprints.count == 4 && found.exif == nil)
      #expect(found.text(of: .phash)?.utf8.count == 16)
      #expect(ImageDetails(encoded: found.encoded)?.fingerprints.map(\.1) == found.fingerprints.map(\.1))
    }
  }

  @Test func smallPicturesKeepTheShape() {
    #expect(SmallPicture.size(of: PixelSize(640, 480)) == PixelSize(100, 75))
    #expect(SmallPicture.size(of: PixelSize(100, 20)) == PixelSize(100, 20))
    #expect(SmallPicture.size(of: PixelSize(5000, 3)) == PixelSize(100, 1))
    #expect(SmallPicture.size(of: PixelSize(4000, 400), 32) == PixelSize(100, 32))
    #expect(SmallPicture.size(of: PixelSize(4000, 4), 32) == PixelSize(100, 4))
  }

  @Test func detailsOfAnythingElseAreNone() {
    #expect(ImageDetails(encoded: []) == nil)
    #expect(ImageDetails(encoded: [1, 9, 0, 0, 0]) == nil)
    #expect(ImageDetails(encoded: [UInt8](repeating: 0, count: 9000)) == nil)
    var writer = ByteWriter()
    for text in ["phash", "quote\"", "dhash", "0f", "later", "x"] { writer.put(text) }
    let read = ImageDetails(fingerprints: writer.bytes[...], exif: nil)
    #expect(read.fingerprints.map(\.1) == ["0f"])
  }
}
