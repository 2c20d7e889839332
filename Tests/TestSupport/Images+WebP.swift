// WebP: lossless ones are written here, of noise; the lossy one is a small file made once.
extension TestImages {
  /// The options of a WebP, apart from its pixels.
  public struct WebPOptions: Sendable {
    /// A channel of transparency.
    public var alpha = false
    /// More than one makes an animation.
    public var frames = 1
    /// The number of times that an animation plays, or 0 for endless.
    public var loops = 0
    /// The EXIF orientation, 1 to 8. Nil writes no EXIF.
    public var orientation: Int?
    /// A colour profile (of nonsense).
    public var colourProfile = false
    /// The extended layout even where nothing asks for it.
    public var extended = false
    /// Nothing beside the pixels.
    public init() {}
  }

  /// A lossless WebP.
  public static func webp(
    width: Int = 13, height: Int = 21, seed: UInt64 = 1, _ adjust: (inout WebPOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = WebPOptions()
    adjust(&options)
    var numbers = SeededRandom(seed: seed)
    var chunks: [UInt8] = []
    let animated = options.frames > 1
    let exif = options.orientation.map { TestImages.exif(orientation: $0) }
    if animated || options.extended || options.colourProfile || exif != nil {
      var header = Bytes(bigEndian: false)
      header.u32(
        (animated ? 0x02 : 0) | (exif != nil ? 0x08 : 0) | (options.alpha ? 0x10 : 0)
          | (options.colourProfile ? 0x20 : 0))
      header.u24(width - 1)
      header.u24(height - 1)
      chunks += riffChunk("VP8X", header.all)
    }
    if options.colourProfile { chunks += riffChunk("ICCP", [UInt8](repeating: 7, count: 61)) }
    if animated {
      chunks += riffChunk("ANIM", [0, 0, 0, 0, UInt8(options.loops & 0xFF), UInt8(options.loops >> 8)])
    }
    for _ in 0..<options.frames {
      let image = riffChunk("VP8L", lossless(width, height, alpha: options.alpha, &numbers))
      if animated {
        var frame = Bytes(bigEndian: false)
        for value in [0, 0, width - 1, height - 1, 100] { frame.u24(value) }
        frame.u8(0)
        chunks += riffChunk("ANMF", frame.all + image)
      } else {
        chunks += image
      }
    }
    if let exif { chunks += riffChunk("EXIF", exif) }
    return riff(chunks)
  }

  /// An animated WebP without end.
  public static func animatedWebP(width: Int = 12, height: Int = 10, frames: Int = 3, seed: UInt64 = 1) -> [UInt8] {
    webp(width: width, height: height, seed: seed) { $0.frames = frames }
  }

  /// The file around these chunks.
  public static func riff(_ chunks: [UInt8]) -> [UInt8] {
    riffChunk("RIFF", Array("WEBP".utf8) + chunks)
  }

  /// One chunk: name, length, content, and a byte more where the length is odd.
  public static func riffChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var chunk = Bytes(bigEndian: false)
    chunk.text(name)
    chunk.u32(content.count)
    chunk.bytes(content)
    if content.count % 2 == 1 { chunk.u8(0) }
    return chunk.all
  }

  /// A VP8L stream without transforms: each channel's 256 values have codes of eight bits.
  static func lossless(_ width: Int, _ height: Int, alpha: Bool, _ numbers: inout SeededRandom) -> [UInt8] {
    var out = LowBitsFirst()
    out.put(0x2F, 8)
    out.put(width - 1, 14)
    out.put(height - 1, 14)
    out.put(alpha ? 1 : 0, 1)
    out.put(0, 3)  // version
    out.put(0, 3)  // no transform, no colour cache, one set of codes for the whole image
    for alphabet in [280, 256, 256] { out.putEvenCodes(alphabet: alphabet) }
    if alpha { out.putEvenCodes(alphabet: 256) } else { out.putOnlySymbol(255) }
    out.putOnlySymbol(0)
    let channels = alpha ? 4 : 3
    var noise: [UInt8] = []
    numbers.fill(&noise, count: width * height * channels)
    return out.joined(with: noise)
  }

  /// A lossy WebP of 16 x 16 pixels; `seed` comes as a chunk that readers pass over.
  public static func lossyWebP(seed: UInt64 = 1) -> [UInt8] {
    var header = Bytes(bigEndian: false)
    header.u32(0)
    header.u24(15)
    header.u24(15)
    let mark = (0..<8).map { UInt8(truncatingIfNeeded: seed >> (8 * $0)) }
    return riff(riffChunk("VP8X", header.all) + riffChunk("VP8 ", lossyStream) + riffChunk("seed", mark))
  }

  /// A key frame of 16 x 16 pixels, encoded once from a gradient.
  static let lossyStream: [UInt8] = [
    0x90, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x10, 0x00, 0x10, 0x00, 0x04, 0x00, 0x68, 0x25, 0xB0, 0x02, 0x74, 0x3D,
    0xFF, 0xF4, 0xF8, 0xFF, 0x80, 0x01, 0xC6, 0xD1, 0x8C, 0x68, 0x00, 0x00, 0xFE, 0xF4, 0x9C, 0x9F, 0x15, 0x22,
    0xC5, 0xF2, 0xED, 0x18, 0x94, 0x61, 0x97, 0xA8, 0xF4, 0x44, 0xB4, 0x72, 0x7F, 0x8D, 0x9C, 0x53, 0x9B, 0x3F,
    0x94, 0xD3, 0x81, 0xAC, 0xB9, 0x6F, 0x6F, 0xB1, 0x8E, 0x4A, 0x07, 0x7E, 0x5E, 0x7E, 0x77, 0x10, 0x1F, 0xBF,
    0x1D, 0x38, 0x5E, 0x00, 0x00, 0x00,
  ]

  /// The same as a plain file of one chunk.
  public static var plainLossyWebP: [UInt8] { riff(riffChunk("VP8 ", lossyStream)) }
}

/// Bits as VP8L packs them.
private struct LowBitsFirst {
  private var bytes: [UInt8] = []
  private var held = 0
  private var count = 0

  mutating func put(_ value: Int, _ bits: Int) {
    held |= value << count
    count += bits
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      count -= 8
    }
  }

  /// The values 0 to 255 with eight bits each, the rest of the alphabet without a code.
  mutating func putEvenCodes(alphabet: Int) {
    put(0, 1)
    // Lengths are written by a code of their own, of one bit: "0" says 0 and "1" says 8. Their order: 17, 18, 0, 1, 2,
    // 3, 4, 5, 16, 6, 7, 8.
    put(12 - 4, 4)
    for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1] { put(length, 3) }
    put(0, 1)
    for symbol in 0..<alphabet { put(symbol < 256 ? 1 : 0, 1) }
  }

  mutating func putOnlySymbol(_ symbol: Int) {
    put(1, 1)
    put(0, 1)
    put(symbol > 1 ? 1 : 0, 1)
    put(symbol, symbol > 1 ? 8 : 1)
  }

  /// Returns the bits, and whole bytes behind them.
  func joined(with noise: [UInt8]) -> [UInt8] {
    var all = bytes
    var held = held
    for value in noise {
      held |= Int(value) << count
      all.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
    }
    if count > 0 { all.append(UInt8(truncatingIfNeeded: held)) }
    return all
  }
}
