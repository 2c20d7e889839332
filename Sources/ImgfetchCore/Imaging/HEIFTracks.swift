/// The tracks of a HEIF file, as its `moov` box lists them: how many pictures a sequence has, and
/// where the bytes of all stand.
struct HEIFTracks: Sendable {
  /// Tables as they came: in memory of their own their numbers would take twice as much.
  private struct Tables: Sendable {
    var sizes: [UInt8] = []
    var chunks: [UInt8] = []
    /// The bytes of a chunk's place.
    var placeSize = 4
    /// The samples in a chunk, as runs: each entry has the first chunk, counted from 1, that holds a number of samples.
    var runs: [UInt8] = []

    var length: Int { sizes.count + chunks.count + runs.count }
  }

  private struct Track: Sendable {
    var isPicture = false
    var coding: BoxType?
    var width = 0
    var height = 0
    var duration = 0
    var sampleSize = 0
    var sampleCount = 0
    var tables = Tables()
    /// The length of one turn, if the sequence is repeated.
    var turn: Int?
  }

  private var track = Track()
  private var picture: Track?

  /// The place behind the last byte of all samples.
  private(set) var end: Int64 = 0

  mutating func begin() { track = Track() }

  /// Takes a box of the track. Throws the reason why it is impossible.
  mutating func take(_ type: BoxType, _ content: [UInt8], length: Int64) throws(WalkFault) {
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
      try Self.keep(content, as: &track.tables.sizes)
    case "stco", "co64":
      fields.skip(4)
      track.tables.placeSize = type == "stco" ? 4 : 8
      _ = fields.count(4, entries: track.tables.placeSize)
      try Self.keep(content, as: &track.tables.chunks)
    case "stsc":
      fields.skip(4)
      _ = fields.count(4, entries: 12)
      try Self.keep(content, as: &track.tables.runs)
    default: return
    }
    if track.tables.length > HEIFWalk.longestTable { throw WalkFault(Self.tooLong) }
    if fields.isShort { throw WalkFault(Int64(content.count) < length ? Self.tooLong : "a table that breaks off") }
  }

  private static let tooLong = "a table that is too long"

  private static func keep(_ content: [UInt8], as table: inout [UInt8]) throws(WalkFault) {
    guard table.isEmpty else { throw WalkFault("a table that is there twice") }
    table = content
  }

  /// Reads the list of edits, which says whether a sequence is repeated: as often as the length of one
  /// turn goes into the track's.
  private mutating func readEdits(_ fields: inout FieldReader) {
    let head = fields.number(4)
    guard fields.number(4) == 1 else { return }
    let turn = fields.number(head >> 24 == 1 ? 8 : 4)
    track.turn = head & 1 == 1 && turn > 0 ? turn : nil
  }

  /// Ends the track, and finds the end of its samples.
  mutating func endTrack() throws(WalkFault) {
    var places = FieldReader(track.tables.chunks)
    var sizes = FieldReader(track.tables.sizes)
    var runs = FieldReader(track.tables.runs)
    places.skip(4)
    sizes.skip(12)
    runs.skip(4)
    let chunks = places.count(4, entries: track.tables.placeSize)
    var runsLeft = runs.count(4, entries: 12)
    let hasRuns = runsLeft > 0
    var run = (samples: 1, next: Int.max)
    if hasRuns { Self.advance(&run, &runs, &runsLeft) }
    var sample = 0
    for chunk in 0..<chunks {
      while run.next <= chunk + 1 { Self.advance(&run, &runs, &runsLeft) }
      let last = min(track.sampleCount, sample.addingReportingOverflow(run.samples).partialValue)
      guard last >= sample else { throw WalkFault("a sequence of too many samples") }
      var (bytes, isHuge) = Int64(track.sampleSize).multipliedReportingOverflow(by: Int64(last - sample))
      if track.sampleSize == 0 { for _ in sample..<last { bytes += Int64(sizes.number(4)) } }
      let (place, overflow) = Int64(places.number(track.tables.placeSize)).addingReportingOverflow(bytes)
      guard !isHuge, !overflow else { throw WalkFault("a sample that stands nowhere") }
      end = max(end, place)
      sample = last
    }
    guard sample == track.sampleCount else { throw WalkFault("samples that stand nowhere") }
    track.tables = Tables()
    // The first one is shown; another may be its thumbnails.
    if track.isPicture, picture == nil { picture = track }
    track = Track()
  }

  /// Goes on to the next run of chunks: its samples a chunk, and from which chunk on the run behind it holds.
  private static func advance(
    _ run: inout (samples: Int, next: Int), _ runs: inout FieldReader, _ left: inout Int
  ) {
    runs.skip(4)
    run.samples = runs.number(4)
    runs.skip(4)
    left -= 1
    var ahead = runs
    run.next = left > 0 ? ahead.number(4) : .max
  }

  /// The number of pictures of the sequence.
  var frames: Int { picture?.sampleCount ?? 0 }

  /// The loop count: 0 for endless, or nil if the file does not say.
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
