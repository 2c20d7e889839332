import TestSupport
import Testing

@testable import ImgfetchCore

/// A plain decoder of a GIF's codes, which keeps every string.
private struct PlainCodes {
  /// The pixels, or nil if a code is invalid, or if pixels are missing.
  static func pixels(_ bytes: some Sequence<UInt8>, pixelBits: Int, count: Int) -> [UInt8]? {
    let clear = 1 << pixelBits
    var bits = bytes.flatMap { byte in (0..<8).map { Int(byte >> $0) & 1 } }[...]
    var table: [[UInt8]] = []
    var width = pixelBits + 1
    var previous: [UInt8]?
    var pixels: [UInt8] = []
    func empty() -> [[UInt8]] { (0..<clear).map { [UInt8($0)] } + [[], []] }
    table = empty()
    while pixels.count < count {
      guard bits.count >= width else { return nil }
      let code = bits.prefix(width).reversed().reduce(0) { $0 << 1 | $1 }
      bits = bits.dropFirst(width)
      if code == clear {
        (table, width, previous) = (empty(), pixelBits + 1, nil)
        continue
      }
      if code == clear + 1 { return nil }
      let string: [UInt8]
      if code < table.count {
        string = table[code]
      } else if code == table.count, code < 4096, let previous {
        string = previous + [previous[0]]
      } else {
        return nil
      }
      if let previous, table.count < 4096 { table.append(previous + [string[0]]) }
      if table.count == 1 << width, width < 12 { width += 1 }
      pixels += string
      previous = string
    }
    return Array(pixels.prefix(count))
  }
}

/// A GIF of one frame, with the places of its codes.
private struct KnownGIF {
  let pixelBits: Int
  let pixelCount: Int
  var bytes: [UInt8]
  /// The places of the codes' bytes, without the blocks' lengths.
  let places: [Int]

  /// Codes of a square picture with long runs and repeats, so that all kinds of codes occur.
  init(side: Int = 36, clearsFirst: Bool = true, pixelBits: Int = 3) {
    self.pixelBits = pixelBits
    pixelCount = side * side
    var random = SeededRandom(seed: 3)
    var pixels: [UInt8] = []
    while pixels.count < pixelCount {
      let value = UInt8(Int.random(in: 0..<1 << pixelBits, using: &random))
      pixels += [UInt8](repeating: value, count: 1 + Int.random(in: 0..<5, using: &random))
    }
    let codes = Self.coded(Array(pixels.prefix(pixelCount)), clearsFirst: clearsFirst, pixelBits: pixelBits)
    bytes = Array("GIF89a".utf8) + [UInt8(side), 0, UInt8(side), 0, 0xF2, 0, 0]
    for number in 0..<8 { bytes += Self.colour(number).map { UInt8($0) } }
    bytes += [0x2C, 0, 0, 0, 0] as [UInt8]
    bytes += [UInt8(side), 0, UInt8(side), 0, 0, UInt8(pixelBits)]
    var places: [Int] = []
    for start in stride(from: 0, to: codes.count, by: 100) {
      let block = codes[start..<min(codes.count, start + 100)]
      bytes.append(UInt8(block.count))
      places += Array(bytes.count..<bytes.count + block.count)
      bytes += block
    }
    bytes += [0, 0x3B]
    self.places = places
  }

  /// The colour of that number.
  static func colour(_ number: Int) -> [Int] { [number * 30, 255 - number * 30, number * 17] }

  private static func coded(_ pixels: [UInt8], clearsFirst: Bool, pixelBits: Int) -> [UInt8] {
    let clear = 1 << pixelBits
    var table: [[UInt8]: Int] = [:]
    for value in 0..<clear { table[[UInt8(value)]] = value }
    var next = clear + 2
    var width = pixelBits + 1
    var bits: [Int] = []
    func put(_ code: Int) { bits += (0..<width).map { code >> $0 & 1 } }
    if clearsFirst { put(clear) }
    var string: [UInt8] = []
    for pixel in pixels {
      if table[string + [pixel]] != nil {
        string.append(pixel)
        continue
      }
      put(table[string] ?? 0)
      if next < 4096 { table[string + [pixel]] = next }
      next += 1
      // The decoder learns each code one step later.
      if next - 1 == 1 << width, width < 12 { width += 1 }
      string = [pixel]
    }
    put(table[string] ?? 0)
    if next == 1 << width, width < 12 { width += 1 }
    put(clear + 1)
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<min(bits.count, start + 8)].enumerated().reduce(UInt8(0)) { $0 | UInt8($1.element << $1.offset) }
    }
  }

  /// The pixels, by the plain decoder.
  var expected: [UInt8]? {
    PlainCodes.pixels(places.map { bytes[$0] }, pixelBits: pixelBits, count: pixelCount)
  }
}

@Suite("All codes of a GIF are checked") struct GIFCodeTests {
  private func verdict(_ bytes: [UInt8]) throws -> PixelFailure? {
    let facts = try inspected(bytes).get()
    do throws(PixelFailure) {
      try PixelCheck.verify(body(bytes), facts)
      return nil
    } catch { return error }
  }

  private func pixels(_ bytes: [UInt8]) throws -> [[Int]] {
    try #require(decoded(bytes).first).picture.samples
  }

  private func colours(_ numbers: [UInt8]) -> [[Int]] { numbers.map { KnownGIF.colour(Int($0)) } }

  /// The larger one has more codes than the table can hold, which then stays as it is.
  @Test("Valid codes are decoded as the format says", arguments: [36, 250], [true, false])
  func right(side: Int, clearsFirst: Bool) throws {
    let gif = KnownGIF(side: side, clearsFirst: clearsFirst)
    let expected = try #require(gif.expected)
    #expect((gif.places.count > 4096 * 12 / 8) == (side > 36))
    #expect(try verdict(gif.bytes) == nil)
    #expect(try pixels(gif.bytes) == colours(expected))
  }

  @Test("Pixels of one bit are a flaw, and shown as browsers show them", arguments: [true, false])
  func short(clearsFirst: Bool) throws {
    let gif = KnownGIF(clearsFirst: clearsFirst, pixelBits: 1)
    let expected = try #require(gif.expected)
    #expect(try inspected(gif.bytes).get().flaws.all == [.shortCodes])
    #expect(try verdict(gif.bytes) == nil)
    #expect(try pixels(gif.bytes) == colours(expected))
  }

  @Test("A flipped bit is rejected where it leaves pixels undefined, and only there")
  func flipped() throws {
    let whole = KnownGIF()
    var refused = 0
    for place in whole.places {
      for bit in 0..<8 {
        var gif = whole
        gif.bytes[place] ^= 1 << bit
        let expected = gif.expected
        let failure = try verdict(gif.bytes)
        #expect(
          (failure == nil) == (expected != nil), "bit \(bit) of byte \(place): \(failure.map { "\($0)" } ?? "passed")")
        if let expected {
          if bit == place % 8 { #expect(try pixels(gif.bytes) == colours(expected)) }
        } else {
          refused += 1
          #expect(throws: PixelFailure.self) { try pixels(gif.bytes) }
        }
      }
    }
    #expect(refused > whole.places.count)
  }
}
