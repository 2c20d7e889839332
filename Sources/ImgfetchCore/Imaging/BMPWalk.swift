/// Walks a BMP: its headers, and as many bytes as its rows take. Run-length codes are followed
/// to the end of the picture.
///
/// The size in the file's header is not looked at: many writers leave it 0, and no reader needs it.
struct BMPWalk: ImageWalk {
  private enum Phase: Sendable { case file, header, masks, gap, rows, codes, end }

  private let limits: InspectionLimits
  private var phase = Phase.file
  private var field = FieldBuffer()
  private var base: Int64 = 0
  private var bitmap: Bitmap?
  /// The place at which the rows begin.
  private var start: Int64 = 0
  private var codes = RunLengthCodes()
  /// The bytes that are left of the rows.
  private var left: Int64 = 0
  private var trailingBytes: Int64 = 0

  init(limits: InspectionLimits) {
    self.limits = limits
    field.begin(Bitmap.fileHeader + Bitmap.sizeField)
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .file:
        guard field.take(bytes, &at, end: bytes.count) else { break }
        start = Int64(field.little32(10))
        let size = field.little32(14)
        guard let length = Bitmap.fieldLength(headerSize: size) else {
          throw .damaged(.bmp, at: 14, reason: "a header of a length that does not exist")
        }
        bitmap = Bitmap(headerSize: size)
        field.begin(length)
        phase = .header
      case .header:
        guard field.take(bytes, &at, end: bytes.count), var bitmap else { break }
        try bitmap.read(field, of: .bmp, at: Int64(Bitmap.fileHeader))
        try limits.admit(width: bitmap.width, height: bitmap.height, frames: 1)
        let least = Int64(Bitmap.fileHeader) + bitmap.headerLength
        // Without a place the rows follow the headers.
        if start == 0 { start = least + bitmap.paletteLength }
        guard start >= least else { throw .damaged(.bmp, at: 10, reason: "its pixels begin within its header") }
        self.bitmap = bitmap
        guard let masks = bitmap.masksLength else {
          try beginGap(from: base + Int64(at))
          break
        }
        field.begin(masks)
        phase = .masks
      case .masks:
        guard field.take(bytes, &at, end: bytes.count) else { break }
        bitmap?.readMasks(field)
        try beginGap(from: base + Int64(at))
      case .gap:
        if skip(bytes, &at) { beginPixels() }
      case .rows:
        if skip(bytes, &at) { phase = .end }
      case .codes:
        at = codes.feed(bytes, from: at)
        if codes.isDone { phase = .end }
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end else { throw .truncated(.bmp, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    guard let bitmap, bitmap.width > 0 else { return nil }
    return bitmap.facts(of: .bmp, trailingBytes: trailingBytes)
  }

  private mutating func beginGap(from place: Int64) throws(InspectionFailure) {
    left = start - place
    guard left >= 0 else { throw .damaged(.bmp, at: 10, reason: "its pixels begin within its header") }
    phase = .gap
    if left == 0 { beginPixels() }
  }

  private mutating func beginPixels() {
    guard let bitmap else { return }
    left = bitmap.rowsLength
    phase = .rows
    guard bitmap.isRunLength else { return }
    codes = RunLengthCodes(bitsPerPixel: bitmap.bitsPerPixel, height: bitmap.height)
    phase = .codes
  }

  /// Skips the rest of the current part. Returns true if that was all.
  private mutating func skip(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    let step = min(left, Int64(bytes.count - at))
    at += Int(step)
    left -= step
    return left == 0
  }
}

/// Follows the run-length codes of a BMP to the mark at the picture's end, or to the end of the last row.
struct RunLengthCodes: Sendable {
  private enum Phase: Sendable { case count, value, escape, moveAcross, moveDown, plain }

  private var phase = Phase.count
  private var bitsPerPixel = 8
  private var rowsLeft = 1
  private var plainLeft = 0
  private(set) var isDone = false

  init() {}

  init(bitsPerPixel: Int, height: Int) {
    self.bitsPerPixel = bitsPerPixel
    rowsLeft = height
  }

  /// Takes bytes from a place on. Returns the place behind the last one that it took.
  mutating func feed(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < bytes.count, !isDone {
      if phase == .plain {
        let step = min(plainLeft, bytes.count - at)
        plainLeft -= step
        at += step
        if plainLeft == 0 { phase = .count }
        continue
      }
      let byte = bytes[at]
      at += 1
      switch phase {
      case .count: phase = byte == 0 ? .escape : .value
      case .value: phase = .count
      case .escape: escape(byte)
      case .moveAcross: phase = .moveDown
      case .moveDown:
        rowsLeft -= Int(byte)
        isDone = rowsLeft <= 0
        phase = .count
      case .plain: break
      }
    }
    return at
  }

  private mutating func escape(_ byte: UInt8) {
    phase = .count
    switch byte {
    case 0:
      // The end of a row. Behind the last one writers leave the end mark away; then nothing is missing.
      rowsLeft -= 1
    case 1: isDone = true
    case 2: phase = .moveAcross
    default:
      // A number of pixels as they are, padded to an even number of bytes.
      let length = (Int(byte) * bitsPerPixel + 7) / 8
      plainLeft = length + length % 2
      phase = .plain
    }
  }
}
