import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("AVIF and HEIC") struct HEIFWalkTests {
  @Test(
    "Brands decide the format, and what the picture is coded in where they name the container alone",
    arguments: [
      ("avif", ["mif1", "miaf"], "av01", ImageFormat.avif), ("mif1", ["avif"], "av01", .avif),
      ("mif1", ["miaf"], "av01", .avif), ("heic", ["mif1"], "hvc1", .heic), ("mif1", ["heic"], "hvc1", .heic),
      ("heix", [], "hvc1", .heic), ("mif1", [], "hvc1", .heic), ("mif1", [], "jpeg", .heic),
    ])
  func brands(brand: String, others: [String], coding: String, format: ImageFormat) throws {
    let bytes = TestImages.heif { ($0.brand, $0.brands, $0.coding) = (brand, others, coding) }
    let facts = try inspected(bytes).get()
    #expect((facts.format, facts.width, facts.height, facts.frames) == (format, 9, 5, 1))
    #expect(facts.colourModel == .ycbcr && !facts.hasAlpha && facts.trailingBytes == 0)
  }

  @Test("The size is the one that is shown: cut, and turned by quarters")
  func shownSize() throws {
    let turn = TestImages.box("irot", [1])
    let mirror = TestImages.box("imir", [0])
    let cut = TestImages.cut(width: 6, height: 2)
    for (properties, size) in [
      ([turn], (5, 9)), ([TestImages.box("irot", [2])], (9, 5)), ([cut], (6, 2)), ([cut, turn, mirror], (2, 6)),
      ([TestImages.cut(width: 1000, height: 2)], (9, 2)),
    ] {
      let facts = try inspected(TestImages.heif { $0.properties = properties }).get()
      #expect((facts.width, facts.height) == size)
    }
    #expect(refusal(TestImages.heif { $0.properties = [TestImages.cut(width: 0, height: 3)] }) == .noPixels(.avif))
  }

  @Test("Depth, colours, profile and alpha are told")
  func kinds() throws {
    let ten = TestImages.box("av1C", [0x81, 0, 0x40, 0])
    let grey = TestImages.fullBox("pixi", [1, 8])
    let profile = TestImages.box("colr", Array("prof".utf8) + [UInt8](repeating: 7, count: 300))
    let identity = TestImages.box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, 0, 0x80])
    #expect(try inspected(TestImages.heif { $0.properties = [ten] }).get().bits == 10)
    #expect(try inspected(TestImages.heif { $0.properties = [grey] }).get().colourModel == .grey)
    #expect(try inspected(TestImages.heif { $0.properties = [profile] }).get().hasColourProfile)
    #expect(try inspected(TestImages.heif { $0.properties = [identity] }).get().colourModel == .rgb)
    #expect(try inspected(TestImages.heif { $0.alpha = true }).get().hasAlpha)
  }

  @Test("A grid has the size of its picture; its tiles must fit it")
  func grids() throws {
    let grid = TestImages.heif(width: 100, height: 70) { $0.tiles = (3, 2) }
    let facts = try inspected(grid).get()
    #expect((facts.format, facts.width, facts.height) == (.avif, 100, 70))
    let few = TestImages.heif(width: 100, height: 70) { ($0.tiles, $0.tileSize) = ((2, 2), (30, 35)) }
    #expect(damage(few) == "4 tiles of 30x35 do not fit its picture")
    let bomb = TestImages.heif(width: 100, height: 70) { ($0.tiles, $0.tileSize) = ((3, 2), (40_000, 40_000)) }
    #expect(
      refusal(bomb) == .tooManyPixels(width: 40_000, height: 40_000, frames: 1, limit: 1 << 28))
    let many = TestImages.heif(width: 100, height: 70) { ($0.tiles, $0.tileSize) = ((250, 250), (9000, 9000)) }
    #expect(damage(many) == "62500 tiles of 9000x9000 do not fit its picture")
  }

  @Test("A sequence counts its pictures, with or without a still one beside it", arguments: [true, false])
  func sequences(hasItems: Bool) throws {
    let bytes = TestImages.heif { ($0.brand, $0.frames, $0.hasItems, $0.plays) = ("avis", 7, hasItems, 3) }
    let facts = try inspected(bytes).get()
    #expect((facts.width, facts.height, facts.frames, facts.loopCount) == (9, 5, 7, 3))
    let endless = TestImages.heif { ($0.brand, $0.frames, $0.plays) = ("avis", 2, 0) }
    #expect(try inspected(endless).get().loopCount == 0)
    #expect(try inspected(TestImages.heif { ($0.brand, $0.frames) = ("avis", 2) }).get().loopCount == nil)
    #expect(refusal(TestImages.heif { $0.brand = "avis" }) != nil, "a sequence that is not there")
    #expect(refusal(bytes, maxPixels: 45) == nil, "frames count where they are decoded")
  }

  @Test("Bytes may follow the end, and the last box need not have a length")
  func ends() throws {
    let garbage = TestImages.heif { $0.end = [0, 0, 0, 3, 1, 2, 3, 4, 5] }
    #expect(try inspected(garbage).get().trailingBytes == 9)
    #expect(try inspected(TestImages.heif { $0.end = TestImages.box("free", [1, 2]) }).get().trailingBytes == 0)
    let open = TestImages.heif { $0.isOpen = true }
    #expect(try inspected(open).get().trailingBytes == 0)
    for length in 0..<open.count { #expect(refusal(Array(open.prefix(length))) != nil, "\(length)") }
  }

  @Test("Items may stand beside the tables, and must not reach beyond them")
  func inside() throws {
    let bytes = TestImages.heif { $0.isInside = true }
    #expect(try inspected(bytes).get().width == 9)
    var short = bytes
    let place = try #require(short.indices.first { short[$0...].starts(with: "idat".utf8) })
    short[place] = UInt8(ascii: "x")
    #expect(damage(short) == "an item that reaches beyond its data")
  }

  @Test("Every bit may be wrong without a trap, and lengths that lie are refused")
  func wrongBits() throws {
    for bytes in [
      TestImages.heif { ($0.tiles, $0.alpha) = ((2, 2), true) },
      TestImages.heif { ($0.brand, $0.frames, $0.plays) = ("avis", 3, 2) },
    ] {
      for place in bytes.indices {
        for bit in 0..<8 {
          var wrong = bytes
          wrong[place] ^= 1 << UInt8(bit)
          if case .success(let facts) = inspected(wrong) { #expect(facts.width > 0 && facts.height > 0) }
        }
      }
      for place in bytes.indices.dropLast(4) {
        for word in [[255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 1]] as [[UInt8]] {
          var wrong = bytes
          wrong.replaceSubrange(place..<place + 4, with: word)
          if case .success(let facts) = inspected(wrong) { #expect(facts.width > 0 && facts.height > 0) }
        }
      }
    }
  }

  @Test("A video of the same container stays a video")
  func videos() {
    guard case .unsupported(let name) = refusal(TestImages.heif { ($0.brand, $0.brands) = ("isom", ["mp42"]) })
    else {
      Issue.record("it was taken for an image")
      return
    }
    #expect(name == "a video (MP4)")
  }
}
