import CZlib

// PNG and APNG, of noise: compressed by zlib, so that they are what an encoder would write, and hardly smaller for it.
extension TestImages {
  /// The options of a PNG, apart from its pixels.
  public struct PNGOptions: Sendable {
    /// The colour types of the format: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha.
    public var colourType = 2
    /// Bits of a channel, or of a colour's number.
    public var depth = 8
    /// Seven passes, coarse to fine.
    public var interlaced = false
    /// The EXIF orientation, 1 to 8. Nil writes no EXIF.
    public var orientation: Int?
    /// A colour profile (of nonsense).
    public var colourProfile = false
    /// A palette's or a colour's transparency.
    public var transparency = false
    /// More than one makes an animation.
    public var frames = 1
    /// The number of times that an animation plays, or 0 for endless.
    public var plays = 0
    /// Bytes of one IDAT chunk at most, so that several follow each other.
    public var dataChunk = 1 << 20
    /// Bytes of an extra chunk, for a file of a given size (at least 12).
    public var padding = 0
    /// Nothing beside the pixels.
    public init() {}
  }

  /// A PNG of this size.
  public static func png(
    width: Int = 31, height: Int = 17, seed: UInt64 = 1, _ adjust: (inout PNGOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = PNGOptions()
    adjust(&options)
    var writer = PNGWriter(width: width, height: height, seed: seed, options: options)
    return writer.write()
  }

  /// An animated PNG whose first frame is the image that other readers show.
  public static func apng(
    width: Int = 16, height: Int = 12, frames: Int = 3, plays: Int = 0, seed: UInt64 = 1
  ) -> [UInt8] {
    png(width: width, height: height, seed: seed) {
      $0.frames = frames
      $0.plays = plays
      $0.colourType = 6
    }
  }

  /// A PNG of exactly as many bytes (at least 1,000): a small picture, and a private chunk for the rest.
  public static func png(bytes: Int, seed: UInt64 = 1) -> [UInt8] {
    let bare = png(width: 8, height: 8, seed: seed).count
    return png(width: 8, height: 8, seed: seed) { $0.padding = max(0, bytes - bare) }
  }

  /// One chunk as in a file: length, name, content, sum.
  public static func pngChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var chunk = Bytes(bigEndian: true)
    chunk.u32(content.count)
    let covered = Array(name.utf8) + content
    chunk.bytes(covered)
    chunk.u32(Int(crc32(0, covered, UInt32(covered.count))))
    return chunk.all
  }

  /// The eight bytes with which every PNG begins.
  public static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The content of an IHDR chunk.
  public static func pngHeader(width: Int, height: Int, depth: Int, colourType: Int, interlaced: Bool = false)
    -> [UInt8]
  {
    var header = Bytes(bigEndian: true)
    header.u32(width)
    header.u32(height)
    header.bytes([UInt8(depth), UInt8(colourType), 0, 0, interlaced ? 1 : 0])
    return header.all
  }

  /// A gzip stream of these bytes.
  public static func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
    let packed = deflated(bytes).dropFirst(2).dropLast(4)
    let sum = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + packed + number(sum) + number(UInt32(bytes.count))
  }

  /// A zlib stream of these bytes.
  public static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: Int(compressBound(UInt(bytes.count))))
    var size = UInt(packed.count)
    guard compress2(&packed, &size, bytes, UInt(bytes.count), 1) == Z_OK else { return [] }
    return Array(packed.prefix(Int(size)))
  }
}

private struct PNGWriter {
  let width: Int
  let height: Int
  let options: TestImages.PNGOptions
  private var numbers: SeededRandom
  /// For the padding, so that the picture is the same with and without it.
  private var fillers: SeededRandom
  private var out: [UInt8] = TestImages.pngSignature
  private var sequence = 0

  init(width: Int, height: Int, seed: UInt64, options: TestImages.PNGOptions) {
    self.width = width
    self.height = height
    self.options = options
    numbers = SeededRandom(seed: seed)
    fillers = SeededRandom(seed: seed &+ 1)
  }

  mutating func write() -> [UInt8] {
    chunk(
      "IHDR",
      TestImages.pngHeader(
        width: width, height: height, depth: options.depth, colourType: options.colourType,
        interlaced: options.interlaced))
    describe()
    for frame in 0..<options.frames {
      if options.frames > 1 { control() }
      let data = TestImages.deflated(pixels())
      for start in stride(from: 0, to: data.count, by: options.dataChunk) {
        let piece = Array(data[start..<min(data.count, start + options.dataChunk)])
        if frame == 0 { chunk("IDAT", piece) } else { chunk("fdAT", nextSequence() + piece) }
      }
    }
    chunk("IEND", [])
    return out
  }

  private mutating func describe() {
    if options.colourProfile { chunk("iCCP", Array("test".utf8) + [0, 0] + TestImages.deflated([1, 2, 3])) }
    if let orientation = options.orientation { chunk("eXIf", TestImages.exif(orientation: orientation)) }
    if options.padding >= 12 {
      var filling: [UInt8] = []
      fillers.fill(&filling, count: options.padding - 12)
      chunk("teSt", filling)
    }
    if options.colourType == 3 {
      var palette: [UInt8] = []
      numbers.fill(&palette, count: 3 << options.depth)
      chunk("PLTE", palette)
    }
    if options.transparency {
      chunk("tRNS", [UInt8](repeating: 0, count: [0: 2, 2: 6][options.colourType] ?? 2))
    }
    if options.frames > 1 {
      var animation = Bytes(bigEndian: true)
      animation.u32(options.frames)
      animation.u32(options.plays)
      chunk("acTL", animation.all)
    }
  }

  private mutating func control() {
    var control = Bytes(bigEndian: true)
    control.bytes(nextSequence())
    for value in [width, height, 0, 0] { control.u32(value) }
    control.u16(1)
    control.u16(10)
    control.bytes([0, 0])
    chunk("fcTL", control.all)
  }

  private mutating func nextSequence() -> [UInt8] {
    var number = Bytes(bigEndian: true)
    number.u32(sequence)
    sequence += 1
    return number.all
  }

  /// Rows of noise, each behind a filter byte of 0; seven smaller images of them where it is interlaced.
  private mutating func pixels() -> [UInt8] {
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][options.colourType] ?? 1
    let passes: [(x: Int, y: Int, everyX: Int, everyY: Int)] =
      options.interlaced
      ? [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
      : [(0, 0, 1, 1)]
    var rows: [UInt8] = []
    for pass in passes {
      let across = (width - pass.x + pass.everyX - 1) / pass.everyX
      let down = (height - pass.y + pass.everyY - 1) / pass.everyY
      guard across > 0, down > 0 else { continue }
      for _ in 0..<down {
        rows.append(0)
        numbers.fill(&rows, count: (across * channels * options.depth + 7) / 8)
      }
    }
    return rows
  }

  private mutating func chunk(_ name: String, _ content: [UInt8]) {
    out += TestImages.pngChunk(name, content)
  }
}
