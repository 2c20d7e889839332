import ImgfetchCore

/// Statements in an image's own bytes about its use: IPTC's data-mining field, in XMP, and C2PA's training assertion.
///
/// They are looked for where formats have their metadata; of formats that are rare on the web, everywhere. Pixels are
/// skipped, so that the search costs next to nothing.
package enum ImageStatements {
  /// Finds the statements in an image.
  ///
  /// - Parameter purpose: the purpose for which the image is used.
  package static func consent(in body: ImageBody, _ format: ImageFormat?, for purpose: UsePurpose) -> Consent {
    let metadata = ImageMetadata.bytes(of: body, format)
    if metadata.isEmpty { return .silent }
    var consent = Consent.silent
    if let term = dataMiningTerm(in: metadata) {
      consent = Consent(StatedUse.dataMining(term), for: purpose, .dataMining, "Data Mining: \(term)")
    }
    let entries = TrainingAssertion.entries(in: metadata)
    let uses = entries.compactMap { StatedUse.trainingAssertion($0.name, use: $0.use) }
    let text = entries.map { "\($0.name): \($0.use)" }.joined(separator: ", ")
    return consent.combined(with: Consent(uses, for: purpose, .credentials, text))
  }

  /// The term of PLUS's vocabulary that the property `DataMining` has, whatever its prefix, as an
  /// attribute or an element.
  private static func dataMiningTerm(in bytes: [UInt8]) -> String? {
    let (property, vocabulary) = (Array("DataMining".utf8), Array("ldf/vocab/DMI-".utf8))
    var at = 0
    while let found = bytes.place(of: property, from: at) {
      let start = found + property.count
      let end = min(bytes.count, start + farthest)
      if let value = bytes.place(of: vocabulary, from: start, before: end) {
        let term = bytes[(value + vocabulary.count - 4)...].prefix { byte in
          0x41...0x5A ~= byte || byte == UInt8(ascii: "-")
        }
        return String(decoding: term.prefix(64), as: UTF8.self)
      }
      at = start
    }
    return nil
  }

  /// The value stands right behind the name, but for quotation marks and the beginning of its address.
  private static let farthest = 200
}

/// The parts of an image's file that are not its pixels.
enum ImageMetadata {
  /// The most bytes of metadata. Cameras and editors write less.
  private static let most = 16 << 20

  static func bytes(of body: ImageBody, _ format: ImageFormat?) -> [UInt8] {
    switch format {
    case .jpeg?: jpeg(body)
    case .png?: chunks(body, ofPNG: true, wanted: ["iTXt", "tEXt", "caBX"])
    case .webp?: chunks(body, ofPNG: false, wanted: ["XMP ", "C2PA"])
    case .bmp?, .ico?: []
    default: body.bytes(from: 0, atMost: most)
    }
  }

  /// The segments before the first scan. JUMBF segments (ISO 19566-5) are parts of one box, each
  /// behind a header of its own.
  private static func jpeg(_ body: ImageBody) -> [UInt8] {
    var metadata: [UInt8] = []
    MetadataReader { body.bytes(from: $0, atMost: $1) }.eachSegment { mark, place, length in
      if mark == 0xE1 {
        metadata += body.bytes(from: place, atMost: length)
      } else if mark == 0xEB {
        let segment = body.bytes(from: place, atMost: length)
        // "JP", the box's number, the part's number; then length and type of the box, again in each part.
        if segment.count > 16, segment.starts(with: [0x4A, 0x50]) {
          let isFirst = segment[4..<8].elementsEqual([0, 0, 0, 1])
          metadata += segment[(isFirst ? 8 : 16)...]
        }
      }
      return metadata.count < most
    }
    return metadata
  }

  private static func chunks(_ body: ImageBody, ofPNG isPNG: Bool, wanted: [String]) -> [UInt8] {
    var metadata: [UInt8] = []
    MetadataReader { body.bytes(from: $0, atMost: $1) }.eachChunk(ofPNG: isPNG) { name, place, length in
      if wanted.contains(where: { name.elementsEqual($0.utf8) }) {
        metadata += body.bytes(from: place, atMost: min(length, most))
      }
      return metadata.count < most
    }
    return metadata
  }
}

/// A training and data mining assertion, in CBOR (RFC 8949), as far as it is read: a map of names
/// to maps that have a `use`.
enum TrainingAssertion {
  /// All entries of all such assertions.
  static func entries(in bytes: [UInt8]) -> [(name: String, use: String)] {
    var entries: [(name: String, use: String)] = []
    let label = Array(".training-mining".utf8)
    var at = 0
    while entries.count < 64, let found = bytes.place(of: label, from: at) {
      at = found + label.count
      // The assertion's store names it, and so does the claim; only behind its own label is a box of CBOR.
      let end = min(bytes.count, at + farthest)
      guard let box = bytes.place(of: Array("cbor".utf8), from: at, before: end) else { continue }
      var reader = CBORReader(bytes[(box + 4)..<min(bytes.count, box + 4 + longest)])
      reader.findEntries { entries.append(($0, $1)) }
      // Labels in what has been read are part of its texts. Each byte is read once, however many labels there are.
      at = reader.at
    }
    return entries
  }

  /// The distance from the label to the box of its content: its end, and perhaps a salt, come between.
  private static let farthest = 256
  private static let longest = 64 << 10
}

/// Reads CBOR for texts that stand below texts, with a bound on its depth and on every length.
private struct CBORReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var at: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    at = bytes.startIndex
  }

  private static let deepest = 8

  /// Calls `take` with each entry's name, without its prefix, and its use.
  mutating func findEntries(_ take: (String, String) -> Void) { _ = item(below: nil, depth: 0, take) }

  /// Skips the next item. Returns false if it is not of a kind that is read here.
  private mutating func item(below name: String?, depth: Int, _ take: (String, String) -> Void) -> Bool {
    guard depth < Self.deepest, let (major, count) = head() else { return false }
    switch major {
    case 0, 1, 7: return true
    case 2, 3: return skip(count)
    case 4:
      for _ in 0..<min(count, bytes.count) { if !item(below: nil, depth: depth + 1, take) { return false } }
      return true
    case 5:
      for _ in 0..<min(count, bytes.count) { if !pair(below: name, depth: depth, take) { return false } }
      return true
    case 6: return item(below: name, depth: depth + 1, take)
    default: return false
    }
  }

  private mutating func pair(below name: String?, depth: Int, _ take: (String, String) -> Void) -> Bool {
    guard let key = text() else { return false }
    if key == "use", let name {
      guard let use = text() else { return false }
      take(name, use)
      return true
    }
    let entry =
      key.utf8.starts(with: "c2pa.".utf8) || key.utf8.starts(with: "cawg.".utf8) ? String(key.dropFirst(5)) : nil
    return item(below: entry, depth: depth + 1, take)
  }

  private mutating func text() -> String? {
    guard let (major, count) = head(), major == 3, count <= 256 else { return nil }
    let start = at
    guard skip(count) else { return nil }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.endIndex - at else { return false }
    at += count
    return true
  }

  /// The kind of the next item, and its number, length or count.
  private mutating func head() -> (major: UInt8, count: Int)? {
    guard at < bytes.endIndex else { return nil }
    let first = bytes[at]
    at += 1
    let (major, low) = (first >> 5, Int(first & 31))
    if low < 24 { return (major, low) }
    guard low < 28 else { return nil }
    let length = 1 << (low - 24)
    guard length <= bytes.endIndex - at else { return nil }
    var number: UInt64 = 0
    for _ in 0..<length {
      number = number << 8 | UInt64(bytes[at])
      at += 1
    }
    return (major, Int(clamping: number))
  }
}
