/// What a PNG's animation chunks have promised and kept so far.
///
/// The number of frames that a file announces decides nothing but whether it was whole: pixels are counted as frames come.
struct PNGAnimation: Sendable {
  /// Why a chunk cannot stand where it does; nil if it can.
  typealias Objection = String

  private(set) var isPresent = false
  private(set) var plays = 0
  private(set) var frames = 0
  private var announced = 0
  private var nextSequence = 0
  private var isFrameOpen = false
  private var frameWidth = 0
  private var frameHeight = 0
  private var frameBytes: Int64 = 0

  /// The chunk that announces an animation (acTL). One that comes behind the image data makes none.
  mutating func announce(_ field: Gathered) -> Objection? {
    guard !isPresent else { return "an animation is announced twice" }
    (isPresent, announced, plays) = (true, field.big32(0), field.big32(4))
    return announced == 0 ? "an animation of no frames" : nil
  }

  /// A frame's control (fcTL): number, size, place, delay, and what becomes of it.
  mutating func begin(_ field: Gathered, _ header: PNGHeader, isFirstImage: Bool) -> Objection? {
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

  /// Data of a frame (fdAT), which begins with its number.
  mutating func data(_ field: Gathered, bytes: Int) -> Objection? {
    guard isFrameOpen else { return "data of a frame that was not begun" }
    frameBytes += Int64(bytes - 4)
    return number(field)
  }

  /// Data of the image itself, which is the first frame if a control stood before it.
  mutating func imageData(bytes: Int) {
    if isFrameOpen { frameBytes += Int64(bytes) }
  }

  /// The file's end.
  mutating func end(_ header: PNGHeader) -> Objection? {
    guard isPresent else { return nil }
    if let objection = close(header) { return objection }
    return frames == announced ? nil : "an animation with \(frames) of its \(announced) frames"
  }

  private mutating func close(_ header: PNGHeader) -> Objection? {
    guard isFrameOpen else { return nil }
    isFrameOpen = false
    let least = LeastBytes.deflated(width: frameWidth, height: frameHeight, bitsPerPixel: header.bitsPerPixel)
    return frameBytes > 0 && frameBytes >= least ? nil : "a frame with too little data for its pixels"
  }

  private mutating func number(_ field: Gathered) -> Objection? {
    guard field.big32(0) == nextSequence else { return "a frame's chunks are out of their order" }
    nextSequence += 1
    return nil
  }
}
