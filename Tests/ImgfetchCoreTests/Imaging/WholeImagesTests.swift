import ImgfetchCore
import Testing
import TestSupport

@Suite("Complete images are accepted and described")
struct WholeImagesTests {
  @Test(arguments: [1, 3, 4], [false, true])
  func jpeg(components: Int, progressive: Bool) throws {
    let bytes = TestImages.jpeg(width: 37, height: 300) {
      $0.components = components
      $0.progressive = progressive
    }
    let facts = try inspected(bytes).get()
    #expect((facts.format, facts.width, facts.height) == (.jpeg, 37, 300))
    #expect((facts.frames, facts.bits, facts.hasAlpha) == (1, 8, false))
    #expect(facts.colourModel == [1: .grey, 3: .ycbcr, 4: .cmyk][components])
    #expect((facts.orientation, facts.loopCount, facts.hasColourProfile, facts.trailingBytes) == (1, nil, false, 0))
  }

  @Test(arguments: [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16])])
  func png(colourType: Int, depths: [Int]) throws {
    for depth in depths {
      for interlaced in [false, true] {
        let bytes = TestImages.png(width: 13, height: 9) {
          $0.colourType = colourType
          $0.depth = depth
          $0.interlaced = interlaced
        }
        let facts = try inspected(bytes).get()
        #expect((facts.format, facts.width, facts.height, facts.bits) == (.png, 13, 9, depth))
        #expect(facts.hasAlpha == (colourType >= 4))
        #expect(facts.colourModel == [0: .grey, 2: .rgb, 3: .palette, 4: .grey, 6: .rgb][colourType])
        #expect((facts.frames, facts.loopCount) == (1, nil))
      }
    }
  }

  @Test func gif() throws {
    let facts = try inspected(TestImages.gif(width: 23, height: 19)).get()
    #expect((facts.format, facts.width, facts.height, facts.frames) == (.gif, 23, 19, 1))
    #expect((facts.bits, facts.colourModel, facts.hasAlpha, facts.loopCount) == (7, .palette, false, nil))
  }

  @Test func webp() throws {
    let lossless = try inspected(TestImages.webp(width: 33, height: 20) { $0.alpha = true }).get()
    #expect((lossless.format, lossless.width, lossless.height) == (.webp, 33, 20))
    #expect((lossless.hasAlpha, lossless.colourModel) == (true, .rgb))
    for lossy in [TestImages.plainLossyWebP, TestImages.lossyWebP(seed: 9)] {
      let facts = try inspected(lossy).get()
      #expect((facts.width, facts.height, facts.hasAlpha, facts.colourModel) == (16, 16, false, .ycbcr))
    }
  }

  @Test func animations() throws {
    let images: [(bytes: [UInt8], loops: Int)] = [
      (TestImages.apng(frames: 4, plays: 2), 2),
      (TestImages.gif(frames: 4) { $0.loops = 2 }, 2),
      (TestImages.webp { (options: inout TestImages.WebPOptions) in (options.frames, options.loops) = (4, 2) }, 2),
      (TestImages.apng(frames: 4), 0),
      (TestImages.gif(frames: 4), 0),
      (TestImages.animatedWebP(frames: 4), 0),
    ]
    for image in images {
      let facts = try inspected(image.bytes).get()
      #expect((facts.frames, facts.loopCount) == (4, image.loops))
    }
  }

  @Test(arguments: 1...8)
  func orientation(_ orientation: Int) throws {
    let images = [
      TestImages.jpeg { $0.orientation = orientation },
      TestImages.jpeg { ($0.orientation, $0.bigEndianExif) = (orientation, true) },
      TestImages.png { $0.orientation = orientation },
      TestImages.webp { $0.orientation = orientation },
    ]
    for bytes in images {
      #expect(try inspected(bytes).get().orientation == orientation)
      #expect(try inspected(bytes, chunk: 1).get().orientation == orientation)
    }
  }

  @Test func invalidExifIsIgnored() throws {
    for exif in [
      [], Array("II".utf8), TestImages.exif(orientation: 9), Array(TestImages.exif(orientation: 6).dropLast(20)),
    ] {
      let bytes = inserted(TestImages.pngChunk("eXIf", exif), into: TestImages.png(), at: 33)
      #expect(try inspected(bytes).get().orientation == 1)
    }
  }

  @Test func exifInWebPMayHaveThePrefixOfJPEG() throws {
    let exif = Array("Exif".utf8) + [0, 0] + TestImages.exif(orientation: 5, bigEndian: true)
    var bytes = TestImages.webp(width: 8, height: 8) { $0.extended = true }
    bytes = TestImages.riff(Array(bytes.dropFirst(12)) + TestImages.riffChunk("EXIF", exif))
    #expect(try inspected(bytes).get().orientation == 5)
  }

  @Test func colourProfiles() throws {
    #expect(try inspected(TestImages.jpeg { $0.colourProfile = true }).get().hasColourProfile)
    #expect(try inspected(TestImages.png { $0.colourProfile = true }).get().hasColourProfile)
    #expect(try inspected(TestImages.webp { $0.colourProfile = true }).get().hasColourProfile)
  }

  @Test func transparency() throws {
    #expect(try inspected(TestImages.gif { $0.transparent = true }).get().hasAlpha)
    #expect(try inspected(TestImages.png { $0.transparency = true }).get().hasAlpha)
    #expect(try inspected(TestImages.png { ($0.colourType, $0.transparency) = (3, true) }).get().hasAlpha)
  }

  @Test func coloursOfAdobeJPEG() throws {
    for (transform, model) in [(0, ImageFacts.ColourModel.cmyk), (2, .ycck)] {
      var bytes = TestImages.jpeg { $0.components = 4 }
      // Adobe's marker is the first segment: start marker, marker and length, then twelve bytes, of which
      // the last is the transform.
      bytes[2 + 4 + 11] = UInt8(transform)
      #expect(try inspected(bytes).get().colourModel == model)
    }
  }

  @Test func bytesAfterTheEndAreCounted() throws {
    for image in validImages {
      let trailer = [UInt8](repeating: 0xFF, count: 601) + TestImages.jpeg()
      let facts = try inspected(image.bytes + trailer).get()
      #expect(facts.trailingBytes == Int64(trailer.count), "\(image.name)")
      #expect(try inspected(image.bytes + trailer, chunk: 1).get() == facts)
    }
  }

  @Test func sizeIsKnownBeforeTheBodyHasArrived() throws {
    for image in validImages {
      var inspector = Inspector()
      let facts = try inspected(image.bytes).get()
      var known: ImageFacts?
      for byte in image.bytes.dropLast(20) where known == nil {
        try inspector.feed([byte].span)
        known = inspector.facts
      }
      #expect((known?.width, known?.height) == (facts.width, facts.height), "\(image.name)")
    }
  }

  @Test func theStateHasAFewHundredBytes() {
    #expect(MemoryLayout<Inspector>.size < 512)
  }

  @Test func everyFormatHasItsNames() {
    #expect(
      ImageFormat.allCases.map(\.mime) == [
        "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/heic", "image/jxl", "image/tiff",
        "image/svg+xml", "image/bmp", "image/vnd.microsoft.icon",
      ])
    #expect(
      ImageFormat.allCases.map(\.preferredExtension) == [
        "jpg", "png", "gif", "webp", "avif", "heic", "jxl", "tif", "svg", "bmp", "ico",
      ])
    for format in ImageFormat.allCases { #expect(format.acceptedExtensions.contains(format.preferredExtension)) }
  }
}

/// `bytes` with `piece` inserted at a place.
func inserted(_ piece: [UInt8], into bytes: [UInt8], at place: Int) -> [UInt8] {
  Array(bytes[..<place]) + piece + bytes[place...]
}
