/// Walks a JPEG from its start mark to its end mark, fed in chunks of any size.
///
/// Segments are followed by their lengths, so an end mark inside an embedded thumbnail ends nothing. Coded data is not
/// decoded: it is searched for the next mark, its restart marks are counted, and it must not be shorter than so many
/// blocks can be. What follows the end mark (further images of a multi-picture file, say) is counted and left alone.
///
/// Bytes that belong to nothing are damage here although decoders skip them with a warning: they are what a wrong
/// length, or a hole in the file, looks like.
struct JPEGWalk: Sendable {
  enum Phase: Sendable {
    /// A 0xFF must come; after it the mark; after that a length.
    case mark, code, length
    /// In a segment: its content is gathered, or belongs to tables, or is passed over.
    case fields, quantisationHead, huffmanHead, huffmanValues, exif, skip
    /// In coded data, and behind a 0xFF there.
    case coded, codedMark
    case end
  }

  let limits: InspectionLimits
  /// Where the chunk that is being read begins.
  private var base: Int64 = 0
  var phase = Phase.mark
  /// The mark of the segment that is being read, and how much of the segment is still to come.
  var segment: UInt8 = 0
  var left = 0
  var length = 0
  /// What is still to come of a quantisation table.
  var quantisationLeft = 0
  var field = Gathered()

  var frame: JPEGFrame?
  var tables = JPEGTables()
  var scan = JPEGScan()
  var scans = 0
  var restartInterval = 0

  var exif = ExifOrientation()
  var orientation = 1
  var hasColourProfile = false
  var isJFIF = false
  /// How the colours were turned, by Adobe's mark: 0 not at all, 1 YCbCr, 2 YCCK.
  var adobeTransform: UInt8?
  private(set) var trailingBytes: Int64 = 0

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .coded, .codedMark:
        try readCoded(bytes, &at)
      case .mark:
        guard bytes[at] == 0xFF else { throw damaged(at, "a mark was expected") }
        at += 1
        phase = .code
      case .code:
        let code = bytes[at]
        at += 1
        if code != 0xFF { try begin(code, at) }
      case .length:
        guard field.take(bytes, &at, end: bytes.count) else { break }
        try beginContent(at)
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      default:
        try readContent(bytes, &at)
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) {
    guard phase == .end else { throw .truncated(.jpeg, at: base) }
  }

  var facts: ImageFacts? {
    guard let frame else { return nil }
    return ImageFacts(
      format: .jpeg, width: frame.width, height: frame.height, bits: frame.bits, orientation: orientation,
      hasColourProfile: hasColourProfile, colourModel: colourModel(frame), trailingBytes: trailingBytes)
  }

  /// What Adobe's mark says, else what JFIF says, else what the components' names say: as decoders decide.
  private func colourModel(_ frame: JPEGFrame) -> ImageFacts.ColourModel {
    switch frame.count {
    case 1, 2: .grey
    case 3:
      if isJFIF {
        .ycbcr
      } else if let adobeTransform {
        adobeTransform == 0 ? .rgb : .ycbcr
      } else {
        frame.isNamedRGB ? .rgb : .ycbcr
      }
    default: adobeTransform == 2 ? .ycck : .cmyk
    }
  }

  /// The place in the file that is `at` bytes into this chunk.
  func place(_ at: Int) -> Int64 { base + Int64(at) }

  func damaged(_ at: Int, _ reason: String) -> InspectionFailure {
    .damaged(.jpeg, at: place(at), reason: reason)
  }

  /// A mark was read: what may follow it.
  mutating func begin(_ code: UInt8, _ at: Int) throws(InspectionFailure) {
    segment = code
    switch code {
    case 0xD8:
      guard place(at) == 2 else { throw damaged(at, "a second start mark") }
      phase = .mark
    case 0xD9:
      try beginEnd(at)
    case 0xDE, 0xDF, 0xC5...0xC7, 0xCD...0xCF:
      throw .unsupported(name: "a hierarchical JPEG")
    case 0xF7:
      throw .unsupported(name: "JPEG-LS")
    case 0xC0...0xC4, 0xC9...0xCC, 0xDA...0xDD, 0xE0...0xEF, 0xFE:
      phase = .length
      field.begin(2)
    default:
      throw damaged(at, "the mark \(hexadecimal(code)) has no place here")
    }
  }

  private mutating func beginEnd(_ at: Int) throws(InspectionFailure) {
    guard let frame, scans > 0 else { throw damaged(at, "it ends without an image") }
    guard frame.isComplete else { throw damaged(at, "it ends before each of its components had a scan") }
    phase = .end
  }

  private func hexadecimal(_ code: UInt8) -> String {
    (code < 16 ? "FF0" : "FF") + String(code, radix: 16, uppercase: true)
  }
}
