import Testing

@testable import ImgfetchReport

@Suite("Sketches of thumbhashes")
struct ThumbHashPictureTests {
  @Test("A sketch has the picture's proportions and its average colour")
  func sketch() throws {
    // The hash of the definition's own example, a sunrise.
    let picture = try #require(ThumbHashPicture("1QcSHQRnh493V4dIh4eXh1h4kJUI"))
    #expect(max(picture.width, picture.height) == 20 && picture.pixels.count == picture.width * picture.height * 3)
    let average = try #require(ThumbHashPicture.average(of: "1QcSHQRnh493V4dIh4eXh1h4kJUI"))
    let mean = (0..<3).map { channel in
      stride(from: channel, to: picture.pixels.count, by: 3).reduce(0) { $0 + Int(picture.pixels[$1]) }
        / (picture.width * picture.height)
    }
    for (one, other) in zip(mean, [average.red, average.green, average.blue]) { #expect(abs(one - Int(other)) < 12) }
  }

  @Test(
    "Whatever is no thumbhash is none",
    arguments: ["", "1QcS", "###", "javascript:alert(1)", String(repeating: "A", count: 400)])
  func others(_ text: String) { #expect(ThumbHashPicture(text) == nil) }

  @Test("A PNG has its marks, lengths and sums")
  func png() throws {
    let picture = try #require(ThumbHashPicture("1QcSHQRnh493V4dIh4eXh1h4kJUI"))
    let png = TinyPNG.bytes(picture)
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    // The sum of an end is the same in each.
    #expect(png.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
  }
}
