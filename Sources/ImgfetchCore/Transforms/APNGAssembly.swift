/// Assembles an animated PNG from one PNG for each frame, all of the same size: libpng cannot write animations.
///
/// Readers without support for animations show the first frame.
struct APNGAssembly {
  private var bytes: [UInt8] = []
  /// The chunks of frames have consecutive sequence numbers.
  private var sequence: UInt32 = 0
  private let frames: Int
  private let plays: Int

  init(frames: Int, plays: Int) {
    self.frames = frames
    self.plays = plays
  }

  mutating func append(_ png: [UInt8], milliseconds: Int) {
    let isFirst = bytes.isEmpty
    if isFirst { bytes += png.prefix(8) }
    var hasControl = false
    for chunk in Self.chunks(of: png) {
      switch chunk.name {
      case PNGChunk.data:
        if !hasControl { appendControl(png, milliseconds) }
        hasControl = true
        if isFirst { append(chunk.name, Array(png[chunk.content])) } else { appendData(png[chunk.content]) }
      case PNGChunk.end: break
      default:
        guard isFirst else { continue }
        append(chunk.name, Array(png[chunk.content]))
        if chunk.name == PNGChunk.header {
          append(PNGChunk.animation, Self.big(UInt32(clamping: frames)) + Self.big(UInt32(clamping: plays)))
        }
      }
    }
  }

  /// The whole file.
  mutating func finish() -> [UInt8] {
    append(PNGChunk.end, [])
    return bytes
  }

  private mutating func appendControl(_ png: [UInt8], _ milliseconds: Int) {
    // The size is in the header's first eight bytes. Each frame covers the canvas, replaces it, and stays. The delay is
    // a fraction of two 16-bit numbers, here in thousandths.
    let time = [min(milliseconds, 65_535), 1000].flatMap { [UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    append(
      PNGChunk.frame,
      nextNumber() + png[16..<24] + [UInt8](repeating: 0, count: 8) + time + [0, 0])
  }

  private mutating func appendData(_ data: ArraySlice<UInt8>) { append(PNGChunk.frameData, nextNumber() + data) }

  private mutating func nextNumber() -> [UInt8] {
    defer { sequence &+= 1 }
    return Self.big(sequence)
  }

  private mutating func append(_ name: UInt32, _ content: [UInt8]) {
    bytes += Self.big(UInt32(clamping: content.count))
    let covered = Self.big(name) + content
    bytes += covered
    bytes += Self.big(FastBytes.crc32(0, covered.span, 0..<covered.count))
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }

  /// The chunks of a PNG that this program wrote.
  private static func chunks(of png: [UInt8]) -> [(name: UInt32, content: Range<Int>)] {
    var chunks: [(UInt32, Range<Int>)] = []
    var at = 8
    func number(_ place: Int) -> Int { png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    while at + 12 <= png.count {
      let length = number(at)
      guard at + 12 + length <= png.count else { break }
      chunks.append((UInt32(truncatingIfNeeded: number(at + 4)), at + 8..<at + 8 + length))
      at += 12 + length
    }
    return chunks
  }
}
