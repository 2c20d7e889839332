/// A directory of a TIFF: the fields that tell where a picture's bytes stand, and what it is.
///
/// Most values stand in the directory itself. Longer ones stand elsewhere in the file; the walk fetches those that are named here.
struct TIFFDirectory: Sendable {
  /// The fields that matter.
  enum Tag: Int, Sendable {
    case subfileType = 254
    case width = 256
    case height = 257
    case bitsPerSample = 258
    case compression = 259
    case photometric = 262
    case stripOffsets = 273
    case orientation = 274
    case samplesPerPixel = 277
    case rowsPerStrip = 278
    case stripLengths = 279
    case planes = 284
    case tileWidth = 322
    case tileHeight = 323
    case tileOffsets = 324
    case tileLengths = 325
    case subdirectories = 330
    case extraSamples = 338
    case profile = 34675

    /// Whether it tells where bytes stand, so that nothing can be said without it.
    var isTable: Bool {
      switch self {
      case .stripOffsets, .stripLengths, .tileOffsets, .tileLengths, .subdirectories: true
      default: false
      }
    }
  }

  /// Values that stand elsewhere.
  struct Reference: Sendable {
    let tag: Tag
    let start: Int64
    let count: Int
    /// The bytes of one value.
    let size: Int
  }

  /// Whether it is a page, and not a directory within another.
  let isPage: Bool
  private var values: [Tag: [Int]] = [:]
  /// The place behind the last of the values that are not looked at.
  private(set) var valuesEnd: Int64 = 0

  init(isPage: Bool) { self.isPage = isPage }

  /// The bytes of a value of each type, by the type's number.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
  /// Types that are whole numbers without a sign.
  private static let numbers = [1, 3, 4, 13, 16, 18]

  /// Reads an entry. Returns where its values stand, if not in it.
  mutating func read(_ fields: inout FieldReader, isBig: Bool) throws(TIFFFault) -> Reference? {
    let word = isBig ? 8 : 4
    let number = fields.number(2)
    let type = fields.number(2)
    let count = fields.number(word)
    guard let tag = Tag(rawValue: number), tag != .profile else {
      if number == Tag.profile.rawValue { values[.profile] = [count] }
      // Tables of codes are among them, so all must be there. Types that are not known have no length.
      let size = Self.sizes.indices.contains(type) ? Self.sizes[type] : 0
      let length = count.multipliedReportingOverflow(by: size)
      if !length.overflow, length.partialValue <= word {
        fields.skip(word)
      } else {
        let place = fields.number(word).addingReportingOverflow(length.partialValue)
        valuesEnd = max(valuesEnd, length.overflow || place.overflow ? .max : Int64(place.partialValue))
      }
      return nil
    }
    guard Self.numbers.contains(type), Self.sizes.indices.contains(type), 1...Self.mostValues ~= count else {
      throw TIFFFault("a field \(number) of an impossible type or length")
    }
    let size = Self.sizes[type]
    if count * size > word {
      return Reference(tag: tag, start: Int64(fields.number(word)), count: count, size: size)
    }
    values[tag] = (0..<count).map { _ in fields.number(size) }
    fields.skip(word - count * size)
    return nil
  }

  /// As many strips as the largest pictures have, in tables of 8 MB at most.
  private static let mostValues = 1 << 20

  mutating func set(_ tag: Tag, _ values: [Int]) { self.values[tag] = values }

  /// Where other directories stand.
  var subdirectories: [Int64] { (values[.subdirectories] ?? []).map(Int64.init) }

  private func first(_ tag: Tag, or other: Int = 0) -> Int { values[tag]?.first ?? other }

  var hasPicture: Bool { values[.width] != nil }

  /// Whether it is a picture of its own: not a smaller one of another, and not a mask.
  var isFullPicture: Bool { isPage && first(.subfileType) & 0b101 == 0 }

  /// Describes the picture.
  func facts() throws(InspectionFailure) -> ImageFacts {
    let (width, height) = (first(.width), first(.height))
    guard width > 0, height > 0 else { throw .noPixels(.tiff) }
    let model: ImageFacts.ColourModel =
      switch first(.photometric) {
      case 0, 1, 4: .grey
      case 3: .palette
      case 5: .cmyk
      case 6: .ycbcr
      default: .rgb
      }
    let orientation = first(.orientation, or: 1)
    return ImageFacts(
      format: .tiff, width: width, height: height, bits: min(64, max(1, first(.bitsPerSample, or: 1))),
      // Associated alpha and the other one; 0 is a channel of an unknown kind.
      hasAlpha: (values[.extraSamples] ?? []).contains { $0 == 1 || $0 == 2 },
      orientation: 1...8 ~= orientation ? orientation : 1,
      hasColourProfile: first(.profile) > 0, colourModel: model)
  }

  /// The place behind the last strip or tile. All that the picture needs must be in the table.
  func end() throws(TIFFFault) -> Int64 {
    let isTiled = values[.tileOffsets] != nil
    guard let offsets = values[isTiled ? .tileOffsets : .stripOffsets] else {
      throw TIFFFault("a picture without strips or tiles")
    }
    let (width, height) = (first(.width), first(.height))
    let planes = first(.planes, or: 1) == 2 ? max(1, first(.samplesPerPixel, or: 1)) : 1
    let columns = isTiled ? try Self.pieces(width, by: first(.tileWidth)) : 1
    let rows = try Self.pieces(height, by: first(isTiled ? .tileHeight : .rowsPerStrip, or: height))
    let (needed, overflow) = (columns * rows).multipliedReportingOverflow(by: planes)
    guard !overflow, offsets.count >= needed else {
      throw TIFFFault("\(offsets.count) strips or tiles, where its picture has more")
    }
    guard let lengths = values[isTiled ? .tileLengths : .stripLengths] else {
      return try endOfPlainStrip(offsets)
    }
    guard lengths.count >= needed else { throw TIFFFault("fewer lengths than strips or tiles") }
    var end: Int64 = 0
    for (start, length) in zip(offsets, lengths).prefix(needed) {
      let (place, overflow) = start.addingReportingOverflow(length)
      guard start > 0, length > 0, !overflow else { throw TIFFFault("a strip or tile that stands nowhere") }
      end = max(end, Int64(place))
    }
    if !isTiled, isPlain {
      guard lengths.prefix(needed).reduce(0, Self.saturatingSum) >= plainLength else {
        throw TIFFFault("strips that are shorter than its rows")
      }
    }
    return end
  }

  /// A picture in one strip that is not compressed need not say how long it is.
  private func endOfPlainStrip(_ offsets: [Int]) throws(TIFFFault) -> Int64 {
    guard isPlain, offsets.count == 1, let start = offsets.first else { throw TIFFFault("strips without lengths") }
    return Int64(Self.saturatingSum(start, plainLength))
  }

  /// Whether the rows stand there as they are. In YCbCr several pixels may share colours.
  private var isPlain: Bool { first(.compression, or: 1) == 1 && first(.photometric) != 6 }

  /// The bytes of all rows that are not compressed; the picture's pixels were counted before.
  private var plainLength: Int {
    let samples = first(.samplesPerPixel, or: 1)
    let bits = min(64, max(1, first(.bitsPerSample, or: 1)))
    let perPixel = first(.planes, or: 1) == 2 ? 1 : samples
    let (row, overflow) = first(.width).multipliedReportingOverflow(by: min(1 << 16, max(1, perPixel)) * bits)
    let rows = first(.height).multipliedReportingOverflow(by: perPixel == samples ? 1 : max(1, samples))
    let all = (overflow ? Int.max : row / 8 + (row % 8 == 0 ? 0 : 1)).multipliedReportingOverflow(by: rows.partialValue)
    return rows.overflow || all.overflow ? .max : all.partialValue
  }

  private static func pieces(_ length: Int, by piece: Int) throws(TIFFFault) -> Int {
    guard piece > 0 else { throw TIFFFault("strips or tiles of no size") }
    return length / piece + (length % piece == 0 ? 0 : 1)
  }

  private static func saturatingSum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// Why the directories of a TIFF are impossible.
struct TIFFFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
