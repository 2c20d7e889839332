// GIF, still and animated, of noise in 128 colours.
extension TestImages {
  /// The options of a GIF, apart from its pixels.
  public struct GIFOptions: Sendable {
    /// More than one makes an animation.
    public var frames = 1
    /// The count of the looping extension, which is 0 for endless. Nil writes none.
    public var loops: Int?
    /// One of the colours is none.
    public var transparent = false
    /// Rows in the order of the format's four passes.
    public var interlaced = false
    /// Each frame brings its own colours, and there are none for the whole.
    public var localColours = false
    /// Text in an extension of its own.
    public var comment = ""
    /// Nothing beside the pixels.
    public init() {}
  }

  /// A GIF of this size.
  public static func gif(
    width: Int = 23, height: Int = 19, frames: Int = 1, seed: UInt64 = 1,
    _ adjust: (inout GIFOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = GIFOptions()
    options.frames = frames
    if frames > 1 { options.loops = 0 }
    adjust(&options)
    var numbers = SeededRandom(seed: seed)
    var out = Bytes(bigEndian: false)
    out.text("GIF89a")
    out.u16(width)
    out.u16(height)
    out.bytes([options.localColours ? 0x70 : 0xF6, 0, 0])
    if !options.localColours { numbers.fill(&out.all, count: 3 * 128) }
    if let loops = options.loops {
      out.bytes([0x21, 0xFF, 11])
      out.text("NETSCAPE2.0")
      out.bytes([3, 1])
      out.u16(loops)
      out.u8(0)
    }
    if !options.comment.isEmpty {
      out.bytes([0x21, 0xFE])
      blocks(Array(options.comment.utf8), into: &out)
    }
    for _ in 0..<options.frames {
      if options.frames > 1 || options.transparent {
        out.bytes([0x21, 0xF9, 4, options.transparent ? 5 : 4, 10, 0, 0, 0])
      }
      out.u8(0x2C)
      for value in [0, 0, width, height] { out.u16(value) }
      out.u8((options.localColours ? 0x86 : 0) | (options.interlaced ? 0x40 : 0))
      if options.localColours { numbers.fill(&out.all, count: 3 * 128) }
      out.u8(7)
      blocks(codes(pixels: width * height, &numbers), into: &out)
    }
    out.u8(0x3B)
    return out.all
  }

  /// Codes of eight bits throughout: the table is cleared before it could ask for nine.
  private static func codes(pixels: Int, _ numbers: inout SeededRandom) -> [UInt8] {
    var noise: [UInt8] = []
    numbers.fill(&noise, count: pixels)
    var codes: [UInt8] = []
    codes.reserveCapacity(pixels + pixels / 100 + 2)
    for (place, value) in noise.enumerated() {
      if place % 100 == 0 { codes.append(128) }
      codes.append(value & 127)
    }
    codes.append(129)
    return codes
  }

  private static func blocks(_ content: [UInt8], into out: inout Bytes) {
    for start in stride(from: 0, to: content.count, by: 255) {
      let end = min(content.count, start + 255)
      out.u8(end - start)
      out.bytes(content[start..<end])
    }
    out.u8(0)
  }
}
