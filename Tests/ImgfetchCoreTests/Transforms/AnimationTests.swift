import Testing
import TestSupport

@testable import ImgfetchCore

private func made(_ bytes: [UInt8], _ transform: ImageTransform) throws -> (ImageFacts, [(Picture, Int)]) {
  let outcome = try transform.apply(to: body(bytes), inspected(bytes).get())
  return (outcome.facts, try decoded(outcome.body, outcome.facts))
}

@Suite("Animations remain animations if the target format supports them")
struct AnimationTests {
  private let animations: [(name: String, bytes: [UInt8])] = [
    ("GIF", TestImages.gif(width: 24, height: 18, frames: 4)),
    ("APNG", TestImages.apng(width: 24, height: 18, frames: 4)),
    ("WebP", TestImages.animatedWebP(width: 24, height: 18, frames: 4)),
  ]

  @Test func frameByFrame() throws {
    for animation in animations {
      let before = try decoded(animation.bytes)
      #expect(before.count == 4, "\(animation.name)")
      for target in [ImageTransform.Target.same, .format(.png), .format(.webp)] {
        let (facts, pictures) = try made(
          animation.bytes, ImageTransform(steps: [.resize(Resize(.width(12)))], target: target))
        #expect(
          (facts.width, facts.height, facts.frames, facts.loopCount) == (12, 9, 4, 0), "\(animation.name) \(target)")
        #expect(pictures.map { $0.1 } == before.map(\.milliseconds), "\(animation.name) \(target)")
      }
    }
  }

  @Test func pixelsOfEachFrameAreKept() throws {
    for animation in animations where animation.name != "GIF" {
      let before = try decoded(animation.bytes)
      let (_, turned) = try made(animation.bytes, ImageTransform(steps: [.turn(.half)], target: .format(.png)))
      for (one, other) in zip(before, turned) {
        #expect(other.0.samples == one.picture.samples.reversed(), "\(animation.name)")
      }
    }
    // A GIF's frames have few colours, so they are kept exactly too.
    let gif = TestImages.gif(width: 24, height: 18, frames: 3) { $0.transparent = true }
    let before = try decoded(gif)
    let (_, turned) = try made(gif, ImageTransform(steps: [.turn(.half)]))
    for (one, other) in zip(before, turned) { #expect(other.0.samples == one.picture.samples.reversed()) }
  }

  @Test func theFirstFrameAlone() throws {
    for animation in animations {
      let first = try #require(decoded(animation.bytes).first?.picture)
      for transform in [
        ImageTransform(target: .format(.png), takesFirstFrame: true), ImageTransform(target: .format(.jpeg)),
      ] {
        let (facts, pictures) = try made(animation.bytes, transform)
        #expect((facts.frames, pictures.count) == (1, 1), "\(animation.name)")
        if facts.format == .png { #expect(pictures.first?.0.samples == first.samples, "\(animation.name)") }
      }
    }
  }

  @Test func howOftenTheyPlay() throws {
    // GIF counts repetitions.
    let thrice = TestImages.gif(frames: 2) { $0.loops = 2 }
    #expect(try made(thrice, ImageTransform(target: .format(.webp))).0.loopCount == 3)
    #expect(try made(thrice, ImageTransform(target: .format(.png))).0.loopCount == 3)
    #expect(try made(thrice, ImageTransform(quality: 9)).0.loopCount == 2)
    let once = TestImages.gif(frames: 2) { $0.loops = nil }
    #expect(try made(once, ImageTransform(target: .format(.webp))).0.loopCount == 1)
    #expect(try made(once, ImageTransform(quality: 9)).0.loopCount == nil)
  }

  @Test func moreColoursThanAGIFCanHave() throws {
    let photo = KnownPNG(width: 64, height: 64, colourType: 2, depth: 8)
    let decoder = try ImageDecoder(body(photo.bytes), inspected(photo.bytes).get(), memory: 1 << 20)
    _ = try decoder.next()
    let rows = ConvertedRows(decoder, RowConverter(from: decoder.layout, to: .rgba))
    let encoder = try ImageEncoder(.gif, rows.layout, .init())
    try encoder.write(rows)
    let gif = try encoder.finish()
    let shown = try #require(decoded(gif).first).picture
    #expect(Set(shown.samples).count <= 256)
    // Close to the original: noise in all colours is the hardest case.
    let far = zip(shown.samples, 0...).filter { pixel, place in
      let before = photo.expected(place % 64, place / 64)
      return zip(pixel, before).contains { abs($0 - $1) > 64 }
    }
    #expect(far.count < 64 * 64 / 20)
  }
}

@Suite("Frames are composed as their formats specify")
struct CompositionTests {
  /// A GIF of 2x1 pixels in which each frame sets one pixel, with these disposals.
  private func gif(_ frames: [(x: Int, colour: Int, disposal: Int)]) -> [UInt8] {
    var bytes: [UInt8] = Array("GIF89a".utf8) + [2, 0, 1, 0, 0x81, 0, 0]
    bytes += [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]
    for frame in frames {
      bytes += [0x21, 0xF9, 4, UInt8(frame.disposal << 2), 10, 0, 0, 0]
      bytes += [0x2C, UInt8(frame.x), 0, 0, 0, 1, 0, 1, 0, 0, 2]
      // Clear, the colour, end: three codes of three bits.
      let codes = 4 | frame.colour << 3 | 5 << 6
      bytes += [2, UInt8(codes & 255), UInt8(codes >> 8), 0]
    }
    return bytes + [0x3B]
  }

  @Test func transparencyAroundOpaqueFramesIsToldInWebP() throws {
    let transform = ImageTransform(target: .format(.webp))
    #expect(try made(gif([(0, 0, 2), (1, 1, 2)]), transform).0.hasAlpha)
    #expect(try !made(TestImages.gif(width: 24, height: 18, frames: 2), transform).0.hasAlpha)
  }

  @Test func disposals() throws {
    let red = [255, 0, 0, 255], green = [0, 255, 0, 255], blue = [0, 0, 255, 255], none = [0, 0, 0, 0]
    func shown(_ frames: [(x: Int, colour: Int, disposal: Int)]) throws -> [[[Int]]] {
      try decoded(gif(frames)).map(\.picture.samples)
    }
    #expect(try shown([(0, 0, 1), (1, 1, 1)]) == [[red, none], [red, green]])
    #expect(try shown([(0, 0, 2), (1, 1, 1)]) == [[red, none], [none, green]])
    #expect(try shown([(0, 0, 1), (0, 1, 3), (1, 2, 1)]) == [[red, none], [green, none], [red, blue]])
  }
}
