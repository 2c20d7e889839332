import Testing
import TestSupport

@testable import ImgfetchCore

/// Images with every pixel that break a rule. They agree with headless Chromium, as checked when these were written.
@Suite("Flawed images are accepted, and their flaws told")
struct FlawedImagesTests {
  private let executor = SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") }

  private func flaws(_ bytes: [UInt8]) -> [String] {
    (try? inspected(bytes).get())?.flaws.all.map(\.name) ?? ["refused"]
  }

  /// The pixels of all frames, of an image that may lack its end mark.
  private func pixels(_ bytes: [UInt8]) throws -> ContentHash? {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    let limits = PixelLimits(executor: executor)
    switch try inspector.verdict() {
    case .accepted(let facts): return try PixelCheck.checksum(body(bytes), facts, limits)
    case .doubtful(let facts, let failure):
      guard PixelCheck.dispelsDoubt(about: body(bytes), facts, limits) else { throw failure }
      return try PixelCheck.checksum(body(bytes), facts, limits)
    }
  }

  @Test func rubbishBeforeThePixelsOfAJPEG() throws {
    let image = TestImages.jpeg(width: 33, height: 20)
    let table = try #require(image.indices.first { image[$0...].starts(with: [0xFF, 0xDB]) })
    for stray in [Array("rubbish".utf8), [0], [0xFF, 0], [7, 0xFF, 0, 9], [0xFF, 0xD0], [0xFF, 1]] as [[UInt8]] {
      let bytes = inserted(stray, into: image, at: table)
      #expect(flaws(bytes) == ["stray-bytes"])
      #expect(inspected(bytes, chunk: 1) == inspected(bytes))
      #expect(try pixels(bytes) == pixels(image))
    }
    for length in [0, 1] as [UInt8] {
      let bytes = inserted([0xFF, 0xE1, 0, length], into: image, at: table)
      #expect(flaws(bytes) == ["cut-segment"])
      #expect(try pixels(bytes) == pixels(image))
    }
    // Behind coded data it may be a hole.
    #expect(flaws(Array(image.dropLast(2)) + [0xFF, 0xE1, 0, 2, 9, 0xFF, 0xD9]) == ["refused"])
  }

  @Test func chunksOfAPNGThatNoPixelNeeds() throws {
    let image = TestImages.png(width: 20, height: 10)
    for name in ["tEXt", "gAMA", "iCCP", "eXIf"] {
      var chunk = TestImages.pngChunk(name, [1, 2, 3, 4])
      chunk[chunk.count - 1] ^= 1
      let bytes = inserted(chunk, into: image, at: 33)
      #expect(flaws(bytes) == ["metadata-checksum"])
      #expect(try pixels(bytes) == pixels(image))
    }
    for name in ["tRNS", "abCd"] {
      var chunk = TestImages.pngChunk(name, [0, 1, 0, 1, 0, 1])
      chunk[chunk.count - 1] ^= 1
      #expect(flaws(inserted(chunk, into: image, at: 33)) == ["refused"], "pixels may need it, or it is a changed name")
    }
    var changed = image
    changed[changed.count - 1] ^= 1
    for bytes in [changed, Array(image.dropLast(12)) + TestImages.pngChunk("IEND", [1])] {
      #expect(flaws(bytes) == ["bad-end-mark"])
      #expect(try pixels(bytes) == pixels(image))
    }
    let palette = TestImages.pngChunk("PLTE", [1, 2, 3])
    let grey = TestImages.png(width: 20, height: 10) { $0.colourType = 0 }
    #expect(flaws(inserted(palette, into: grey, at: 33)) == ["idle-palette"])
    #expect(try pixels(inserted(palette, into: grey, at: 33)) == pixels(grey))
  }

  @Test func aFrameBeyondTheScreenOfAGIF() throws {
    let image = TestImages.gif(width: 23, height: 19)
    for width in [0, 9] as [UInt8] {
      var bytes = image
      bytes[6] = width
      let facts = try inspected(bytes).get()
      #expect((facts.width, facts.height, facts.flaws.all) == (23, 19, [.frameBeyondScreen]))
      #expect(try pixels(bytes) == pixels(image))
    }
  }

  @Test func aTIFFWhoseDirectoryRefersBackwards() throws {
    var bytes = TestImages.tiledTIFF
    let directory = Int(bytes[4]) | Int(bytes[5]) << 8
    // The next directory's place stands behind the fields.
    let next = 2 + 12 * Int(bytes[directory])
    var rubbish = bytes
    rubbish[directory + next] = 8
    #expect(throws: (any Error).self) { try pixels(rubbish) }
    let last = bytes.count
    (bytes[4], bytes[5]) = (UInt8(last & 0xFF), UInt8(last >> 8))
    bytes += bytes[directory..<directory + next + 4]
    bytes[last + next] = UInt8(directory)
    #expect(flaws(bytes) == ["refused"], "where nothing decodes it")
    #expect(try pixels(bytes) != nil)
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    guard case .doubtful(let facts, _) = try inspector.verdict() else {
      Issue.record("it is not doubted")
      return
    }
    #expect(facts.frames == 1 && facts.flaws.all == [.uncountedPages])
  }

  @Test(arguments: validImages.map(\.name))
  func noPrefixIsAcceptedUnlessItHasAllPixels(name: String) throws {
    let image = try #require(validImages.first { $0.name == name }).bytes
    let whole = try pixels(image)
    for length in 0..<image.count {
      if let found = try? pixels(Array(image.prefix(length))) { #expect(found == whole, "cut at \(length)") }
    }
  }

  @Test func wrongSumsOfDataThatAreComplete() throws {
    let image = TestImages.png(width: 20, height: 10) { $0.dataChunk = 40 }
    let data = try #require(image.indices.first { image[$0...].starts(with: Array("IDAT".utf8)) })
    let length = Int(image[data - 1])
    let whole = try pixels(image)
    for (place, expected) in [(data + 4 + length, whole), (data + 6, nil)] {
      var bytes = image
      bytes[place] ^= 1
      #expect(flaws(bytes) == ["refused"], "where nothing decodes it")
      #expect((try? pixels(bytes)) == expected)
    }
    var chunk = TestImages.pngChunk("abCd", [1])
    chunk[chunk.count - 1] ^= 1
    #expect(try pixels(inserted(chunk, into: image, at: 33)) == pixels(image))
    var renamed = image
    renamed[data] ^= 0x20
    #expect(throws: (any Error).self, "it was image data") { try pixels(renamed) }
  }

  @Test func aPNGThatBreaksOffBehindItsData() throws {
    let image = TestImages.png(width: 20, height: 10)
    // Its data is that of the only frame, too.
    let size = TestImages.big(20, 4) + TestImages.big(10, 4)
    let control = [UInt8](repeating: 0, count: 4) + size + [UInt8](repeating: 0, count: 9) + [10, 0, 100, 0, 0]
    let animation = TestImages.pngChunk("acTL", [0, 0, 0, 1, 0, 0, 0, 0]) + TestImages.pngChunk("fcTL", control)
    for image in [
      image, TestImages.png(width: 20, height: 10) { $0.dataChunk = 40 }, inserted(animation, into: image, at: 33),
    ] {
      let whole = try pixels(image)
      for length in 13...16 {
        #expect(try pixels(Array(image.dropLast(length))) == whole, "in the sum of its data, \(length)")
      }
      #expect(try pixels(Array(image.dropLast(12)) + [0, 0, 0x76, 0x4E] + Array("IDAT".utf8)) == whole)
      #expect(throws: (any Error).self, "in its data") { try pixels(Array(image.dropLast(17))) }
    }
  }

  @Test func anAnimationThatLacksOnlyItsEndMark() throws {
    let image = TestImages.apng(frames: 3)
    #expect(try pixels(Array(image.dropLast(12))) == pixels(image))
    #expect(try pixels(Array(image.dropLast(5))) == pixels(image))
    #expect(throws: (any Error).self) { try pixels(Array(image.dropLast(30))) }
  }

  @Test func zerosBetweenTheBlocksOfAGIF() throws {
    let image = TestImages.gif(width: 23, height: 19)
    let bytes = Array(image.dropLast()) + [0, 0, 0, 0x3B]
    #expect(flaws(bytes) == ["stray-bytes"])
    #expect(try pixels(bytes) == pixels(image))
  }

  @Test func rubbishBehindTheOnlyPictureOfAGIF() throws {
    let image = TestImages.gif(width: 23, height: 19)
    for rubbish in [[7, 0x3B], [0xFF], Array("<!-- a comment, -->".utf8)] as [[UInt8]] {
      let bytes = Array(image.dropLast()) + rubbish
      #expect(try pixels(bytes) == pixels(image))
      #expect(flaws(bytes) == ["refused"], "where nothing decodes it")
    }
    let animation = TestImages.gif(width: 23, height: 19, frames: 2)
    #expect(throws: (any Error).self, "it may have been another frame") {
      try pixels(Array(animation.dropLast()) + [7, 0x3B])
    }
  }

  @Test func aGIFThatBreaksOffBehindTheCodesOfItsPixels() throws {
    let image = TestImages.gif(width: 23, height: 19)
    #expect(try pixels(Array(image.dropLast(2))) == pixels(image), "the end of its blocks is missing")
    // The second byte of the only block holds nothing but a piece of the code that ends the others.
    let small: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 255, 0, 0, 0, 0]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0, 0x3B]
    #expect(try pixels(Array(small.dropLast(3))) == pixels(small))
    #expect(throws: (any Error).self) { try pixels(Array(small.dropLast(4))) }
  }

  @Test(arguments: [TestImages.jpeg(width: 33, height: 20), TestImages.progressiveJPEG(width: 33, height: 20)])
  func metadataBehindTheLastScanThatBreaksOff(image: [UInt8]) throws {
    for cut in [[0xFF, 0xFE, 0, 40, 7, 7], [0xFF, 0xE5, 1, 0, 0xFF, 0xD9]] as [[UInt8]] {
      #expect(try pixels(Array(image.dropLast(2)) + cut) == pixels(image), "\(cut)")
    }
    #expect(throws: (any Error).self) { try pixels(Array(image.dropLast(2)) + [0xFF, 0xC4, 0, 40, 0]) }
  }

  @Test func aMissingEndMarkIsNoDamage() throws {
    let ends: [([UInt8], Int)] = [
      (TestImages.jpeg(width: 33, height: 20), 2), (TestImages.progressiveJPEG(width: 33, height: 20), 2),
      (TestImages.png(width: 20, height: 10), 12), (TestImages.gif(width: 23, height: 19), 1),
    ]
    for (image, end) in ends {
      let cut = Array(image.dropLast(end))
      #expect(try pixels(cut) == pixels(image))
      #expect(flaws(cut) == ["refused"], "where the end is not certain, or nothing decodes it")
    }
  }
}
