/// Walks a PNG chunk by chunk to its end chunk, and verifies every checksum. A chunk's content is used only after that.
///
/// A wrong checksum of image data, or of a chunk whose name may be damaged, leaves it to a decoder to find all
/// pixels. A wrong checksum of metadata is a flaw, and the chunk counts as missing, as in decoders. So is an
/// animation whose chunks contradict each other: the still image counts, as in browsers, also where it is none
/// of the animation's frames.
struct PNGWalk: ImageWalk {
  private enum Phase: Sendable { case signature, head, content, sum, end }
  private enum Data: Sendable { case none, open, closed }

  private let limits: InspectionLimits
  private var base: Int64 = 0
  private var phase = Phase.signature
  private var head: FieldBuffer
  private var field = FieldBuffer()
  private var exif = ExifOrientation()

  private var name: UInt32 = 0
  private var length = 0
  private var left = 0
  private var sum: UInt32 = 0

  private var header: PNGHeader?
  private var hasPalette = false
  private var hasTransparency = false
  private var hasProfile = false
  private var orientation = 1
  private var data = Data.none
  private var dataBytes: Int64 = 0
  private var animation = PNGAnimation()
  private var trailingBytes: Int64 = 0
  private var flaws = ImageFlaws()
  /// The flaw of the image unless a decoder finds all pixels.
  private var doubt: InspectionFailure?

  init(limits: InspectionLimits) {
    self.limits = limits
    head = FieldBuffer()
    head.begin(8)
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .signature:
        if head.take(bytes, &at, end: bytes.count) { beginChunk() }
      case .head:
        if head.take(bytes, &at, end: bytes.count) { try readHead(at) }
      case .content:
        let end = min(bytes.count, at + left)
        sum = FastBytes.crc32(sum, bytes, at..<end)
        left -= end - at
        if !field.isComplete {
          var reading = at
          _ = field.take(bytes, &reading, end: end)
        } else if name == PNGChunk.exif {
          exif.feed(bytes, at..<end)
        }
        at = end
        if left == 0 { expectSum() }
      case .sum:
        if head.take(bytes, &at, end: bytes.count) { try endChunk(at) }
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    if phase == .end { return doubt.map { .doubtful($0) } ?? .complete }
    let failure = InspectionFailure.truncated(.png, at: base)
    if lacksOnlyItsEnd { return .withoutMark(failure) }
    throw failure
  }

  /// True if the end mark has come.
  var hasEnded: Bool { phase == .end }

  /// True if the body may have ended with its image data, or in a part that pixels do not need: metadata, the sum of
  /// data, and the head of data that did not come.
  private var lacksOnlyItsEnd: Bool {
    var animation = animation
    var bytes = dataBytes
    if phase == .sum, name == PNGChunk.data {
      bytes += Int64(length)
      animation.imageData(bytes: length)
    }
    guard let header, animation.end(header) == nil, imageObjection(header, bytes: bytes) == nil else { return false }
    return switch phase {
    case .head: true
    case .content: PNGChunk.isMetadata(name) || name == PNGChunk.end || (name == PNGChunk.data && left == length)
    case .sum: PNGChunk.isMetadata(name) || name == PNGChunk.end || name == PNGChunk.data
    case .signature, .end: false
    }
  }

  var facts: ImageFacts? {
    guard let header else { return nil }
    return ImageFacts(
      format: .png, width: header.width, height: header.height, frames: max(1, animation.frames), bits: header.depth,
      hasAlpha: header.hasAlphaChannel || hasTransparency, orientation: orientation,
      loopCount: animation.isPresent ? animation.plays : nil, hasColourProfile: hasProfile,
      colourModel: header.isPalette ? .palette : header.isGrey ? .grey : .rgb, trailingBytes: trailingBytes,
      flaws: flaws)
  }

  private func damaged(_ at: Int, _ reason: String) -> InspectionFailure {
    .damaged(.png, at: base + Int64(at), reason: reason)
  }

  private mutating func beginChunk() {
    phase = .head
    head.begin(8)
  }

  private mutating func expectSum() {
    phase = .sum
    head.begin(4)
  }

  /// Checks whether the chunk may be here, once length and name were read, and decides which of its bytes to read.
  private mutating func readHead(_ at: Int) throws(InspectionFailure) {
    length = head.big32(0)
    name = UInt32(truncatingIfNeeded: head.big32(4))
    guard PNGChunk.isName(name) else { throw damaged(at, "a chunk without a name") }
    guard length <= Int(Int32.max) else { throw damaged(at, "a chunk that is longer than the format allows") }
    guard (header == nil) == (name == PNGChunk.header) else {
      throw damaged(at, header == nil ? "its first chunk is not its header" : "a second header")
    }
    left = length
    sum = headSum
    field.begin(try fieldLength(at))
    if name != PNGChunk.data, data == .open { data = .closed }
    if name == PNGChunk.exif { exif = ExifOrientation() }
    if left == 0 { expectSum() } else { phase = .content }
  }

  /// The checksum of the name, which a chunk's checksum covers before its content.
  private var headSum: UInt32 {
    let letters: [4 of UInt8] = [head[4], head[5], head[6], head[7]]
    return FastBytes.crc32(0, letters.span, 0..<4)
  }

  /// The number of bytes of the chunk that are read as fields.
  private mutating func fieldLength(_ at: Int) throws(InspectionFailure) -> Int {
    switch name {
    case PNGChunk.header:
      guard length == 13 else { throw damaged(at, "a chunk of \(length) bytes that must have 13") }
      return 13
    case PNGChunk.palette: try checkPalette(at)
    case PNGChunk.data:
      guard data != .closed else { throw damaged(at, "image data that is interrupted") }
      guard hasPalette || header?.isPalette != true else { throw damaged(at, "image data without its palette") }
    case PNGChunk.end:
      guard data != .none else { throw damaged(at, "it ends without image data") }
      if length > 0 { flaws.insert(.badEndMark) }
    case PNGChunk.animation where canAnnounce: return 8
    case PNGChunk.frame where animation.isPresent: return 26
    case PNGChunk.frameData where animation.isPresent: return 4
    default:
      guard !PNGChunk.isCritical(name) else { throw damaged(at, "a chunk that is needed and not known") }
    }
    return 0
  }

  /// True if an announced animation has an effect: none does after the image data.
  private var canAnnounce: Bool { data == .none && !animation.isBroken }

  /// Checks a palette. One that no pixel needs may be anything, but not there twice.
  private mutating func checkPalette(_ at: Int) throws(InspectionFailure) {
    let isNeeded = header?.isPalette == true
    let isInPlace = data == .none && header?.isGrey == false
    guard isInPlace ? !hasPalette : !isNeeded else { throw damaged(at, "a palette out of its place") }
    let isPossible = 3...768 ~= length && length % 3 == 0
    guard isPossible || !isNeeded else { throw damaged(at, "a palette of \(length) bytes") }
    if !isInPlace || !isPossible { flaws.insert(.idlePalette) }
  }

  private mutating func endChunk(_ at: Int) throws(InspectionFailure) {
    let isSumRight = head.big32(0) == Int(sum)
    beginChunk()
    if isSumRight { return try takeChunk(at) }
    switch name {
    case PNGChunk.end:
      flaws.insert(.badEndMark)
      try takeChunk(at)
    case PNGChunk.animation where canAnnounce, PNGChunk.frame where animation.isPresent: breakAnimation()
    case PNGChunk.data,
      PNGChunk.frameData where animation.isPresent:
      flaws.insert(.dataChecksum)
      if doubt == nil { doubt = damaged(at, "a chunk with a wrong checksum") }
      try takeChunk(at)
    default:
      let mayBeRenamed = !PNGChunk.isCritical(name) && name != PNGChunk.transparency
      guard mayBeRenamed else { throw damaged(at, "a chunk with a wrong checksum") }
      flaws.insert(.metadataChecksum)
      if !PNGChunk.isMetadata(name), doubt == nil { doubt = damaged(at, "a chunk with a wrong checksum") }
    }
  }

  private mutating func takeChunk(_ at: Int) throws(InspectionFailure) {
    if name == PNGChunk.header { return try readHeader(at) }
    guard let header else { return }
    var objection: PNGAnimation.Objection?
    switch name {
    case PNGChunk.palette: hasPalette = true
    case PNGChunk.transparency:
      // In another place it has no effect in any decoder.
      if data == .none, !header.hasAlphaChannel, !header.isPalette || hasPalette { hasTransparency = true }
    case PNGChunk.profile: hasProfile = true
    case PNGChunk.exif: if orientation == 1 { orientation = exif.value }
    case PNGChunk.data:
      data = .open
      dataBytes += Int64(length)
      animation.imageData(bytes: length)
    case PNGChunk.animation where canAnnounce: objection = animation.announce(field, bytes: length)
    case PNGChunk.frame where animation.isPresent:
      objection = animation.begin(field, bytes: length, header, isFirstImage: data == .none)
    case PNGChunk.frameData where animation.isPresent:
      objection = animation.data(field, bytes: length, hasImageData: data != .none)
    case PNGChunk.end:
      if let objection = imageObjection(header, bytes: dataBytes) { throw damaged(at, objection) }
      objection = animation.end(header)
      phase = .end
    default: break
    }
    if objection != nil { breakAnimation() }
  }

  /// Ends the animation: from here on the image is a still one.
  private mutating func breakAnimation() {
    animation.abandon()
    flaws.insert(.brokenAnimation)
  }

  private mutating func readHeader(_ at: Int) throws(InspectionFailure) {
    guard let read = PNGHeader(field) else { throw damaged(at, "a header that cannot be") }
    guard read.width > 0, read.height > 0 else { throw .noPixels(.png) }
    header = read
    try limits.admit(width: read.width, height: read.height, frames: 1)
  }

  private func imageObjection(_ header: PNGHeader, bytes: Int64) -> PNGAnimation.Objection? {
    let least = MinimumSize.deflated(width: header.width, height: header.height, bitsPerPixel: header.bitsPerPixel)
    return bytes > 0 && bytes >= least ? nil : "too little image data for its pixels"
  }
}
