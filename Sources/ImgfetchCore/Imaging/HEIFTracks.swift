/// The tracks of a HEIF file, as its `moov` box lists them: how many pictures a sequence has, and where the bytes of all stand.
struct HEIFTracks: Sendable {
  private struct Track: Sendable {
    var isPicture = false
    var coding: BoxType?
    var width = 0
    var height = 0
    var duration = 0
    var sampleSize = 0
    var sampleCount = 0
    var sampleSizes: [UInt32] = []
    var chunks: [Int64] = []
    /// From which chunk on, counted from 1, a chunk holds how many samples.
    var runs: [(chunk: Int, samples: Int)] = []
    /// How long one turn is, where the sequence is repeated.
    var turn: Int?
  }

  private var track = Track()
  private var picture: Track?

  /// The place behind the last byte of all samples.
  private(set) var end: Int64 = 0

  /// A track begins.
  mutating func begin() { track = Track() }

  /// Takes a box of the track. Throws the reason why it is impossible.
  mutating func take(_ type: BoxType, _ content: [UInt8], length: Int64) throws(HEIFFault) {
    var fields = FieldReader(content)
    switch type {
    case "tkhd":
      let isLong = fields.version() == 1
      fields.skip(isLong ? 24 : 16)
      track.duration = fields.number(isLong ? 8 : 4)
      if !isLong, track.duration == Int(UInt32.max) { track.duration = .max }
    case "elst": readEdits(&fields)
    case "hdlr":
      fields.skip(8)
      track.isPicture = fields.number(4) == BoxType("pict").code
    case "stsd":
      fields.skip(12)
      track.coding = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      fields.skip(24)
      (track.width, track.height) = (fields.number(2), fields.number(2))
    case "stsz":
      fields.skip(4)
      track.sampleSize = fields.number(4)
      track.sampleCount = fields.count(4, entries: track.sampleSize == 0 ? 4 : 0)
      track.sampleSizes = []
      if track.sampleSize == 0 {
        for _ in 0..<track.sampleCount { track.sampleSizes.append(UInt32(truncatingIfNeeded: fields.number(4))) }
      }
    case "stco", "co64":
      fields.skip(4)
      let size = type == "stco" ? 4 : 8
      for _ in 0..<fields.count(4, entries: size) { track.chunks.append(Int64(fields.number(size))) }
    case "stsc":
      fields.skip(4)
      for _ in 0..<fields.count(4, entries: 12) {
        track.runs.append((fields.number(4), fields.number(4)))
        fields.skip(4)
      }
    default: return
    }
    if fields.isShort { throw HEIFFault(Int64(content.count) < length ? Self.tooLong : "a table that breaks off") }
  }

  private static let tooLong = "a table that is too long"

  /// A sequence is repeated if its list of edits says so: as often as the length of one turn goes into the track's.
  private mutating func readEdits(_ fields: inout FieldReader) {
    let head = fields.number(4)
    guard fields.number(4) == 1 else { return }
    let turn = fields.number(head >> 24 == 1 ? 8 : 4)
    track.turn = head & 1 == 1 && turn > 0 ? turn : nil
  }

  /// The track has ended: finds the end of its samples.
  mutating func endTrack() throws(HEIFFault) {
    var chunk = 1
    var sample = 0
    var run = 0
    for start in track.chunks {
      while run + 1 < track.runs.count, track.runs[run + 1].chunk <= chunk { run += 1 }
      let samples = track.runs.isEmpty ? 1 : track.runs[run].samples
      let last = min(track.sampleCount, sample.addingReportingOverflow(samples).partialValue)
      guard last >= sample else { throw HEIFFault("a sequence of too many samples") }
      var (bytes, isHuge) = Int64(track.sampleSize).multipliedReportingOverflow(by: Int64(last - sample))
      if track.sampleSize == 0 { bytes = track.sampleSizes[sample..<last].reduce(0) { $0 + Int64($1) } }
      let (place, overflow) = start.addingReportingOverflow(bytes)
      guard !isHuge, !overflow else { throw HEIFFault("a sample that stands nowhere") }
      end = max(end, place)
      sample = last
      chunk += 1
    }
    guard sample == track.sampleCount else { throw HEIFFault("samples that stand nowhere") }
    // The first one is shown; another may be its thumbnails.
    if track.isPicture, picture == nil { picture = track }
    track = Track()
  }

  /// The number of pictures of the sequence.
  var frames: Int { picture?.sampleCount ?? 0 }

  /// The loop count: 0 for endless; nil if the file does not say.
  var loopCount: Int? {
    guard let picture, let turn = picture.turn else { return nil }
    return picture.duration == .max ? 0 : max(1, picture.duration / turn + (picture.duration % turn == 0 ? 0 : 1))
  }

  /// Describes the sequence of a file that names no still picture.
  func facts(of format: ImageFormat) -> ImageFacts? {
    guard let picture else { return nil }
    return ImageFacts(format: format, width: picture.width, height: picture.height, colourModel: .ycbcr)
  }

  var coding: BoxType? { picture?.coding }
}
