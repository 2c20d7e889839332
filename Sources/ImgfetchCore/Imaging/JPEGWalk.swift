/// Walks a JPEG from its start marker to its end marker, in chunks of any size.
///
/// Segments are followed by their lengths, so an end marker inside an embedded thumbnail is ignored. Coded data
/// is not decoded: it is searched for the next marker, its restart markers are counted, and it must have at least
/// as many bytes as its blocks need. Bytes behind the end marker, such as further images of a multi-picture file,
/// are counted and ignored.
///
/// Bytes outside of any segment are a flaw before the first scan, where only a missing table could matter,
/// and that is noticed. Behind it they count as damage although decoders skip them with a warning: a hole in
/// coded data looks like that.
struct JPEGWalk: ImageWalk {
  enum Phase: Sendable {
    /// Expecting 0xFF, then the marker's code, then a length.
    case mark, code, length
    /// The walk is in a segment: its content is collected, belongs to a table, or is skipped.
    case fields, quantisationHead, huffmanHead, huffmanValues, exif, skip
    /// The walk is in coded data, or after a 0xFF in it.
    case coded, codedMark
    case end
  }

  let limits: InspectionLimits
  /// The place of the current chunk in the file.
  private var base: Int64 = 0
  var phase = Phase.mark
  /// The marker of the current segment, and how much of the segment is left.
  var segment: UInt8 = 0
  var left = 0
  var length = 0
  /// The remaining bytes of a quantisation table.
  var quantisationLeft = 0
  var field = FieldBuffer()

  var frame: JPEGFrame?
  var tables = JPEGTables()
  var scan = JPEGScan()
  var scans = 0
  var restartInterval = 0

  var exif = ExifOrientation()
  var orientation = 1
  var hasColourProfile = false
  var isJFIF = false
  /// The colour transform by Adobe's marker: 0 none, 1 YCbCr, 2 YCCK.
  var adobeTransform: UInt8?
  private(set) var trailingBytes: Int64 = 0
  var flaws = ImageFlaws()

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .coded, .codedMark: try readCoded(bytes, &at)
      case .mark:
        guard bytes[at] == 0xFF else {
          try passStray(at, "a mark was expected")
          at = FastBytes.mark(in: bytes, from: at)
          break
        }
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
      default: try readContent(bytes, &at)
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    if phase == .end { return .complete }
    let failure = InspectionFailure.truncated(.jpeg, at: base)
    if lacksOnlyItsEnd { return .withoutMark(failure) }
    throw failure
  }

  /// True if the body may have ended with its last scan. Each coefficient must have been begun to its last bit: a
  /// progressive image that is cut between two scans lacks the later ones.
  private var lacksOnlyItsEnd: Bool {
    guard let frame, scans > 0, frame.isComplete, frame.isPrecise else { return false }
    return switch phase {
    case .coded: objection(toScanEndingAt: base) == nil
    case .codedMark: objection(toScanEndingAt: base - 1) == nil
    case .mark, .code: true
    // It breaks off in metadata behind the last scan.
    case .length, .fields, .exif, .skip: segment >= 0xE0
    default: false
    }
  }

  var facts: ImageFacts? {
    guard let frame else { return nil }
    return ImageFacts(
      format: .jpeg, width: frame.width, height: frame.height, bits: frame.bits, orientation: orientation,
      hasColourProfile: hasColourProfile, colourModel: colourModel(frame), trailingBytes: trailingBytes, flaws: flaws)
  }

  /// Decided as decoders do: by Adobe's marker, else by JFIF, else by the components' names.
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

  /// The place in the file of byte `at` of this chunk.
  func place(_ at: Int) -> Int64 { base + Int64(at) }

  func damaged(_ at: Int, _ reason: String) -> InspectionFailure {
    .damaged(.jpeg, at: place(at), reason: reason)
  }

  /// Passes over bytes that belong to no segment, where that is no damage.
  mutating func passStray(_ at: Int, _ reason: String) throws(InspectionFailure) {
    guard scans == 0 else { throw damaged(at, reason) }
    flaws.insert(.strayBytes)
  }

  /// Begins what may follow the marker `code`.
  mutating func begin(_ code: UInt8, _ at: Int) throws(InspectionFailure) {
    segment = code
    switch code {
    case 0xD8:
      guard place(at) == 2 else { throw damaged(at, "a second start mark") }
      phase = .mark
    case 0xD9: try beginEnd(at)
    case 0xDE, 0xDF, 0xC5...0xC7, 0xCD...0xCF: throw .unsupported(name: "a hierarchical JPEG")
    case 0xF7: throw .unsupported(name: "JPEG-LS")
    case 0xC0...0xC4, 0xC9...0xCC, 0xDA...0xDD, 0xE0...0xEF, 0xFE:
      phase = .length
      field.begin(2)
    case 0x00, 0x01, 0xD0...0xD7:
      // No mark at all, or one without content.
      try passStray(at, "the mark \(hexadecimal(code)) is out of place")
      phase = .mark
    default: throw damaged(at, "the mark \(hexadecimal(code)) is out of place")
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
