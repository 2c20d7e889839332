import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("TIFF") struct TIFFWalkTests {
  @Test("Both orders and both widths of offsets are read", arguments: [false, true], [false, true])
  func orders(isBigEndian: Bool, isBig: Bool) throws {
    for (isFirst, isBefore) in [(false, false), (true, false), (false, true)] {
      let bytes = TestImages.tiff {
        ($0.isBigEndian, $0.isBig, $0.isDirectoryFirst, $0.areValuesBefore) = (isBigEndian, isBig, isFirst, isBefore)
      }
      let facts = try inspected(bytes).get()
      #expect((facts.format, facts.width, facts.height, facts.frames) == (.tiff, 9, 5, 1))
      #expect((facts.bits, facts.colourModel, facts.hasAlpha, facts.orientation) == (8, .rgb, false, 1))
      #expect(facts.trailingBytes == 0)
      for cut in 0..<bytes.count { #expect(try inspected(bytes, cutAt: [cut]).get() == facts) }
    }
  }

  @Test("Colours, alpha, orientation, profile and bytes behind the end are told")
  func kinds() throws {
    let grey = TestImages.tiff { ($0.samples, $0.orientation) = (1, 6) }
    #expect(try inspected(grey).get().colourModel == .grey)
    #expect(try inspected(grey).get().orientation == 6)
    let more = TestImages.tiff {
      ($0.samples, $0.extra, $0.end) = (
        4, [(338, 3, [2]), (34675, 1, [UInt8](repeating: 1, count: 60).map(Int.init))], [1, 2, 3]
      )
    }
    let facts = try inspected(more).get()
    #expect(facts.hasAlpha && facts.hasColourProfile && facts.trailingBytes == 3)
  }

  @Test("All strips or tiles of all pages must be there")
  func pieces() throws {
    #expect(try inspected(TestImages.tiff { $0.pages = 3 }).get().frames == 3)
    #expect(try inspected(TestImages.tiff { $0.tile = 16 }).get().width == 9)
    let few = TestImages.tiff { ($0.compression, $0.extra) = (5, [(280, 3, [1])]) }
    #expect(refusal(few) == nil)
    var bytes = TestImages.tiff { $0.isBigEndian = true }
    let height = try #require(bytes.indices.first { bytes[$0...].starts(with: [1, 1, 0, 3, 0, 0, 0, 1, 0, 5]) })
    bytes[height + 9] = 50
    #expect(damage(bytes) == "3 strips or tiles, where its picture has more")
    bytes[height + 9] = 6
    #expect(damage(bytes) == "strips that are shorter than its rows")
    for bytes in [TestImages.tiff { $0.pages = 2 }, TestImages.tiff { ($0.tile, $0.isDirectoryFirst) = (16, true) }] {
      for length in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(length))) != nil, "\(length)") }
    }
  }

  /// The strip has 135 bytes, and one byte follows the file's last part.
  @Test(
    "A plain strip may be wrong about its length where all rows are there", arguments: [0, 20, 136, 1 << 30],
    [false, true])
  func lengthOfOneStrip(_ length: Int, isDirectoryFirst: Bool) throws {
    func bytes(compression: Int) throws -> [UInt8] {
      var bytes = TestImages.tiff {
        ($0.rowsPerStrip, $0.compression, $0.isDirectoryFirst, $0.end) = (5, compression, isDirectoryFirst, [1])
      }
      let field = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x17, 1, 4, 0, 1, 0, 0, 0, 135]) })
      bytes.replaceSubrange(field + 8..<field + 12, with: TestImages.little(length, 4))
      return bytes
    }
    let plain = try bytes(compression: 1)
    #expect(try inspected(plain).get().flaws.all == (length == 136 ? [] : [.wrongLength]))
    if isDirectoryFirst {
      let cut = Array(plain.dropLast(2))
      #expect(refusal(cut) == .truncated(.tiff, at: Int64(cut.count)))
    }
    // Only the length tells how long a compressed one is.
    let compressed = try bytes(compression: 5)
    #expect((refusal(compressed) == nil) == (length == 20 || length == 136))
  }

  @Test("Smaller pictures and directories within others are no pages, and their bytes count")
  func subdirectories() throws {
    #expect(try inspected(TestImages.tiff { ($0.pages, $0.extra) = (2, [(254, 4, [1])]) }).get().frames == 1)
    #expect(
      refusal(TestImages.tiff { $0.extra = [(330, 4, [100_000])] })
        == .truncated(.tiff, at: Int64(TestImages.tiff { $0.extra = [(330, 4, [100_000])] }.count)))
  }

  @Test("A circle of directories, and values that stand nowhere, are refused")
  func circles() {
    #expect(damage(TestImages.tiff { $0.next = 8 }) == "directories that overlap, or refer backwards")
    #expect(
      damage(TestImages.tiff { ($0.isDirectoryFirst, $0.next) = (true, 8) })
        == "directories that overlap, or refer backwards")
    #expect(refusal(TestImages.tiff { $0.next = 1 << 30 }) != nil)
    #expect(damage(Array("II*\0\0\0\0\0 and more".utf8)) == "a directory that stands in the header, or nowhere")
    #expect(damage([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0, 0, 0]) == "a directory of 0 fields")
  }

  @Test("Bombs are refused by their size")
  func bombs() throws {
    var bytes = TestImages.tiff { $0.isBigEndian = true }
    for tag in [0, 1] as [UInt8] {
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [1, tag, 0, 3, 0, 0, 0, 1]) })
      bytes.replaceSubrange(place + 3..<place + 12, with: [4, 0, 0, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF])
    }
    #expect(
      refusal(bytes) == .tooManyPixels(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF, frames: 1, limit: 1 << 28))
  }

  @Test("Every bit may be wrong without a trap")
  func wrongBits() throws {
    for bytes in [
      TestImages.tiff { ($0.pages, $0.isBigEndian) = (2, true) },
      TestImages.tiff { ($0.isBig, $0.areValuesBefore, $0.tile) = (true, true, 16) },
    ] {
      for place in bytes.indices {
        for bit in 0..<8 {
          var wrong = bytes
          wrong[place] ^= 1 << UInt8(bit)
          if case .success(let facts) = inspected(wrong) { #expect(facts.width > 0 && facts.height > 0) }
        }
      }
      for place in bytes.indices.dropLast(8) {
        for word in [[UInt8](repeating: 255, count: 8), [127] + [UInt8](repeating: 255, count: 7)] {
          var wrong = bytes
          wrong.replaceSubrange(place..<place + 8, with: word)
          if case .success(let facts) = inspected(wrong) { #expect(facts.width > 0 && facts.height > 0) }
        }
      }
    }
  }
}
