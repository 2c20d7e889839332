import Testing
import TestSupport

@testable import ImgfetchCore

/// A PNG with known samples: packs rows as the format says, in one pass or in seven.
struct KnownPNG {
  var width: Int
  var height: Int
  var colourType: Int
  var depth: Int
  var interlaced = false
  var palette: [[Int]] = []
  var transparency: [UInt8] = []

  var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colourType] ?? 1 }

  /// The samples of each pixel: values that differ between neighbours and channels, and use all bits.
  func samples(_ x: Int, _ y: Int) -> [Int] {
    let most = palette.isEmpty ? (1 << depth) - 1 : palette.count - 1
    return (0..<channels).map { ((x * 7919 + y * 104_729 + $0 * 1_299_709) % 65_521) * 40_503 % (most + 1) }
  }

  var bytes: [UInt8] {
    let starts = [(0, 0), (4, 0), (0, 4), (2, 0), (0, 2), (1, 0), (0, 1)]
    let steps = [(8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)]
    var data: [UInt8] = []
    for pass in 0..<(interlaced ? 7 : 1) {
      let (start, step) = interlaced ? (starts[pass], steps[pass]) : ((0, 0), (1, 1))
      let columns = Array(stride(from: start.0, to: width, by: step.0))
      for y in stride(from: start.1, to: height, by: step.1) where !columns.isEmpty {
        data.append(0)
        data += packed(columns.flatMap { samples($0, y) })
      }
    }
    var chunks = TestImages.pngChunk(
      "IHDR",
      TestImages.pngHeader(
        width: width, height: height, depth: depth, colourType: colourType, interlaced: interlaced))
    if !palette.isEmpty { chunks += TestImages.pngChunk("PLTE", palette.flatMap { $0.map { UInt8($0) } }) }
    if !transparency.isEmpty { chunks += TestImages.pngChunk("tRNS", transparency) }
    chunks += TestImages.pngChunk("IDAT", TestImages.deflated(data))
    return TestImages.pngSignature + chunks + TestImages.pngChunk("IEND", [])
  }

  private func packed(_ row: [Int]) -> [UInt8] {
    if depth == 16 { return row.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    var bytes: [UInt8] = []
    for (place, sample) in row.enumerated() {
      let perByte = 8 / depth
      if place % perByte == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(sample << (8 - depth * (place % perByte + 1)))
    }
    return bytes
  }

  /// The expected pixels: small samples are stretched to eight bits, and indices are replaced by colours.
  func expected(_ x: Int, _ y: Int) -> [Int] {
    let stored = samples(x, y)
    if colourType == 3 {
      let number = stored[0]
      let alpha = transparency.isEmpty ? [] : [number < transparency.count ? Int(transparency[number]) : 255]
      return palette[number] + alpha
    }
    let stretched = depth < 8 ? stored.map { $0 * 255 / ((1 << depth) - 1) } : stored
    guard !transparency.isEmpty else { return stretched }
    let key = stride(from: 0, to: transparency.count, by: 2).map {
      Int(transparency[$0]) << 8 | Int(transparency[$0 + 1])
    }
    return stretched + [stored == key ? 0 : depth == 16 ? 65_535 : 255]
  }
}

private let sizes = [(1, 1), (2, 1), (1, 3), (3, 2), (5, 7), (8, 8), (9, 17), (33, 31)]

@Suite("PNGs are decoded to the pixels that were stored")
struct PNGDecodingTests {
  /// Browsers show the frame, and programs that know no animations the still picture.
  @Test func theOnlyFrameOfAnAPNGWhoseStillPictureIsNone() throws {
    let (red, green): ([UInt8], [UInt8]) = ([255, 0, 0], [0, 255, 0])
    func rows(_ colour: [UInt8]) -> [UInt8] {
      TestImages.deflated(Array(repeatElement([0] + colour + colour, count: 2).joined()))
    }
    let frame = TestImages.big(2, 4) + TestImages.big(2, 4) + [UInt8](repeating: 0, count: 9) + [10, 0, 100, 0, 0]
    func image(announcing frames: UInt8) -> [UInt8] {
      TestImages.pngSignature
        + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 2, height: 2, depth: 8, colourType: 2))
        + TestImages.pngChunk("acTL", [0, 0, 0, frames, 0, 0, 0, 0]) + TestImages.pngChunk("IDAT", rows(red))
        + TestImages.pngChunk("fcTL", [0, 0, 0, 0] + frame)
        + TestImages.pngChunk("fdAT", [0, 0, 0, 1] + rows(green)) + TestImages.pngChunk("IEND", [])
    }
    #expect(try inspected(image(announcing: 1)).get().frames == 1)
    #expect(try decoded(image(announcing: 1)).map { $0.picture[0, 0] } == [[0, 255, 0, 255]])
    // Where the animation breaks a rule, its still picture counts.
    #expect(try decoded(image(announcing: 2)).map { $0.picture[0, 0] } == [red.map(Int.init)])
  }

  private func check(_ png: KnownPNG) throws {
    let pictures = try decoded(png.bytes)
    #expect(pictures.count == 1)
    let expected = (0..<png.height).flatMap { y in (0..<png.width).map { x in png.expected(x, y) } }
    #expect(pictures.first?.picture.samples == expected, "\(png)")
  }

  @Test(
    arguments: [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (4, [8, 16]), (6, [8, 16])], [false, true])
  func everyColourTypeAndDepth(_ kind: (colourType: Int, depths: [Int]), interlaced: Bool) throws {
    for depth in kind.depths {
      for (width, height) in sizes {
        try check(
          KnownPNG(width: width, height: height, colourType: kind.colourType, depth: depth, interlaced: interlaced))
      }
    }
  }

  @Test(arguments: [1, 2, 4, 8], [false, true])
  func palettes(depth: Int, transparent: Bool) throws {
    let colours = (0..<min(1 << depth, 200)).map { [$0 * 3 % 256, 255 - $0, $0 * 91 % 256] }
    for (width, height) in sizes {
      for interlaced in [false, true] {
        var png = KnownPNG(width: width, height: height, colourType: 3, depth: depth, interlaced: interlaced)
        png.palette = colours
        // It may be shorter than the palette; the other colours are opaque.
        if transparent { png.transparency = Array([0, 128, 7].prefix(colours.count)) }
        try check(png)
      }
    }
  }

  @Test func aTransparentColour() throws {
    var grey = KnownPNG(width: 9, height: 5, colourType: 0, depth: 4)
    grey.transparency = [0, UInt8(grey.samples(3, 2)[0])]
    try check(grey)
    var deep = KnownPNG(width: 9, height: 5, colourType: 2, depth: 16)
    deep.transparency = deep.samples(4, 4).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    try check(deep)
  }

  @Test func fromAFileAsFromMemory() throws {
    let bytes = KnownPNG(width: 40, height: 30, colourType: 6, depth: 16, interlaced: true).bytes
    let facts = try inspected(bytes).get()
    let inMemory = try decoded(body(bytes), facts).map(\.picture)
    #expect(try decoded(fileBody(bytes), facts).map(\.picture) == inMemory)
    #expect(try PixelCheck.checksum(fileBody(bytes), facts) == PixelCheck.checksum(body(bytes), facts))
  }
}
