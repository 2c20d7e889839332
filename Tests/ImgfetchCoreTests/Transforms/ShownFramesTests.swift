import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Pictures for a screen") struct ShownFramesTests {
  private let sandbox = SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") }
  private let size = PixelSize(7, 5)

  private func facts(_ bytes: [UInt8]) throws -> ImageFacts {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    return try inspector.finish()
  }

  @Test("They are the same from the sandbox", arguments: TestImages.samples().map(\.bytes))
  func sandboxed(_ bytes: [UInt8]) throws {
    let facts = try facts(bytes)
    // A helper scales JPEGs by a decoder of its own, whose pixels the tests of that decoder compare.
    let size = facts.format == .jpeg ? PixelSize(facts.width, facts.height) : size
    func first(_ limits: PixelLimits) throws -> PixelBuffer {
      try ShownFrames.first(of: ImageBody(.bytes(bytes)), facts, size: size, limits)
    }
    let picture = try first(PixelLimits(executor: sandbox))
    #expect(picture.size == size && picture.bytes.count == size.width * size.height * 4)
    #expect(try picture.bytes == first(PixelLimits()).bytes)
  }

  @Test("The memory for scaling is counted, also where a picture is a line", arguments: [(1, 5000), (5000, 1)])
  func lines(width: Int, height: Int) throws {
    let bytes = TestImages.png(width: width, height: height)
    let size = PixelSize(min(width, 300), min(height, 300))
    let picture = try ShownFrames.first(
      of: ImageBody(.bytes(bytes)), try inspected(bytes).get(), size: size, PixelLimits())
    #expect(picture.size == size)
  }

  @Test("Of an animation each frame comes in its turn, and the helper takes the next job")
  func animation() throws {
    let bytes = TestImages.apng(frames: 3)
    let facts = try facts(bytes)
    for _ in 0..<2 {
      let frames = try ShownFrames(
        ImageBody(.bytes(bytes)), facts, size: size, memory: 64 << 20, executor: sandbox)
      var pictures: [[UInt8]] = []
      while let picture = try frames.next() { pictures.append(picture.bytes) }
      #expect(pictures.count == 3 && Set(pictures).count == 3)
    }
    // Frames that are not asked for are no matter.
    _ = try ShownFrames(ImageBody(.bytes(bytes)), facts, size: size, memory: 64 << 20, executor: sandbox).next()
    #expect(try PixelCheck.checksum(ImageBody(.bytes(bytes)), facts, PixelLimits(executor: sandbox)) != nil)
  }

  @Test("A damaged image fails, and the helper goes on")
  func damaged() throws {
    let bytes = TestImages.png(width: 40, height: 40)
    let facts = try facts(bytes)
    let limits = PixelLimits(executor: sandbox)
    #expect(throws: PixelFailure.self) {
      try ShownFrames.first(of: ImageBody(.bytes(Array(bytes.prefix(bytes.count / 2)))), facts, size: size, limits)
    }
    #expect(try ShownFrames.first(of: ImageBody(.bytes(bytes)), facts, size: size, limits).size == size)
  }

  @Test("An image with too many pixels is not decoded")
  func limit() throws {
    let bytes = TestImages.png(width: 40, height: 40)
    let facts = try facts(bytes)
    #expect(throws: PixelFailure.self) {
      try ShownFrames.first(
        of: ImageBody(.bytes(bytes)), facts, size: size, PixelLimits(maxPixels: 1599, executor: sandbox))
    }
  }

  @Test("For the first picture of an animation, the pixels of the others do not count")
  func limitOfFirst() throws {
    let body = ImageBody(.bytes(TestImages.gif(width: 40, height: 40, frames: 3)))
    let facts = try facts(TestImages.gif(width: 40, height: 40, frames: 3))
    let limits = PixelLimits(maxPixels: 1600, executor: sandbox)
    #expect(try ShownFrames.first(of: body, facts, size: size, limits).size == size)
    #expect(throws: PixelFailure.self) { try ShownFrames.all(of: body, facts, size: size, limits) { _ in true } }
  }
}
