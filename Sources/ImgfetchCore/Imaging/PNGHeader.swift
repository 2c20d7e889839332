/// The header chunk of a PNG.
struct PNGHeader: Sendable {
  let width: Int
  let height: Int
  let depth: Int
  let colourType: UInt8

  /// Parses the chunk's 13 bytes, or nil if they contradict each other or the format.
  init?(_ field: FieldBuffer) {
    width = field.big32(0)
    height = field.big32(4)
    depth = Int(field[8])
    colourType = field[9]
    let depths: [Int]
    switch colourType {
    case 0: depths = [1, 2, 4, 8, 16]
    case 3: depths = [1, 2, 4, 8]
    case 2, 4, 6: depths = [8, 16]
    default: return nil
    }
    // Then follow compression and filter method, each with one legal value, and the interlace method.
    guard depths.contains(depth), field[10] == 0, field[11] == 0, field[12] < 2 else { return nil }
    guard width <= Int(Int32.max), height <= Int(Int32.max) else { return nil }
  }

  var isPalette: Bool { colourType == 3 }
  var isGrey: Bool { colourType == 0 || colourType == 4 }
  var hasAlphaChannel: Bool { colourType >= 4 }

  var bitsPerPixel: Int {
    switch colourType {
    case 2: 3 * depth
    case 4: 2 * depth
    case 6: 4 * depth
    default: depth
    }
  }
}

/// Checks the animation chunks of a PNG against each other.
///
/// The announced number of frames only decides whether the file is complete: pixels are counted as frames arrive.
struct PNGAnimation: Sendable {
  /// The reason why a chunk is invalid in its place, or nil if it is valid.
  typealias Objection = String

  private(set) var isPresent = false
  /// True if chunks contradict each other. The animation has then ended, and further chunks of it have no effect.
  private(set) var isBroken = false
  private(set) var plays = 0
  private(set) var frames = 0
  private var announced = 0
  private var nextSequence = 0
  private var isFrameOpen = false
  private var frameWidth = 0
  private var frameHeight = 0
  private var frameBytes: Int64 = 0

  /// The chunk that announces an animation (acTL).
  mutating func announce(_ field: FieldBuffer, bytes: Int) -> Objection? {
    guard bytes == 8 else { return Self.objection(bytes, 8) }
    guard !isPresent else { return "an animation is announced twice" }
    (isPresent, announced, plays) = (true, field.big32(0), field.big32(4))
    return announced == 0 ? "an animation of no frames" : nil
  }

  /// A frame's control (fcTL): number, size, place, delay, and how it is disposed of.
  mutating func begin(_ field: FieldBuffer, bytes: Int, _ header: PNGHeader, isFirstImage: Bool) -> Objection? {
    guard bytes == 26 else { return Self.objection(bytes, 26) }
    if let objection = number(field) ?? close(header) { return objection }
    let (width, height) = (field.big32(4), field.big32(8))
    let (x, y) = (field.big32(12), field.big32(16))
    guard width > 0, height > 0, x + width <= header.width, y + height <= header.height else {
      return "a frame that lies outside of the image"
    }
    if isFirstImage, width != header.width || height != header.height {
      return "a first frame that is not as large as the image"
    }
    guard field[24] < 3, field[25] < 2 else { return "a frame control that cannot be" }
    frames += 1
    (isFrameOpen, frameWidth, frameHeight, frameBytes) = (true, width, height, 0)
    return nil
  }

  /// Data of a frame (fdAT), which begins with a sequence number.
  mutating func data(_ field: FieldBuffer, bytes: Int, hasImageData: Bool) -> Objection? {
    guard bytes >= 4, hasImageData else { return "data of a frame out of its place" }
    guard isFrameOpen else { return "data of a frame that was not begun" }
    frameBytes += Int64(bytes - 4)
    return number(field)
  }

  /// Data of the image itself, which is the first frame if a control came before it.
  mutating func imageData(bytes: Int) {
    if isFrameOpen { frameBytes += Int64(bytes) }
  }

  /// The end of the file.
  mutating func end(_ header: PNGHeader) -> Objection? {
    guard isPresent else { return nil }
    if let objection = close(header) { return objection }
    return frames == announced ? nil : "an animation with \(frames) of its \(announced) frames"
  }

  /// Drops the animation.
  mutating func abandon() {
    self = PNGAnimation()
    isBroken = true
  }

  private mutating func close(_ header: PNGHeader) -> Objection? {
    guard isFrameOpen else { return nil }
    isFrameOpen = false
    let least = MinimumSize.deflated(width: frameWidth, height: frameHeight, bitsPerPixel: header.bitsPerPixel)
    return frameBytes > 0 && frameBytes >= least ? nil : "a frame with too little data for its pixels"
  }

  private static func objection(_ bytes: Int, _ wanted: Int) -> Objection {
    "a chunk of \(bytes) bytes that must have \(wanted)"
  }

  private mutating func number(_ field: FieldBuffer) -> Objection? {
    guard field.big32(0) == nextSequence else { return "a frame's chunks are out of their order" }
    nextSequence += 1
    return nil
  }
}
