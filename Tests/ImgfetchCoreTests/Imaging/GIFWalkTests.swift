import ImgfetchCore
import Testing
import TestSupport

@Suite("Damaged GIFs are refused")
struct GIFWalkTests {
  private func screen(width: UInt8 = 4, height: UInt8 = 4, flags: UInt8 = 0) -> [UInt8] {
    Array("GIF89a".utf8) + [width, 0, height, 0, flags, 0, 0]
  }

  private func frame(
    x: UInt8 = 0, width: UInt8 = 4, height: UInt8 = 4, flags: UInt8 = 0, codeSize: UInt8 = 2,
    data: [UInt8] = [8, 1, 2, 3, 4, 5, 6, 7, 8, 0]
  ) -> [UInt8] {
    [0x2C, x, 0, 0, 0, width, 0, height, 0, flags, codeSize] + data
  }

  private let end: [UInt8] = [0x3B]

  @Test func frames() throws {
    #expect(try inspected(screen() + frame() + frame(x: 2, width: 2) + end).get().frames == 2)
    #expect(damage(screen() + end) == "it ends without an image")
    #expect(damage(screen() + frame(width: 0) + end) == "a frame of no pixels")
    #expect(refusal(screen() + frame()) == .truncated(.gif, at: 34))
  }

  @Test func codes() {
    for size in [2, 8] as [UInt8] { #expect(refusal(screen() + frame(codeSize: size) + end) == nil) }
    for size in [0, 9, 12] as [UInt8] {
      #expect(damage(screen() + frame(codeSize: size) + end) == "a frame with codes of a size that cannot be")
    }
    #expect(damage(screen() + frame(data: [0]) + end) == "a frame with too little data for its pixels")
    #expect(damage(screen() + frame(data: [1, 0xFF, 0]) + end) == "a frame with too little data for its pixels")
  }

  @Test func colourTables() throws {
    let table = [UInt8](repeating: 9, count: 12)
    let bytes = screen(flags: 0x81) + table + frame(flags: 0x81).dropLast(11) + table + frame().suffix(11) + end
    #expect(try inspected(bytes).get().bits == 2)
    #expect(refusal(Array(screen(flags: 0x87) + table)) == .truncated(.gif, at: 25))
  }

  @Test func extensions() throws {
    let comment: [UInt8] = [0x21, 0xFE, 2, 65, 66, 1, 67, 0]
    let unknown: [UInt8] = [0x21, 0x42, 0]
    let looping: [UInt8] = [0x21, 0xFF, 11] + Array("ANIMEXTS1.0".utf8) + [3, 1, 0x10, 0x27, 0]
    let other: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [3, 1, 9, 9, 0]
    let facts = try inspected(screen() + comment + looping + other + unknown + frame() + comment + end).get()
    #expect((facts.loopCount, facts.hasAlpha) == (10_000, false))
    let transparent = try inspected(screen() + [0x21, 0xF9, 4, 1, 0, 0, 0, 0] + frame() + end).get()
    #expect((transparent.loopCount, transparent.hasAlpha) == (nil, true))
  }

  @Test func bytesOutsideOfBlocks() {
    #expect(damage(screen() + [7] + frame() + end) == "neither a frame nor an extension nor the end mark")
    // A hole in the data: a block's length is read from a wrong place.
    var image = TestImages.gif(width: 40, height: 40)
    image.removeSubrange(700..<760)
    #expect(refusal(image) != nil)
  }
}
