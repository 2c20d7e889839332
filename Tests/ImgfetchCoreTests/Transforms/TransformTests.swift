import Testing
import TestSupport

@testable import ImgfetchCore

/// The facts and pictures of a result.
private func made(
  _ bytes: [UInt8], _ transform: ImageTransform
) throws -> (bytes: [UInt8], facts: ImageFacts, pictures: [(picture: Picture, milliseconds: Int)]) {
  let outcome = try transform.apply(to: body(bytes), inspected(bytes).get())
  guard case .bytes(let result) = outcome.body.content else { return ([], outcome.facts, []) }
  #expect(try inspected(result).get() == outcome.facts)
  try PixelCheck.verify(outcome.body, outcome.facts)
  return (result, outcome.facts, try decoded(outcome.body, outcome.facts))
}

private func pixels(_ bytes: [UInt8], _ transform: ImageTransform) throws -> [[Int]] {
  try #require(made(bytes, transform).pictures.first).picture.samples
}

private let png = KnownPNG(width: 13, height: 9, colourType: 2, depth: 8)

/// The pixels of `png` at these places.
private func original(_ places: [(x: Int, y: Int)]) -> [[Int]] { places.map { png.expected($0.x, $0.y) } }

private func places(_ columns: some Sequence<Int>, _ rows: some Sequence<Int>) -> [(x: Int, y: Int)] {
  let columns = Array(columns)
  return rows.flatMap { y in columns.map { (x: $0, y: y) } }
}

@Suite("Pixels end up where they belong")
struct TransformTests {
  @Test func crops() throws {
    let transform = ImageTransform(steps: [.crop(Crop(PixelSize(5, 4), x: 3, y: 2))])
    #expect(try pixels(png.bytes, transform) == original(places(3..<8, 2..<6)))
  }

  @Test func rotationsAndMirroring() throws {
    func turned(_ way: Orientation) throws -> [[Int]] { try pixels(png.bytes, ImageTransform(steps: [.turn(way)])) }
    #expect(try turned(.mirrored) == original(places((0..<13).reversed(), 0..<9)))
    #expect(try turned(.flipped) == original(places(0..<13, (0..<9).reversed())))
    #expect(try turned(.half) == original(places((0..<13).reversed(), (0..<9).reversed())))
    #expect(try turned(.quarter) == original((0..<13).flatMap { x in (0..<9).reversed().map { (x: x, y: $0) } }))
    #expect(
      try turned(.threeQuarters) == original((0..<13).reversed().flatMap { x in (0..<9).map { (x: x, y: $0) } }))
  }

  @Test(arguments: 1...8)
  func orientationIsAppliedOnceAndItsTagReset(exif: Int) throws {
    let chunk = TestImages.pngChunk("eXIf", TestImages.exif(orientation: exif, bigEndian: exif % 2 == 0))
    let stored = inserted(chunk, into: png.bytes, at: 33)
    let upright = try made(stored, ImageTransform(steps: [.autoOrient]))
    #expect(upright.facts.orientation == 1)
    let way = Orientation(exif: exif)
    let size = way.turned(PixelSize(13, 9))
    let expected = places(0..<size.width, 0..<size.height).map { place in
      let source = way.source(of: PixelRect(x: place.x, y: place.y, width: 1, height: 1), in: size)
      return png.expected(source.x, source.y)
    }
    #expect(upright.pictures.first?.picture.samples == expected)
    // The second time nothing happens.
    #expect(try made(upright.bytes, ImageTransform(steps: [.autoOrient])).bytes == upright.bytes)
    // Without a step it is so too, unless the pixels are to stay: then the tag is kept, in all formats that have one.
    for format in [ImageFormat.png, .jpeg, .webp] {
      let turned = try made(stored, ImageTransform(target: .format(format), quality: 90))
      #expect((turned.facts.orientation, turned.facts.width) == (1, size.width), "\(format)")
      let kept = try made(
        stored,
        ImageTransform(steps: [.crop(Crop(PixelSize(13, 8)))], target: .format(format), keepsOrientation: true))
      #expect(kept.facts.orientation == exif, "\(format)")
      #expect((kept.facts.width, kept.facts.height) == (13, 8))
    }
    #expect(try made(stored, ImageTransform(strips: true)).facts.orientation == 1)
  }

  @Test func aBorderHasTheBackgroundsColour() throws {
    let source = KnownPNG(width: 2, height: 2, colourType: 2, depth: 8)
    let padded = ImageTransform(
      steps: [.resize(Resize(.box(PixelSize(6, 4)), fit: .down, pads: true))],
      background: .init(red: 255, green: 0, blue: 10))
    let samples = try #require(made(source.bytes, padded).pictures.first?.picture.samples)
    for (place, sample) in zip(places(0..<6, 0..<4), samples) {
      let isInside = 2..<4 ~= place.x && 1..<3 ~= place.y
      let expected = isInside ? source.expected(place.x - 2, place.y - 1).prefix(3) : [255, 0, 10][...]
      #expect(sample.prefix(3).elementsEqual(expected), "\(place)")
    }
    // Grey becomes colour for its sake.
    let grey = KnownPNG(width: 2, height: 2, colourType: 0, depth: 8)
    #expect(try made(grey.bytes, padded).facts.colourModel == .rgb)
  }

  @Test func withoutAnythingToDoTheImageIsReturned() throws {
    let whole = TestImages.jpeg(width: 40, height: 30)
    let facts = try inspected(whole).get()
    for transform in [
      ImageTransform(), ImageTransform(target: .format(.jpeg)),
      ImageTransform(steps: [.resize(Resize(.box(PixelSize(100, 100)), fit: .down))]),
      ImageTransform(steps: [.autoOrient]), ImageTransform(takesFirstFrame: true),
    ] {
      let original = body(whole)
      #expect(try transform.apply(to: original, facts).body === original)
    }
  }

  @Test func lossless() throws {
    for (colourType, depth) in [(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (4, 8), (4, 16), (6, 8), (6, 16)] {
      let source = KnownPNG(width: 13, height: 9, colourType: colourType, depth: depth)
      let result = try made(source.bytes, ImageTransform(quality: 50))
      let expected = places(0..<13, 0..<9).map { source.expected($0.x, $0.y) }
      #expect(result.pictures.first?.picture.samples == expected)
      #expect(result.facts.bits == max(8, depth))
    }
  }

  @Test func transparentPixelsShowTheBackgroundInJPEG() throws {
    var clear = KnownPNG(width: 16, height: 16, colourType: 3, depth: 1)
    clear.palette = [[200, 0, 0], [200, 0, 0]]
    clear.transparency = [0, 0]
    let white = try pixels(clear.bytes, ImageTransform(target: .format(.jpeg)))
    #expect(white.allSatisfy { $0.allSatisfy { $0 >= 254 } })
    let blue = ImageTransform(target: .format(.jpeg), quality: 95, background: .init(red: 0, green: 0, blue: 255))
    #expect(try pixels(clear.bytes, blue).allSatisfy { $0[0] < 4 && $0[1] < 4 && $0[2] > 250 })
    // A grey picture with a grey background stays grey.
    let grey = KnownPNG(width: 16, height: 16, colourType: 4, depth: 8)
    #expect(try made(grey.bytes, ImageTransform(target: .format(.jpeg))).facts.colourModel == .grey)
    #expect(try made(grey.bytes, blue).facts.colourModel == .ycbcr)
  }

  @Test func inkBecomesRGB() throws {
    let result = try made(
      TestImages.jpeg(width: 33, height: 17) { $0.components = 4 }, ImageTransform(target: .format(.png)))
    #expect((result.facts.width, result.facts.height, result.facts.colourModel) == (33, 17, .rgb))
  }

  @Test func theSameTransformGivesTheSameBytes() throws {
    for image in validImages {
      for format in [ImageFormat.jpeg, .png, .webp] {
        let transform = ImageTransform(steps: [.resize(Resize(.width(20)))], target: .format(format))
        #expect(try made(image.bytes, transform).bytes == made(image.bytes, transform).bytes, "\(image.name)")
      }
    }
  }

  @Test func tooManyPixelsAreRejected() throws {
    let facts = try inspected(png.bytes).get()
    let transform = ImageTransform(steps: [.resize(Resize(.width(1000)))])
    #expect(throws: TransformFailure.self) {
      try transform.apply(to: body(png.bytes), facts, PixelLimits(maxPixels: 100_000))
    }
    #expect(throws: TransformFailure.self) {
      try ImageTransform(steps: [.resize(Resize(.width(20_000)))], target: .format(.webp))
        .apply(to: body(TestImages.png(width: 200, height: 1)), inspected(TestImages.png(width: 200, height: 1)).get())
    }
  }

  @Test func invalidPixelsGiveNoImage() throws {
    let whole = TestImages.jpeg(width: 64, height: 64) { $0.detail = 30 }
    let cut = Array(whole[..<(whole.count * 9 / 10)]) + [0xFF, 0xD9]
    #expect(throws: TransformFailure.self) { try made(cut, ImageTransform(target: .format(.png))) }
  }

  @Test func aChangedStoredImageGivesNoImage() throws {
    let bytes = png.bytes
    let facts = try inspected(bytes).get()
    let file = SharedDescriptor(try TemporaryFile.anonymous(in: "/tmp"))
    try file.file.write(bytes.span, at: 0)
    let wrong = ImageBody(
      .file(.init(descriptor: file, length: Int64(bytes.count), expectedHash: ContentHash(high: 1, low: 2))))
    #expect(throws: TransformFailure.pixels(.changed)) {
      try ImageTransform(target: .format(.jpeg)).apply(to: wrong, facts)
    }
    #expect(wrong.isDamaged)
  }
}

@Suite("Profiles are kept or applied")
struct ColourTests {
  private var red: [UInt8] {
    var png = KnownPNG(width: 16, height: 16, colourType: 3, depth: 1)
    png.palette = [[255, 0, 0], [255, 0, 0]]
    let name = Array("swap".utf8) + [0, 0]
    let chunk = TestImages.pngChunk("iCCP", name + TestImages.deflated(SwappedProfile.bytes))
    return inserted(chunk, into: png.bytes, at: 33)
  }

  @Test(arguments: [ImageFormat.png, .jpeg, .webp])
  func keptUnlessStripped(format: ImageFormat) throws {
    let kept = try made(red, ImageTransform(steps: [.turn(.half)], target: .format(format), quality: 95))
    #expect(kept.facts.hasColourProfile)
    let pixel = try #require(kept.pictures.first?.picture[8, 8])
    #expect(pixel[0] > 240 && pixel[1] < 15, "the numbers stay, whatever they mean")
    let decoder = try ImageDecoder(body(kept.bytes), kept.facts, memory: 1 << 20)
    #expect(decoder.profile == SwappedProfile.bytes)
    let stripped = try made(red, ImageTransform(target: .format(format), quality: 95, strips: true))
    #expect(!stripped.facts.hasColourProfile)
    let seen = try #require(stripped.pictures.first?.picture[8, 8])
    #expect(seen[0] < 15 && seen[1] > 240, "what was meant is shown")
  }

  @Test func aBorderHasItsColourBesideAnyProfile() throws {
    let pads = ImageTransform.Step.resize(Resize(.box(PixelSize(24, 16)), pads: true))
    let background = ImageTransform.Colour(red: 250, green: 20, blue: 0)
    for strips in [false, true] {
      let result = try made(
        red, ImageTransform(steps: [pads], target: .format(.png), background: background, strips: strips))
      #expect(result.facts.hasColourProfile == !strips)
      #expect(result.pictures.first?.picture[0, 8] == [250, 20, 0])
      let inside = try #require(result.pictures.first?.picture[12, 8])
      #expect(strips ? inside[0] < 15 && inside[1] > 240 : inside[0] > 240 && inside[1] < 15, "\(inside)")
    }
  }

  @Test(arguments: [ImageFormat.png, .jpeg])
  func greyThatBecomesColouredLosesItsProfile(format: ImageFormat) throws {
    let pads = ImageTransform.Step.resize(Resize(.box(PixelSize(24, 16)), pads: true))
    let chunk = TestImages.pngChunk(
      "iCCP", Array("grey".utf8) + [0, 0] + TestImages.deflated(LinearGreyProfile.bytes))
    func result(_ colourType: Int, _ steps: [ImageTransform.Step], red: UInt8) throws -> Bool {
      let grey = KnownPNG(width: 16, height: 16, colourType: colourType, depth: 8)
      let background = ImageTransform.Colour(red: red, green: 255, blue: 255)
      let transform = ImageTransform(steps: steps, target: .format(format), background: background)
      return try made(inserted(chunk, into: grey.bytes, at: 33), transform).facts.hasColourProfile
    }
    #expect(try result(0, [pads], red: 255))
    #expect(try !result(0, [pads], red: 0))
    #expect(try result(4, [.turn(.half)], red: 255))
    #expect(try result(4, [.turn(.half)], red: 0) == (format == .png))
  }

  @Test func anInvalidProfileIsDropped() throws {
    let nonsense = TestImages.jpeg(width: 16, height: 16) { $0.colourProfile = true }
    #expect(throws: Never.self) { try made(nonsense, ImageTransform(target: .format(.png), strips: true)) }
  }
}
