// JPEG, from coefficients drawn at random: what a viewer shows is coloured noise, but every mark, table and code is as
// an encoder would write it. The Huffman tables are the simplest that the format allows (codes of one length).
extension TestImages {
  /// The options of a JPEG, apart from its pixels.
  public struct JPEGOptions: Sendable {
    /// 1 grey, 3 YCbCr, 4 CMYK (with the Adobe mark).
    public var components = 3
    /// A first scan of coarse values, then one of details for each component.
    public var progressive = false
    /// The EXIF orientation, 1 to 8. Nil writes no EXIF.
    public var orientation: Int?
    /// EXIF in the byte order of Motorola rather than Intel.
    public var bigEndianExif = false
    /// A restart mark after as many blocks; 0 for none.
    public var restartInterval = 0
    /// A whole small JPEG in an APP segment, whose end mark must not end the image.
    public var thumbnail: [UInt8] = []
    /// A colour profile (of nonsense).
    public var colourProfile = false
    /// Bytes of comment, for a file of a given size.
    public var padding = 0
    /// Coefficients for each block: the more, the more bytes for each pixel.
    public var detail = 6
    /// The first component's blocks are flat.
    public var isFlatFirst = false
    /// The bits of each code but the first of a block; 8 at least.
    public var codeLength = 8
    /// The samples of the first component for each one of the others, across and down. Sequential only.
    public var sampling = (across: 1, down: 1)
    /// Nothing beside the pixels.
    public init() {}
  }

  /// A JPEG of this size.
  public static func jpeg(
    width: Int = 40, height: Int = 30, seed: UInt64 = 1, _ adjust: (inout JPEGOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = JPEGOptions()
    adjust(&options)
    var writer = JPEGWriter(width: width, height: height, seed: seed, options: options)
    return writer.write()
  }

  /// A progressive JPEG of this size.
  public static func progressiveJPEG(width: Int = 40, height: Int = 30, seed: UInt64 = 1) -> [UInt8] {
    jpeg(width: width, height: height, seed: seed) { $0.progressive = true }
  }

  /// A JPEG of exactly as many bytes (at least 2,000): a small picture, and comments for the rest.
  public static func jpeg(bytes: Int, seed: UInt64 = 1) -> [UInt8] {
    let bare = jpeg(width: 16, height: 16, seed: seed).count
    return jpeg(width: 16, height: 16, seed: seed) { $0.padding = max(0, bytes - bare) }
  }
}

private struct JPEGWriter {
  let width: Int
  let height: Int
  let options: TestImages.JPEGOptions
  private var numbers: SeededRandom
  /// For the padding, so that the picture is the same with and without it.
  private var fillers: SeededRandom
  private var out = Bytes(bigEndian: true)
  private var bits: UInt32 = 0
  private var bitCount = 0

  init(width: Int, height: Int, seed: UInt64, options: TestImages.JPEGOptions) {
    self.width = width
    self.height = height
    self.options = options
    numbers = SeededRandom(seed: seed)
    fillers = SeededRandom(seed: seed &+ 1)
  }

  mutating func write() -> [UInt8] {
    out.bytes([0xFF, 0xD8])
    header()
    let (across, down) = options.sampling
    let units = ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
    // All of them have the same tables, so that nothing tells the first component's blocks from the others'.
    let blocks = across * down + options.components - 1
    let coefficients = (0..<units * blocks).map { block in
      randomBlock(detail: options.isFlatFirst && block % blocks < across * down ? 0 : options.detail)
    }
    if options.progressive {
      scan(components: Array(0..<options.components), from: 0, to: 0, coefficients)
      for component in 0..<options.components { scan(components: [component], from: 1, to: 63, coefficients) }
    } else {
      scan(components: Array(0..<options.components), from: 0, to: 63, coefficients)
    }
    out.bytes([0xFF, 0xD9])
    return out.all
  }

  private mutating func header() {
    if options.components == 4 {
      segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    } else {
      segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    }
    if let orientation = options.orientation {
      let exif = TestImages.exif(orientation: orientation, bigEndian: options.bigEndianExif)
      segment(0xE1, Array("Exif".utf8) + [0, 0] + exif)
    }
    if !options.thumbnail.isEmpty { segment(0xE5, options.thumbnail) }
    if options.colourProfile {
      segment(0xE2, Array("ICC_PROFILE".utf8) + [0, 1, 1] + [UInt8](repeating: 7, count: 64))
    }
    padding()
    segment(0xDB, [0] + [UInt8](repeating: 8, count: 64))
    var frame = Bytes(bigEndian: true)
    frame.u8(8)
    frame.u16(height)
    frame.u16(width)
    frame.u8(options.components)
    let first = UInt8(options.sampling.across << 4 | options.sampling.down)
    for component in 1...options.components { frame.bytes([UInt8(component), component == 1 ? first : 0x11, 0]) }
    segment(options.progressive ? 0xC2 : 0xC0, frame.all)
    // DC: twelve codes of 4 bits. AC: every pair of run and size, the end and the run of sixteen,
    // with 8 bits each or more.
    segment(0xC4, [0x00] + counts(12, ofLength: 4) + Array(0..<12))
    segment(0xC4, [0x10] + counts(Self.pairs.count, ofLength: options.codeLength) + Self.pairs)
    if options.restartInterval > 0 {
      segment(0xDD, [UInt8(options.restartInterval >> 8), UInt8(options.restartInterval & 0xFF)])
    }
  }

  private static let pairs: [UInt8] =
    [0x00, 0xF0] + (0..<16).flatMap { run in (1...10).map { size in UInt8(run << 4 | size) } }

  private func counts(_ count: Int, ofLength length: Int) -> [UInt8] {
    var counts = [UInt8](repeating: 0, count: 16)
    counts[length - 1] = UInt8(count)
    return counts
  }

  /// Comments of exactly `options.padding` bytes, marks and lengths included; fewer than four cannot be had.
  private mutating func padding() {
    var left = options.padding
    while left >= 4 {
      var take = min(left, 65_537)
      if left > take, left - take < 4 { take -= 4 }
      var filling: [UInt8] = []
      fillers.fill(&filling, count: take - 4)
      segment(0xFE, filling)
      left -= take
    }
  }

  private mutating func segment(_ mark: UInt8, _ content: [UInt8]) {
    out.bytes([0xFF, mark])
    out.u16(content.count + 2)
    out.bytes(content)
  }

  /// A first coefficient as difference to the block before, and some more of up to three bits.
  private mutating func randomBlock(detail: Int) -> [Int] {
    [numbers.below(63) - 31] + (0..<min(63, detail)).map { _ in numbers.below(15) - 7 }
  }

  private mutating func scan(components: [Int], from first: Int, to last: Int, _ coefficients: [[Int]]) {
    var head = [UInt8(components.count)]
    for component in components { head += [UInt8(component + 1), 0x00] }
    segment(0xDA, head + [UInt8(first), UInt8(last), 0])
    // A unit's blocks, of which a scan has those of its components.
    let blocks = options.sampling.across * options.sampling.down + options.components - 1
    let taken = components.count == options.components ? Array(0..<blocks) : components
    for unit in 0..<coefficients.count / blocks {
      if options.restartInterval > 0, unit > 0, unit % options.restartInterval == 0 {
        flush()
        out.bytes([0xFF, UInt8(0xD0 + (unit / options.restartInterval - 1) % 8)])
      }
      for block in taken {
        let values = coefficients[unit * blocks + block]
        if first == 0 { put(values[0], run: nil) }
        if last > 0 { putRest(values) }
      }
    }
    flush()
  }

  private mutating func putRest(_ values: [Int]) {
    var run = 0
    for value in values.dropFirst() {
      if value == 0 {
        run += 1
      } else {
        while run > 15 {
          put(code: 1, bits: options.codeLength)
          run -= 16
        }
        put(value, run: run)
        run = 0
      }
    }
    if run > 0 || values.count < 64 { put(code: 0, bits: options.codeLength) }
  }

  /// A code for run and size (or, without a run, for the size alone), then the value's own bits.
  private mutating func put(_ value: Int, run: Int?) {
    var size = 0
    while abs(value) >> size != 0 { size += 1 }
    if let run { put(code: 2 + run * 10 + size - 1, bits: options.codeLength) } else { put(code: size, bits: 4) }
    if size > 0 { put(code: value < 0 ? value + (1 << size) - 1 : value, bits: size) }
  }

  private mutating func put(code: Int, bits count: Int) {
    bits = bits << UInt32(count) | UInt32(code)
    bitCount += count
    while bitCount >= 8 {
      let byte = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount - 8))
      out.all.append(byte)
      if byte == 0xFF { out.all.append(0) }
      bitCount -= 8
    }
  }

  private mutating func flush() {
    if bitCount > 0 { put(code: (1 << (8 - bitCount)) - 1, bits: 8 - bitCount) }
  }
}
