/// Walks a WebP chunk by chunk to the end that its RIFF header announces, including the chunks
/// inside an animation's frames.
///
/// A still image has one bitstream of the size of the canvas. An animation has frames within the canvas, each with one
/// bitstream of the frame's size. Bytes behind the announced end are counted and ignored.
struct WebPWalk: ImageWalk {
  private enum Phase: Sendable { case riff, head, fields, exif, skip, pad, stray, end }

  private let limits: InspectionLimits
  private var base: Int64 = 0
  private var phase = Phase.riff
  private var field: FieldBuffer
  private var exif = ExifOrientation()
  private var name = 0
  private var length = 0
  private var left: Int64 = 0
  /// The end of the file, and of the frame whose chunks are being read.
  private var fileEnd: Int64 = 0
  private var frameEnd: Int64?
  private var isFramePadded = false

  private var canvas: (width: Int, height: Int)?
  private var isAnimated = false
  private var loops: Int?
  private var frames = 0
  /// The size that the next bitstream must have, and whether it was found.
  private var expected: (width: Int, height: Int)?
  private var hasImage = false
  private var hasAlphaChunk = false

  private var hasAlpha = false
  private var isLossless = false
  private var orientation = 1
  private var hasProfile = false
  private var trailingBytes: Int64 = 0

  init(limits: InspectionLimits) {
    self.limits = limits
    field = FieldBuffer()
    field.begin(12)
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      let end = Int(min(Int64(bytes.count), Int64(at) + left))
      switch phase {
      case .riff:
        if field.take(bytes, &at, end: bytes.count) { try readFileHead(at) }
      case .head:
        if field.take(bytes, &at, end: bytes.count) { try readHead(at) }
      case .fields:
        let start = at
        let isComplete = field.take(bytes, &at, end: end)
        left -= Int64(at - start)
        if isComplete { try readFields(at) }
      case .exif, .skip:
        if phase == .exif { exif.feed(bytes, at..<end) }
        left -= Int64(end - at)
        at = end
        if left == 0 { try endChunk(at) }
      case .pad:
        at += 1
        try beginChunk(at)
      case .stray: throw damaged(at, "bytes that belong to no chunk")
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end else { throw .truncated(.webp, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    guard let canvas else { return nil }
    return ImageFacts(
      format: .webp, width: canvas.width, height: canvas.height, frames: max(1, frames), hasAlpha: hasAlpha,
      orientation: orientation, loopCount: loops, hasColourProfile: hasProfile,
      colourModel: isLossless ? .rgb : .ycbcr, trailingBytes: trailingBytes)
  }

  private func damaged(_ at: Int, _ reason: String) -> InspectionFailure {
    .damaged(.webp, at: base + Int64(at), reason: reason)
  }

  private mutating func readFileHead(_ at: Int) throws(InspectionFailure) {
    fileEnd = Int64(field.little32(4)) + 8
    guard fileEnd > 12 else { throw damaged(at, "it announces no content") }
    try beginChunk(at)
  }

  /// Begins the next chunk, or ends the frame or the file.
  private mutating func beginChunk(_ at: Int) throws(InspectionFailure) {
    let place = base + Int64(at)
    if let end = frameEnd, place == end {
      guard hasImage else { throw damaged(at, "a frame without an image") }
      frameEnd = nil
      expected = nil
      if isFramePadded { return phase = .pad }
    }
    if place == fileEnd { return try endFile(at) }
    // Too short for a chunk: damage if these bytes come, truncation if not.
    phase = (frameEnd ?? fileEnd) - place < 8 ? .stray : .head
    field.begin(8)
  }

  private mutating func readHead(_ at: Int) throws(InspectionFailure) {
    name = field.little32(0)
    length = field.little32(4)
    left = Int64(length)
    // The padding byte after an odd length may be missing at the very end: some writers omit it.
    guard base + Int64(at) + left <= frameEnd ?? fileEnd else {
      throw damaged(at, "a chunk that is longer than what holds it")
    }
    try place(at)
    let wanted = WebPChunk.fieldLength(name)
    guard length >= wanted else { throw damaged(at, "a chunk of \(length) bytes that must have \(wanted)") }
    field.begin(wanted)
    if name == WebPChunk.exif { exif = ExifOrientation() }
    phase = wanted > 0 ? .fields : name == WebPChunk.exif ? .exif : .skip
    if left == 0 { try endChunk(at) }
  }

  /// Checks whether the chunk may be here.
  private func place(_ at: Int) throws(InspectionFailure) {
    if canvas == nil {
      guard [WebPChunk.lossy, WebPChunk.lossless, WebPChunk.extended].contains(name) else {
        throw damaged(at, "its first chunk is neither an image nor a header")
      }
      return
    }
    switch name {
    case WebPChunk.extended: throw damaged(at, "a second header")
    case WebPChunk.lossy, WebPChunk.lossless, WebPChunk.alpha:
      guard !hasImage, isAnimated == (frameEnd != nil) else { throw damaged(at, "an image out of its place") }
      guard name != WebPChunk.lossless || !hasAlphaChunk else {
        throw damaged(at, "transparency for a lossless image, which has its own")
      }
    case WebPChunk.animation, WebPChunk.frame:
      guard isAnimated, frameEnd == nil else { throw damaged(at, "a part of an animation out of its place") }
      guard name == WebPChunk.animation || loops != nil else { throw damaged(at, "a frame before the animation") }
    default: break
    }
  }

  /// Evaluates the fields at a chunk's beginning.
  private mutating func readFields(_ at: Int) throws(InspectionFailure) {
    phase = .skip
    switch name {
    case WebPChunk.extended:
      let flags = field[0]
      isAnimated = flags & 0x02 != 0
      hasAlpha = flags & 0x10 != 0
      try open(field.little24(4) + 1, field.little24(7) + 1)
    case WebPChunk.lossy, WebPChunk.lossless: try readStream(at)
    case WebPChunk.alpha:
      guard field[0] & 3 < 2 else { throw damaged(at, "transparency in an unknown coding") }
      hasAlphaChunk = true
      hasAlpha = true
    case WebPChunk.animation: loops = field.little16(4)
    default: return try readFrame(at)
    }
    if left == 0 { try endChunk(at) }
  }

  private mutating func open(_ width: Int, _ height: Int) throws(InspectionFailure) {
    guard width > 0, height > 0 else { throw .noPixels(.webp) }
    canvas = (width, height)
    try limits.admit(width: width, height: height, frames: 1)
    expected = (width, height)
  }

  private mutating func readStream(_ at: Int) throws(InspectionFailure) {
    guard let stream = WebPBitstream(field, name: name, length: length) else {
      throw damaged(at, "an image whose header cannot be")
    }
    if canvas == nil { try open(stream.width, stream.height) }
    guard let expected, expected == (stream.width, stream.height) else {
      throw damaged(at, "an image that is not as large as announced")
    }
    hasImage = true
    hasAlpha = hasAlpha || stream.hasAlpha
    isLossless = stream.isLossless
  }

  /// Reads the head of an animation's frame: place (halved), size less one, duration, flags. The
  /// frame's own chunks follow.
  private mutating func readFrame(_ at: Int) throws(InspectionFailure) {
    guard let canvas else { return }
    let (x, y) = (2 * field.little24(0), 2 * field.little24(3))
    let (width, height) = (field.little24(6) + 1, field.little24(9) + 1)
    guard x + width <= canvas.width, y + height <= canvas.height else {
      throw damaged(at, "a frame that lies outside of the image")
    }
    frames += 1
    expected = (width, height)
    (hasImage, hasAlphaChunk) = (false, false)
    frameEnd = base + Int64(at) + left
    isFramePadded = length % 2 == 1 && frameEnd != fileEnd
    left = 0
    try beginChunk(at)
  }

  private mutating func endChunk(_ at: Int) throws(InspectionFailure) {
    if name == WebPChunk.profile { hasProfile = true }
    if name == WebPChunk.exif, orientation == 1 { orientation = exif.value }
    if length % 2 == 1, base + Int64(at) < frameEnd ?? fileEnd { return phase = .pad }
    try beginChunk(at)
  }

  private mutating func endFile(_ at: Int) throws(InspectionFailure) {
    guard isAnimated ? frames > 0 : hasImage else { throw damaged(at, "it ends without an image") }
    phase = .end
  }
}

/// The header of a VP8 or VP8L bitstream.
struct WebPBitstream: Sendable {
  let width: Int
  let height: Int
  let hasAlpha: Bool
  let isLossless: Bool

  /// Parses the header of a bitstream of `length` bytes, or nil if no decoder would accept it.
  init?(_ field: FieldBuffer, name: Int, length: Int) {
    isLossless = name == WebPChunk.lossless
    if isLossless {
      let bits = field.little32(1)
      guard length >= 5, field[0] == 0x2F, bits >> 29 == 0 else { return nil }
      width = (bits & 0x3FFF) + 1
      height = (bits >> 14 & 0x3FFF) + 1
      hasAlpha = bits >> 28 & 1 == 1
    } else {
      let tag = field.little24(0)
      // A key frame of one of four profiles, marked as visible, whose first partition fits into the chunk.
      guard length >= 10, tag & 1 == 0, tag >> 1 & 7 <= 3, tag >> 4 & 1 == 1, tag >> 5 <= length - 10 else {
        return nil
      }
      guard field[3] == 0x9D, field[4] == 0x01, field[5] == 0x2A else { return nil }
      width = field.little16(6) & 0x3FFF
      height = field.little16(8) & 0x3FFF
      hasAlpha = false
    }
  }
}
