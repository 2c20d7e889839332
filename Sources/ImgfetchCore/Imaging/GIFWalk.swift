/// Walks a GIF block by block to its end mark.
///
/// A frame that reaches beyond the screen is a flaw. The first one enlarges the screen and later ones are cut off, as
/// browsers show them. The codes of a frame are not decoded, but there must be enough of them for its pixels.
struct GIFWalk: ImageWalk {
  private enum Phase: Sendable {
    case screen, colours, block, extensionLabel, descriptor, codeSize, blockLength, blockContent, end
  }

  private let limits: InspectionLimits
  private var base: Int64 = 0
  private var phase = Phase.screen
  private var field: FieldBuffer
  /// The remaining bytes of the current colour table or block.
  private var left = 0
  private var afterColours = Phase.block

  private var width = 0
  private var height = 0
  private var bits = 0
  private var frames = 0
  private var hasAlpha = false
  private var loops: Int?

  /// The label of the current extension, or nil within a frame.
  private var label: UInt8?
  private var isLooping = false
  private var blocks = 0
  private var framePixels = 0
  private var codeBits = 0
  private var codeBytes: Int64 = 0
  private var trailingBytes: Int64 = 0
  private var isAnimated = false
  /// The failure if decoding finds that the picture lacks pixels, for bytes that stand where the end mark should.
  private var doubt: InspectionFailure?
  private var flaws = ImageFlaws()

  init(limits: InspectionLimits) {
    self.limits = limits
    field = FieldBuffer()
    field.begin(13)
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .screen:
        if field.take(bytes, &at, end: bytes.count) { try readScreen() }
      case .colours:
        let step = min(left, bytes.count - at)
        at += step
        left -= step
        if left == 0 { phase = afterColours }
      case .block:
        at += 1
        try begin(bytes[at - 1], at)
      case .extensionLabel:
        label = bytes[at]
        isLooping = false
        at += 1
        beginBlocks()
      case .descriptor:
        if field.take(bytes, &at, end: bytes.count) { try readDescriptor(at) }
      case .codeSize:
        // The size is one bit more than a pixel has, for two further codes. Pixels should count as having at least two
        // bits: there are pictures whose pixels have one, and browsers show them.
        guard 1...8 ~= bytes[at] else { throw damaged(at, "a frame with codes of a size that cannot be") }
        if bytes[at] == 1 { flaws.insert(.shortCodes) }
        codeBits = Int(bytes[at]) + 1
        at += 1
        beginBlocks()
      case .blockLength:
        left = Int(bytes[at])
        at += 1
        try beginBlock(at)
      case .blockContent:
        let end = min(bytes.count, at + left)
        left -= end - at
        if label != nil { _ = field.take(bytes, &at, end: end) }
        at = end
        if left == 0 { endBlock() }
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    if phase == .end { return doubt.map { .doubtful($0) } ?? .complete }
    let failure = InspectionFailure.truncated(.gif, at: base)
    if hasOnlyPicture, phase == .block || mayHaveAllCodes { return .withoutMark(failure) }
    throw failure
  }

  /// True if no further frame is missing: behind the first one of an animation others are.
  private var hasOnlyPicture: Bool { frames == 1 && !isAnimated }

  /// True within codes that may be those of all pixels: only decoding tells.
  private var mayHaveAllCodes: Bool {
    guard label == nil, phase == .blockLength || phase == .blockContent else { return false }
    let missing = phase == .blockContent ? Int64(left) : 0
    return MinimumSize.pixelsInLZW(bytes: codeBytes - missing, codeBits: codeBits) >= framePixels
  }

  var facts: ImageFacts? {
    guard width > 0, height > 0 else { return nil }
    return ImageFacts(
      format: .gif, width: width, height: height, frames: max(1, frames), bits: max(1, bits), hasAlpha: hasAlpha,
      loopCount: loops, colourModel: .palette, trailingBytes: trailingBytes, flaws: flaws)
  }

  private func damaged(_ at: Int, _ reason: String) -> InspectionFailure {
    .damaged(.gif, at: base + Int64(at), reason: reason)
  }

  private mutating func readScreen() throws(InspectionFailure) {
    (width, height) = (field.little16(6), field.little16(8))
    try limits.admit(width: width, height: height, frames: 1)
    beginColours(flags: field[10], then: .block)
  }

  /// Begins a colour table, if the flags announce one; the next block or a frame's codes follow it.
  private mutating func beginColours(flags: UInt8, then next: Phase) {
    guard flags & 0x80 != 0 else { return phase = next }
    afterColours = next
    let bitsOfColour = Int(flags & 7) + 1
    bits = max(bits, bitsOfColour)
    left = 3 << bitsOfColour
    phase = .colours
  }

  private mutating func begin(_ block: UInt8, _ at: Int) throws(InspectionFailure) {
    switch block {
    case 0x21: phase = .extensionLabel
    case 0x2C:
      phase = .descriptor
      field.begin(9)
    case 0x3B:
      guard frames > 0 else { throw damaged(at, "it ends without an image") }
      phase = .end
    // Decoders skip them: they are the ends of blocks that are not there.
    case 0: flaws.insert(.strayBytes)
    default:
      let failure = damaged(at, "neither a frame nor an extension nor the end mark")
      guard hasOnlyPicture else { throw failure }
      // Browsers show the picture, and pass over what follows.
      flaws.insert(.strayBytes)
      doubt = failure
      phase = .end
    }
  }

  private mutating func readDescriptor(_ at: Int) throws(InspectionFailure) {
    let (x, y, across, down) = (field.little16(0), field.little16(2), field.little16(4), field.little16(6))
    guard across > 0, down > 0 else {
      if width == 0 || height == 0 { throw .noPixels(.gif) }
      throw damaged(at, "a frame of no pixels")
    }
    if x + across > width || y + down > height {
      flaws.insert(.frameBeyondScreen)
      if frames == 0 { (width, height) = (max(width, x + across), max(height, y + down)) }
    }
    frames += 1
    try limits.admit(width: width, height: height, frames: 1)
    // The part of a later frame that lies beyond the screen is not shown, but still decoded.
    try limits.admit(width: across, height: down, frames: 1)
    framePixels = across * down
    label = nil
    beginColours(flags: field[8], then: .codeSize)
  }

  private mutating func beginBlocks() {
    blocks = 0
    codeBytes = 0
    phase = .blockLength
  }

  private mutating func beginBlock(_ at: Int) throws(InspectionFailure) {
    if left == 0 {
      if label == nil {
        let most = MinimumSize.pixelsInLZW(bytes: codeBytes, codeBits: codeBits)
        guard most >= framePixels else { throw damaged(at, "a frame with too little data for its pixels") }
      }
      phase = .block
      return
    }
    codeBytes += Int64(left)
    field.begin(min(left, 11))
    phase = .blockContent
  }

  /// Reads a block of an extension that matters here.
  private mutating func endBlock() {
    phase = .blockLength
    blocks += 1
    if label == 0xF9, blocks == 1 {
      hasAlpha = hasAlpha || field[0] & 1 != 0
      isAnimated = isAnimated || field.little16(1) > 0
    } else if label == 0xFF, blocks == 1 {
      isLooping = field.begins(with: "NETSCAPE2.0") || field.begins(with: "ANIMEXTS1.0")
      isAnimated = isAnimated || isLooping
    } else if label == 0xFF, isLooping, field[0] & 7 == 1, field.count >= 3 {
      loops = field.little16(1)
    }
  }
}
