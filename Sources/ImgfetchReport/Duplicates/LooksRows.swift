import ImgfetchCore

/// The looks of images whose rows have both hashes, with the places of the rows: 33 bytes for each. Where the hashes
/// tell nothing, the bytes decide.
package struct LooksRows: Sendable {
  private var looks: LooksTable
  private var places = PlaceColumn()
  private var keys = Column<UInt32>()
  private var runs = StretchColumn<UInt32>()
  private var blanks = ChecksumTable()

  package init(_ rule: LooksRule = LooksRule()) { looks = LooksTable(rule) }

  package var count: Int { looks.count + blanks.count }

  /// Adds an image if its row has a dhash and a phash.
  ///
  /// - Parameters:
  ///   - key: A hash of its key: rows of one key and one line are one image.
  ///   - run: The number of the run that its row is of: rows of one key in two runs are one image, too.
  package mutating func add(
    _ row: Row, in bytes: Span<UInt8>, place: UInt64, key: UInt32, run: UInt32 = 0
  ) -> Bool {
    guard let look = Looks(row, in: bytes) else { return false }
    let line = row.order(in: bytes)
    guard look.areTelling else {
      return blanks.add(row.checksum, in: bytes, place: place, line: line, key: key, run: run)
    }
    add(look, place: place, line: line, key: key, run: run)
    return true
  }

  /// Adds an image by its looks, or by its SHA-256 if the looks tell nothing.
  package mutating func add(_ look: Looks, sha256: [UInt8], place: UInt64, line: Int) {
    let key = UInt32(truncatingIfNeeded: place)
    guard !look.areTelling else { return add(look, place: place, line: line, key: key, run: 0) }
    blanks.add(sha256: sha256, place: place, line: line, key: key)
  }

  private mutating func add(_ look: Looks, place: UInt64, line: Int?, key: UInt32, run: UInt32) {
    looks.add(look, line: line)
    places.append(place)
    keys.append(key)
    runs.append(run)
  }

  /// Takes each group of two or more images as the places of their rows, ordered by line. Groups are ordered by their
  /// first images; groups of equal bytes come last.
  package func forEachGroup(_ take: ([UInt64]) -> Void) {
    looks.forEachGroup { numbers in
      let group = RowOrigin.images(numbers) {
        RowOrigin(key: keys[$0], run: runs[$0], line: looks.line(of: $0))
      }
      if group.count > 1 { take(group.map { places[$0] }) }
    }
    blanks.forEachGroup(take)
  }
}

extension Looks {
  /// The looks of a row's image, or nil unless the row has both hashes.
  init?(_ row: Row, in bytes: Span<UInt8>) {
    guard row.dhash.end - row.dhash.start == 16, row.phash.end - row.phash.start == 16,
      let dhash = Hex.number(bytes, at: Int(row.dhash.start), before: Int(row.dhash.end)),
      let phash = Hex.number(bytes, at: Int(row.phash.start), before: Int(row.phash.end))
    else { return nil }
    let colour = AverageColour.of(
      blurhash: row.blurhash.isEmpty ? nil : row.blurhash.string(in: bytes, most: 128),
      thumbhash: row.thumbhash.isEmpty ? nil : row.thumbhash.string(in: bytes, most: 64))
    self.init(dhash: dhash, phash: phash, width: row.width ?? 1, height: row.height ?? 1, colour: colour)
  }

  /// The looks by fingerprints as text; nil where they are none.
  package init?(dhash: String, phash: String, blurhash: String?, width: Int, height: Int) {
    let (first, second) = (Array(dhash.utf8), Array(phash.utf8))
    guard first.count == 16, second.count == 16, let dhash = Hex.number(first.span, at: 0, before: 16),
      let phash = Hex.number(second.span, at: 0, before: 16)
    else { return nil }
    let colour = AverageColour.of(blurhash: blurhash, thumbhash: nil)
    self.init(dhash: dhash, phash: phash, width: width, height: height, colour: colour)
  }
}

/// The average colours that placeholders tell.
enum AverageColour {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

  /// The colour of a blurhash, which has it in eight bits a channel; else that of a thumbhash, which is coarser; black
  /// where there is neither.
  static func of(blurhash: String?, thumbhash: String?) -> (red: UInt8, green: UInt8, blue: UInt8) {
    if let blurhash, let colour = ofBlurHash(blurhash) { return colour }
    return thumbhash.flatMap(ThumbHashPicture.average) ?? (0, 0, 0)
  }

  private static func ofBlurHash(_ text: String) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    let four = text.utf8.dropFirst(2).prefix(4)
    guard four.count == 4 else { return nil }
    var value = 0
    for byte in four {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      value = value * 83 + digit
    }
    return (
      UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)
    )
  }
}
