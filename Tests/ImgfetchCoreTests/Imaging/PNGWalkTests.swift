import ImgfetchCore
import Testing
import TestSupport

@Suite("Damaged PNGs are refused")
struct PNGWalkTests {
  /// A chunk of a file under construction.
  private typealias Chunk = (name: String, content: [UInt8])

  private func file(_ chunks: [Chunk]) -> [UInt8] {
    TestImages.pngSignature + chunks.flatMap { TestImages.pngChunk($0.name, $0.content) }
  }

  private func header(_ colourType: Int = 2, depth: Int = 8) -> Chunk {
    ("IHDR", TestImages.pngHeader(width: 4, height: 2, depth: depth, colourType: colourType))
  }

  private let data: Chunk = ("IDAT", TestImages.deflated([UInt8](repeating: 0, count: 26)))
  private let end: Chunk = ("IEND", [])
  private let palette: Chunk = ("PLTE", [1, 2, 3, 4, 5, 6])

  private func number(_ value: Int) -> [UInt8] { [0, 0, 0, UInt8(value)] }

  private func control(_ sequence: Int, width: Int = 4, height: Int = 2, x: Int = 0) -> Chunk {
    ("fcTL", number(sequence) + number(width) + number(height) + number(x) + number(0) + [0, 1, 0, 1, 0, 0])
  }

  private func announce(_ frames: Int) -> Chunk { ("acTL", number(frames) + number(0)) }

  private func frame(_ sequence: Int) -> Chunk { ("fdAT", number(sequence) + data.content) }

  @Test func everyFlippedBitIsFound() {
    for image in validImages where image.name.contains("PNG") {
      for place in image.bytes.indices {
        for bit in 0..<8 {
          var bytes = image.bytes
          bytes[place] ^= 1 << bit
          let isFound = (try? inspected(bytes).get())?.flaws.isEmpty != true
          #expect(isFound, "\(image.name), bit \(bit) of byte \(place)")
        }
      }
    }
  }

  @Test func orderOfChunks() {
    #expect(refusal(file([header(), data, end])) == nil)
    #expect(damage(file([data, end])) == "its first chunk is not its header")
    #expect(damage(file([header(), header(), data, end])) == "a second header")
    #expect(damage(file([header(), end])) == "it ends without image data")
    #expect(damage(file([header(), data, ("tEXt", [65, 0, 66]), data, end])) == "image data that is interrupted")
    #expect(damage(file([header(), palette, palette, data, end])) == "a palette out of its place")
    #expect(damage(file([header(3), data, end])) == "image data without its palette")
    #expect(refusal(file([header(3), palette, data, end])) == nil)
    #expect(refusal(file([header(), palette, ("tEXt", [65, 0, 66]), data, ("tIME", [1]), end])) == nil)
  }

  @Test func invalidChunks() {
    #expect(damage(file([header(), ("IDAX", [1]), data, end])) == "a chunk that is needed and not known")
    #expect(damage(file([header(), ("a1bc", [1]), data, end])) == "a chunk without a name")
    #expect(damage(file([header(3), ("PLTE", [1, 2]), data, end])) == "a palette of 2 bytes")
    #expect(damage(file([("IHDR", header().content + [0])])) == "a chunk of 14 bytes that must have 13")
    let long = file([header()]) + [0x80, 0, 0, 0] + Array("tEXt".utf8)
    #expect(damage(long) == "a chunk that is longer than the format allows")
  }

  @Test(arguments: [(1, 8), (2, 4), (3, 16), (4, 4), (5, 8), (6, 2), (7, 8), (0, 3), (0, 0)])
  func headersThatCannotBe(colourType: Int, depth: Int) {
    #expect(damage(file([header(colourType, depth: depth), palette, data, end])) == "a header that cannot be")
  }

  @Test func unknownMethods() {
    for place in [10, 11, 12] {
      var content = header().content
      content[place] = 2
      #expect(damage(file([("IHDR", content), data, end])) == "a header that cannot be")
    }
  }

  @Test func tooLittleData() {
    let large: Chunk = ("IHDR", TestImages.pngHeader(width: 4000, height: 4000, depth: 8, colourType: 6))
    #expect(damage(file([large, data, end])) == "too little image data for its pixels")
    #expect(damage(file([header(), ("IDAT", []), end])) == "too little image data for its pixels")
  }

  @Test func animations() throws {
    let whole = file([header(), announce(2), control(0), data, control(1), frame(2), frame(3), end])
    #expect(try inspected(whole).get().frames == 2)
    let hidden = file([header(), announce(1), data, control(0, width: 2, x: 2), frame(1), end])
    #expect(try inspected(hidden).get().frames == 1)
    // The still image counts, also where it is none of the frames.
    let still: [[Chunk]] = [
      [announce(3), control(0), data, control(1), frame(2)], [announce(1), control(0), data, control(1), frame(2)],
      [announce(0), data], [announce(1), announce(1), control(0), data],
      [announce(2), control(0), data, control(1), frame(3)], [announce(2), control(1), data, control(2), frame(3)],
      [announce(2), control(0), data, control(1)], [announce(2), control(0), data, frame(1)],
      [announce(1), control(0), frame(1), data], [announce(2), data, frame(0)],
      [announce(1), control(0, width: 2), data], [announce(1), data, control(0, width: 3, x: 2), frame(1)],
      [announce(1), data, control(0, width: 0), frame(1)], [announce(1), data, control(5), frame(6)],
      [announce(1), data, control(0), frame(1), frame(1)],
    ]
    for chunks in still {
      let facts = try inspected(file([header()] + chunks + [end])).get()
      #expect((facts.frames, facts.loopCount, facts.flaws.all) == (1, nil, [.brokenAnimation]))
    }
  }

  @Test func animationChunksWithoutAnnouncementAreIgnored() throws {
    let facts = try inspected(file([header(), control(7), data, announce(9), frame(3), end])).get()
    #expect((facts.frames, facts.loopCount) == (1, nil))
  }
}
