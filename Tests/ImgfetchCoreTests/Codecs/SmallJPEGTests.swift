import Foundation
import Testing
import TestSupport

@testable import ImgfetchCore

/// A picture decoded by the library alone, as in every process but the sandbox's helper.
private func madeByTheLibrary(_ bytes: [UInt8], eighths: Int) throws -> Picture {
  try #require(decoded(body(bytes), inspected(bytes).get(), eighths: eighths).first?.picture)
}

private func made(_ bytes: [UInt8], eighths: Int) throws -> Picture {
  try #require(decoded(body(bytes), inspected(bytes).get(), eighths: eighths, usesSmallJPEG: true).first?.picture)
}

/// The failure of decoding all of it, or "whole" if there is none.
private func outcome(_ bytes: [UInt8], _ facts: ImageFacts, eighths: Int) -> String {
  do {
    _ = try decoded(body(bytes), facts, eighths: eighths, usesSmallJPEG: true)
    return "whole"
  } catch { return "\(error)" }
}

extension Picture {
  /// The pixels of one of the squares of the picture.
  fileprivate func block(_ left: Int, _ top: Int, side: Int) -> [[Int]] {
    (0..<side * side).map { self[left * side + $0 % side, top * side + $0 / side] }
  }
}

/// A sequential JPEG at an eighth or a fourth of its size is not decoded by the library, but must look the same.
@Suite("Small pictures of sequential JPEGs")
struct SmallJPEGTests {
  private static let sizes = [(1, 1), (7, 5), (16, 16), (17, 33), (61, 45), (130, 40)]
  private static let samplings = [(1, 1), (2, 2), (2, 1), (1, 2), (4, 1)]

  private func image(
    _ size: (Int, Int), detail: Int, components: Int = 3, _ sampling: (Int, Int) = (1, 1), interval: Int = 0
  ) -> [UInt8] {
    TestImages.jpeg(width: size.0, height: size.1) {
      ($0.components, $0.detail, $0.restartInterval) = (components, detail, interval)
      $0.sampling = (across: sampling.0, down: sampling.1)
    }
  }

  @Test(arguments: [1, 3])
  func wherePixelsAreMeansTheyAreTheLibrarysOwn(components: Int) throws {
    for size in Self.sizes {
      for interval in [0, 1, 3, 11] {
        let bytes = image(size, detail: 30, components: components, interval: interval)
        #expect(try made(bytes, eighths: 1) == madeByTheLibrary(bytes, eighths: 1))
      }
    }
  }

  @Test("Beside a larger picture it comes of the same blocks", arguments: [2, 4, 7, 8])
  func beside(eighths: Int) throws {
    var compared = 0
    for (size, sampling) in Self.sizes.flatMap({ size in (Self.samplings + [(4, 2)]).map { (size, $0) } }) {
      for (components, interval) in [(3, 0), (3, 2), (1, 3)] where components == 3 || sampling == (1, 1) {
        let bytes = image(size, detail: 30, components: components, sampling, interval: interval)
        let facts = try inspected(bytes).get()
        let decoder = try ImageDecoder(
          body(bytes), facts, eighths: eighths, memory: 64 << 20, keepsEighth: true, usesSmallJPEG: true)
        _ = try decoder.next()
        #expect(decoder.eighth == nil)
        var row = [UInt8](repeating: 0, count: decoder.layout.rowBytes)
        for _ in 0..<decoder.layout.height { try decoder.read(into: &row) }
        // At a fourth of its size the library decodes nothing of some.
        guard let eighth = decoder.eighth else { continue }
        let alone = try made(bytes, eighths: 1)
        #expect(eighth.layout == alone.layout)
        var pixels: [UInt8] = []
        for _ in 0..<eighth.layout.height {
          row = [UInt8](repeating: 0, count: eighth.layout.rowBytes)
          try eighth.read(into: &row)
          pixels += row
        }
        #expect(pixels == alone.pixels, "\(size) \(sampling)")
        compared += 1
      }
    }
    #expect(eighths == 2 || compared == Self.sizes.count * (2 * 6 + 1), "\(compared)")
  }

  @Test("Codes that were made for a file serve the next only if it has the same table")
  func tables() throws {
    for codeLength in [8, 9, 9, 12, 8] {
      let bytes = TestImages.jpeg(width: 64, height: 40) { ($0.detail, $0.codeLength) = (30, codeLength) }
      #expect(try made(bytes, eighths: 1) == madeByTheLibrary(bytes, eighths: 1))
    }
  }

  @Test("It is off but in the sandbox's helper")
  func onlyInTheHelper() throws {
    let bytes = image((256, 64), detail: 40, components: 1)
    #expect(!SmallJPEG.isOn)
    #expect(try made(bytes, eighths: 2) != madeByTheLibrary(bytes, eighths: 2))
  }

  @Test("A file that is too long for memory is the library's")
  func longFiles() throws {
    let bytes = image((256, 64), detail: 40, components: 1)
    let comment = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 65_533)
    let long = inserted([[UInt8]](repeating: comment, count: 65).flatMap(\.self), into: bytes, at: 2)
    let picture = try decoded(fileBody(long), inspected(bytes).get(), eighths: 2, usesSmallJPEG: true).first?.picture
    #expect(try picture == madeByTheLibrary(bytes, eighths: 2))
  }

  @Test(arguments: [1, 2])
  func flatBlocksOfAnySizeAreTheLibrarysOwn(eighths: Int) throws {
    // The library smooths colours that are subsampled in one direction only.
    for sampling in Self.samplings where sampling.0 == sampling.1 {
      for size in Self.sizes {
        let bytes = image(size, detail: 0, sampling, interval: 2)
        #expect(try made(bytes, eighths: eighths) == madeByTheLibrary(bytes, eighths: eighths))
      }
    }
  }

  /// The library's averages remove a tenth of the lowest frequencies, of which these blocks have little.
  @Test(arguments: [1, 2])
  func smoothBlocksAreNearTheLibrarys(eighths: Int) throws {
    for sampling in Self.samplings where sampling.0 == sampling.1 {
      for size in Self.sizes {
        let bytes = image(size, detail: 2, sampling)
        let (quick, slow) = (try made(bytes, eighths: eighths), try madeByTheLibrary(bytes, eighths: eighths))
        #expect(quick.layout == slow.layout)
        #expect(zip(quick.pixels, slow.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 7 })
      }
    }
  }

  @Test func aFourthOfTheSizeShowsTheLowestFrequencies() throws {
    let bytes = image((256, 64), detail: 40, components: 1)
    let (whole, small) = (try made(bytes, eighths: 8), try made(bytes, eighths: 2))
    var compared = 0
    for (left, top) in places(across: 32, down: 8) {
      let block = whole.block(left, top, side: 8)
      // Values beyond black and white are clamped in the full picture.
      guard block.joined().allSatisfy({ 1...254 ~= $0 }) else { continue }
      compared += 1
      let expected = lowest(4, of: block.map { Double($0[0]) }).filter { 0...255 ~= $0 }
      #expect(zip(small.block(left, top, side: 2), expected).allSatisfy { abs(Double($0[0]) - $1) < 1.2 })
    }
    #expect(compared > 20)
  }

  /// With colours sampled once for four pixels, a fourth of the size has 4 x 4 of them, and the half all of them.
  @Test func coloursAtTwiceTheSizeDoToo() throws {
    let bytes = TestImages.jpeg(width: 256, height: 128) {
      ($0.sampling, $0.restartInterval, $0.detail, $0.isFlatFirst) = ((across: 2, down: 2), 1, 40, true)
    }
    let (half, fourth) = (try made(bytes, eighths: 4), try made(bytes, eighths: 2))
    var compared = 0
    for (left, top) in places(across: 16, down: 8) {
      let (block, small) = (half.block(left, top, side: 8), fourth.block(left, top, side: 4))
      guard (block + small).joined().allSatisfy({ 1...254 ~= $0 }) else { continue }
      compared += 1
      // The difference of two colours has no brightness.
      let expected = lowest(16, of: block.map { Double($0[0] - $0[2]) })
      #expect(zip(small, expected).allSatisfy { abs(Double($0[0] - $0[2]) - $1) < 5 })
    }
    #expect(compared > 5)
  }

  private func places(across: Int, down: Int) -> [(Int, Int)] {
    (0..<down).flatMap { top in (0..<across).map { ($0, top) } }
  }

  /// The pixels, as many as requested, that the lowest frequencies of a block give.
  private func lowest(_ count: Int, of block: [Double]) -> [Double] {
    let side = count == 4 ? 2 : 4
    func wave(_ frequency: Int, _ place: Int, of size: Int) -> Double {
      frequency == 0 ? 1 : cos(Double((2 * place + 1) * frequency) * .pi / Double(2 * size)) * 2.0.squareRoot()
    }
    var pixels = [Double](repeating: 0, count: count)
    for (down, across) in places(across: side, down: side) {
      let value = block.enumerated().reduce(0) { sum, pixel in
        sum + pixel.element * wave(across, pixel.offset % 8, of: 8) * wave(down, pixel.offset / 8, of: 8)
      }
      for place in pixels.indices {
        pixels[place] += value / 64 * wave(across, place % side, of: side) * wave(down, place / side, of: side)
      }
    }
    return pixels
  }

  @Test(arguments: [0, 2])
  func nothingIsTakenThatTheLibraryRefuses(interval: Int) throws {
    for sampling in Self.samplings {
      let bytes = image((50, 40), detail: 9, sampling, interval: interval)
      let facts = try inspected(bytes).get()
      for length in stride(from: bytes.count - 1, to: 0, by: -23) {
        for end in [[], [0xFF, 0xD9]] as [[UInt8]] {
          let broken = Array(bytes[..<length]) + end
          let expected = outcome(broken, facts, eighths: 8)
          // The appended end may be where the end was before.
          #expect(expected != "whole" || !end.isEmpty)
          for eighths in [1, 2] { #expect(outcome(broken, facts, eighths: eighths) == expected, "\(length) bytes") }
        }
      }
      for place in stride(from: 2, to: bytes.count, by: 13) {
        var broken = bytes
        broken[place] ^= 1 << UInt8(place % 8)
        // Another size is detected by the caller.
        guard (try? inspected(broken).get()) == facts else { continue }
        let expected = outcome(broken, facts, eighths: 8)
        for eighths in [1, 2] { #expect(outcome(broken, facts, eighths: eighths) == expected, "byte \(place)") }
      }
    }
  }

  @Test func theDataAfterThePixelsIsChecked() throws {
    let bytes = image((50, 40), detail: 9)
    let facts = try inspected(bytes).get()
    let comment: [UInt8] = [0xFF, 0xFE, 0, 4, 1, 2]
    for (tail, isWhole) in [(comment, true), ([0x12, 0x34], false), ([0xFF, 0xC4, 0, 3, 9], false)] {
      let changed: [UInt8] = Array(bytes.dropLast(2)) + tail + [0xFF, 0xD9]
      for eighths in [1, 2, 8] { #expect((outcome(changed, facts, eighths: eighths) == "whole") == isWhole) }
    }
  }
}
