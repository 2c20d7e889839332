// The segments before and between the scans: frame header, tables, application data.
extension JPEGWalk {
  /// Begins a segment's content, once its length was read.
  mutating func beginContent(_ at: Int) throws(InspectionFailure) {
    length = field.big16(0) - 2
    if length < 0 {
      guard segment >= 0xE0 else { throw damaged(at, "a segment's length is less than 2") }
      flaws.insert(.cutSegment)
      length = 0
    }
    left = length
    switch segment {
    case 0xDB: beginQuantisation()
    case 0xC4: beginHuffman()
    case 0xC0...0xC3, 0xC9...0xCB: try beginFields(at, atMost: 18)
    case 0xDA: try beginFields(at, atMost: 12)
    case 0xDD: try beginFields(at, atMost: 2)
    case 0xE0, 0xE2, 0xEE:
      // Long enough for the names of JFIF, colour profiles and Adobe's marker, and for their contents.
      phase = .fields
      field.begin(min(length, 12))
    case 0xE1:
      exif = ExifOrientation()
      phase = .exif
    default: phase = .skip
    }
    if left == 0 { try endContent(at) }
  }

  private mutating func beginFields(_ at: Int, atMost most: Int) throws(InspectionFailure) {
    guard 1...most ~= length else { throw damaged(at, "a header of \(length) bytes") }
    phase = .fields
    field.begin(length)
  }

  private mutating func beginQuantisation() {
    phase = .quantisationHead
    field.begin(1)
  }

  private mutating func beginHuffman() {
    phase = .huffmanHead
    field.begin(17)
  }

  /// Reads as much of the content as this chunk has.
  mutating func readContent(_ bytes: Span<UInt8>, _ at: inout Int) throws(InspectionFailure) {
    let start = at
    let end = min(bytes.count, at + left)
    switch phase {
    case .fields:
      if field.take(bytes, &at, end: end) { phase = .skip }
    case .quantisationHead:
      if field.take(bytes, &at, end: end) { try readQuantisation(at) }
    case .huffmanHead:
      if field.take(bytes, &at, end: end) {
        guard tables.beginHuffman(field), tables.valuesLeft <= left - (at - start) else {
          throw damaged(at, "a Huffman table that cannot be")
        }
        phase = .huffmanValues
        endHuffmanIfComplete()
      }
    case .huffmanValues:
      at += tables.passHuffman(atMost: end - at)
      while at < end, tables.valuesLeft > 0 {
        let isUsable = tables.takeHuffman(bytes[at])
        at += 1
        guard isUsable else { throw damaged(at, "a Huffman table with a value that cannot be") }
      }
      endHuffmanIfComplete()
    case .exif:
      exif.feed(bytes, at..<end)
      at = end
    default:
      // A quantisation table's values are followed by the next head; everything else is skipped to its end.
      let step = segment == 0xDB ? min(end - at, quantisationLeft) : end - at
      at += step
      if segment == 0xDB {
        quantisationLeft -= step
        if quantisationLeft == 0 { beginQuantisation() }
      }
    }
    left -= at - start
    if left == 0 { try endContent(at) }
  }

  private mutating func endHuffmanIfComplete() {
    guard tables.valuesLeft == 0 else { return }
    tables.endHuffman()
    beginHuffman()
  }

  private mutating func readQuantisation(_ at: Int) throws(InspectionFailure) {
    let (size, slot) = (field[0] >> 4, field[0] & 15)
    guard size < 2, slot < 4 else { throw damaged(at, "a quantisation table that cannot be") }
    tables.defineQuantisation(slot)
    quantisationLeft = size == 0 ? 64 : 128
    phase = .skip
  }

  private mutating func endContent(_ at: Int) throws(InspectionFailure) {
    let isInsideTable =
      phase == .huffmanValues || (phase == .huffmanHead || phase == .quantisationHead) && field.count > 0
      || segment == 0xDB && phase == .skip
    if isInsideTable { throw damaged(at, "a segment ends inside a table") }
    phase = .mark
    switch segment {
    case 0xC0...0xC3, 0xC9...0xCB: try readFrame(at)
    case 0xDA: try readScan(at)
    case 0xDD:
      guard length == 2 else { throw damaged(at, "a restart interval of \(length) bytes") }
      restartInterval = field.big16(0)
    case 0xE0: if field.begins(with: "JFIF") { isJFIF = true }
    case 0xE1: if orientation == 1 { orientation = exif.value }
    case 0xE2: if field.begins(with: "ICC_PROFILE") { hasColourProfile = true }
    case 0xEE: if length >= 12, field.begins(with: "Adobe") { adobeTransform = field[11] }
    default: break
    }
  }

  private mutating func readFrame(_ at: Int) throws(InspectionFailure) {
    guard frame == nil else { throw damaged(at, "a second frame header") }
    guard let header = JPEGFrame(mark: segment, field, length: length) else {
      throw damaged(at, "a frame header that cannot be")
    }
    // A height of 0 may be corrected after the first scan (DNL). No decoder in use supports that, so
    // such a file shows nothing.
    guard header.width > 0, header.height > 0 else { throw .noPixels(.jpeg) }
    frame = header
    try limits.admit(width: header.width, height: header.height, frames: 1)
  }
}
