import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Decoding BMP and ICO") struct BitmapDecodingTests {
  /// A BMP with these parts; colours and rows follow the header.
  private func bmp(
    _ width: Int, _ height: Int, bits: Int, coding: Int = 0, header: Int = 40, masks: [Int] = [],
    colours: [[UInt8]] = [], rows: [UInt8]
  ) -> [UInt8] {
    var head = TestImages.little(header, 4) + TestImages.little(width, 4) + TestImages.little(height, 4)
    head += TestImages.little(1, 2) + TestImages.little(bits, 2) + TestImages.little(coding, 4)
    head += [UInt8](repeating: 0, count: 12) + TestImages.little(colours.count, 4) + TestImages.little(0, 4)
    head += masks.flatMap { TestImages.little($0, 4) }
    head += [UInt8](repeating: 0, count: max(0, header - head.count))
    for colour in colours { head += [colour[2], colour[1], colour[0], 0] }
    let start = 14 + head.count
    var file: [UInt8] = Array("BM".utf8)
    file += TestImages.little(start + rows.count, 4)
    file += TestImages.little(0, 4)
    file += TestImages.little(start, 4)
    file += head
    return file + rows
  }

  private func samples(_ bytes: [UInt8]) throws -> [[Int]] { try #require(try decoded(bytes).first).picture.samples }

  private let red = [255, 0, 0]
  private let blue = [0, 0, 255]

  @Test("Rows go from the bottom up, or from the top down, and end on four bytes")
  func order() throws {
    let rows: [UInt8] = [0, 0, 255, 9, 255, 0, 0, 9]
    #expect(try samples(bmp(1, 2, bits: 24, rows: rows)) == [blue, red])
    #expect(try samples(bmp(1, -2, bits: 24, rows: rows)) == [red, blue])
  }

  @Test("Numbers of every width find their colour, and one that the table lacks is black", arguments: [1, 2, 4, 8])
  func palettes(bits: Int) throws {
    let colours: [[UInt8]] = bits == 1 ? [[255, 0, 0], [0, 0, 255]] : [[255, 0, 0], [0, 0, 255], [9, 8, 7]]
    let rows: [UInt8] =
      switch bits {
      case 1: [0b0100_0000, 0, 0, 0]
      case 2: [0b0001_1011, 0, 0, 0]
      case 4: [0x01, 0x2F, 0, 0]
      default: [0, 1, 2, 200]
      }
    let wanted = bits == 1 ? [red, blue, red, red] : [red, blue, [9, 8, 7], [0, 0, 0]]
    #expect(try samples(bmp(4, 1, bits: bits, colours: colours, rows: rows)) == wanted)
  }

  @Test("Of 16 bits each colour has five, unless masks say otherwise")
  func sixteen() throws {
    let rows: [UInt8] = [0x00, 0x7C, 0x10, 0x42]
    #expect(try samples(bmp(2, 1, bits: 16, rows: rows)) == [red, [132, 132, 132]])
    let masks = [0xF800, 0x07E0, 0x001F]
    #expect(
      try samples(bmp(2, 1, bits: 16, coding: 3, masks: masks, rows: [0x00, 0xF8, 0xE0, 0x07])) == [red, [0, 255, 0]])
  }

  @Test("Alpha counts where a mask names it and some pixel has it")
  func alpha() throws {
    let masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
    let rows: [UInt8] = [0, 0, 255, 128, 255, 0, 0, 0]
    let image = bmp(2, 1, bits: 32, coding: 3, header: 108, masks: masks, rows: rows)
    #expect(try inspected(image).get().hasAlpha)
    #expect(try samples(image) == [[255, 0, 0, 128], [0, 0, 255, 0]])
    let none: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
    #expect(try samples(bmp(2, 1, bits: 32, coding: 3, header: 108, masks: masks, rows: none)) == [red, blue])
    // Without masks the fourth byte means nothing.
    let plain = bmp(2, 1, bits: 32, rows: rows)
    #expect(try !inspected(plain).get().hasAlpha)
    #expect(try samples(plain) == [red, blue])
    // Ten bits: the upper eight.
    let wide = bmp(
      1, 1, bits: 32, coding: 3, masks: [0x3FF0_0000, 0xF_FC00, 0x3FF], rows: TestImages.little(0x3FF0_0000 | 0x204, 4))
    #expect(try samples(wide) == [[255, 0, 129]])
  }

  @Test("Run-length codes are followed; what they pass over is transparent")
  func runs() throws {
    let colours: [[UInt8]] = [[255, 0, 0], [0, 0, 255]]
    let eight: [UInt8] = [2, 1, 1, 0, 0, 0, 0, 3, 1, 0, 1, 0, 0, 1]
    #expect(
      try samples(bmp(3, 2, bits: 8, coding: 1, colours: colours, rows: eight)) == [blue, red, blue, blue, blue, red])
    let four: [UInt8] = [3, 0x01, 0, 0, 0, 3, 0x10, 0x10, 0, 1]
    #expect(
      try samples(bmp(3, 2, bits: 4, coding: 2, colours: colours, rows: four)) == [blue, red, blue, red, blue, red])
    let gap: [UInt8] = [0, 2, 1, 0, 1, 1, 0, 1]
    #expect(
      try samples(bmp(2, 1, bits: 8, coding: 1, colours: colours, rows: gap)) == [[0, 0, 0, 0], [0, 0, 255, 255]])
  }

  @Test("An icon's mask makes pixels transparent, unless they have alpha of their own")
  func masks() throws {
    var bitmap = Array(bmp(2, 2, bits: 24, rows: [0, 0, 255, 255, 0, 0, 0, 0] + [0b0100_0000, 0, 0, 0]).dropFirst(14))
    #expect(try samples(TestImages.ico([bitmap])) == [[255, 0, 0, 255], [0, 0, 0, 0]])
    bitmap = Array(bmp(1, 2, bits: 32, rows: [0, 0, 255, 128] + [0x80, 0, 0, 0]).dropFirst(14))
    #expect(try samples(TestImages.ico([bitmap])) == [[255, 0, 0, 128]])
    bitmap = Array(bmp(1, 2, bits: 32, rows: [0, 0, 255, 0] + [0, 0, 0, 0]).dropFirst(14))
    #expect(try samples(TestImages.ico([bitmap])) == [[255, 0, 0, 255]])
    // With 32 bits the mask may be omitted.
    #expect(try samples(TestImages.ico([Array(bitmap.dropLast(4))])) == [red])
  }

  @Test("The largest picture counts, in an icon of bitmaps and PNGs")
  func largest() throws {
    let png = TestImages.png(width: 20, height: 20)
    let icon = TestImages.ico([TestImages.iconBitmap(width: 16, height: 16), png, TestImages.iconBitmap()])
    let wanted = try #require(try decoded(png).first).picture
    #expect(try decoded(icon).first?.picture == wanted)
    let other = TestImages.ico([TestImages.iconBitmap(width: 32, height: 32, bits: 8), png])
    let layout = try #require(try decoded(other).first).picture.layout
    #expect((layout.width, layout.height, layout.model) == (32, 32, .rgba))
    #expect(try inspected(other).get().width == 32)
  }

  @Test("What is made of one is a PNG; unchanged it stays as it is")
  func written() throws {
    let image = TestImages.bmp(width: 20, height: 10)
    let facts = try inspected(image).get()
    var transform = ImageTransform(strips: true)
    #expect(try transform.apply(to: body(image), facts).facts.format == .bmp)
    transform.steps = [.resize(Resize(.width(10)))]
    let made = try transform.apply(to: body(image), facts)
    #expect((made.facts.format, made.facts.width, made.facts.height) == (.png, 10, 5))
  }

  @Test(
    "A cut or damaged one is refused or decoded, from memory and from a file alike",
    arguments: [
      TestImages.bmp { $0.bits = 4 }, TestImages.bmp { ($0.bits, $0.coding) = (8, 1) },
      TestImages.bmp { ($0.bits, $0.coding) = (4, 2) },
      TestImages.bmp { ($0.bits, $0.coding, $0.headerSize) = (32, 3, 124) },
      TestImages.ico([TestImages.iconBitmap(width: 3, height: 3), TestImages.png(width: 4, height: 4)]),
    ])
  func damaged(image: [UInt8]) throws {
    let whole = try inspected(image).get()
    #expect(throws: Never.self) { try PixelCheck.verify(body(image), whole) }
    for length in 0..<image.count {
      // With the whole one's facts, as if the inspection had not seen it.
      _ = try? PixelCheck.decoding.run(body(Array(image.prefix(length))), whole, memory: 1 << 20)
    }
    for bit in 0..<image.count * 8 {
      var flipped = image
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let facts = try? inspected(flipped, maxPixels: 1 << 16).get() else { continue }
      _ = try? PixelCheck.decoding.run(body(flipped), facts, memory: 1 << 20)
    }
    let stored = try fileBody(image)
    #expect(try decoded(stored, whole).first?.picture == decoded(image).first?.picture)
  }
}
