/// A directory of a TIFF: the fields that describe a picture and locate its bytes.
///
/// Most values are in the directory itself. Longer ones are elsewhere in the file; the walk fetches those that are
/// named here. If two fields have one tag, the first counts. A directory takes some hundred bytes besides its tables,
/// since a file may have thousands.
struct TIFFDirectory: Sendable {
  /// The fields that matter. Those before `offsets` have one number; of several the first counts.
  enum Tag: UInt8, Sendable {
    case subfileType, width, height, bitsPerSample, compression, photometric, orientation, samplesPerPixel
    case rowsPerStrip, planes, tileWidth, tileHeight
    case stripOffsets, stripLengths, tileOffsets, tileLengths, subdirectories, extraSamples, profile

    /// The tag with this number in the file.
    init?(number: Int) {
      switch number {
      case 254: self = .subfileType
      case 256: self = .width
      case 257: self = .height
      case 258: self = .bitsPerSample
      case 259: self = .compression
      case 262: self = .photometric
      case 273: self = .stripOffsets
      case 274: self = .orientation
      case 277: self = .samplesPerPixel
      case 278: self = .rowsPerStrip
      case 279: self = .stripLengths
      case 284: self = .planes
      case 322: self = .tileWidth
      case 323: self = .tileHeight
      case 324: self = .tileOffsets
      case 325: self = .tileLengths
      case 330: self = .subdirectories
      case 338: self = .extraSamples
      case 34675: self = .profile
      default: return nil
      }
    }

    /// True if the tag locates bytes, so that nothing can be said without it.
    var isTable: Bool { Self.stripOffsets.rawValue...Self.subdirectories.rawValue ~= rawValue }
  }

  /// Values that stand elsewhere.
  struct Reference: Sendable {
    let tag: Tag
    /// The bytes of one value.
    let size: UInt8
    let count: UInt32

    var length: Int { Int(count) * Int(size) }
  }

  /// True for a page, as opposed to a directory within another.
  let isPage: Bool
  private var hasAlpha = false
  private var hasProfile = false
  private var seen: UInt32 = 0
  /// The directory's number in the order of the file.
  let number: Int32
  /// The number of values that have yet to be fetched.
  var awaited: UInt32 = 0
  private var numbers = InlineArray<12, UInt32>(repeating: 0)
  private var offsets = TIFFTable()
  private var lengths = TIFFTable()
  /// The place behind the last of the values that are not looked at.
  private(set) var valuesEnd: Int64 = 0

  init(isPage: Bool, number: Int32) {
    self.isPage = isPage
    self.number = number
  }

  /// The bytes of a value of each type, by the type's number.
  private static let sizes: [18 of UInt8] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8]
  /// The longest table: a million places of strips.
  static let longestTable = 4 << 20

  /// The bytes of a value; 0 of a type that is not known.
  static func size(ofType type: Int) -> Int {
    // The last type of BigTIFF, an offset, is as long as the two before it.
    type == 18 ? 8 : sizes.indices ~= type ? Int(sizes[type]) : 0
  }

  /// Types that are whole numbers without a sign.
  private static func isNumber(_ type: Int) -> Bool {
    switch type {
    case 1, 3, 4, 13, 16, 18: true
    default: false
    }
  }

  /// The rest of the work on an entry.
  enum Remainder {
    case nothing
    /// The values are elsewhere in the file.
    case values(Reference, start: Int64)
    /// Other directories are at these places.
    case directories(TIFFTable)
  }

  /// Reads an entry.
  mutating func read(_ fields: inout FieldReader, isBig: Bool) throws(WalkFault) -> Remainder {
    let word = isBig ? 8 : 4
    let number = fields.number(2)
    let type = fields.number(2)
    let count = fields.number(word)
    let size = Self.size(ofType: type)
    let length = count.multipliedReportingOverflow(by: size)
    let tag = Tag(number: number)
    let isFirst = tag.map { mark($0) } ?? false
    guard let tag, tag != .profile, isFirst else {
      if tag == .profile { hasProfile = hasProfile || count > 0 }
      // Tables of codes are among them, so all must be there. Types that are not known have no length.
      if !length.overflow, length.partialValue <= word {
        fields.skip(word)
      } else {
        passOver(fields.number(word), length)
      }
      return .nothing
    }
    guard Self.isNumber(type), count > 0, !length.overflow, length.partialValue <= Self.longestTable else {
      throw WalkFault("a field \(number) of an impossible type or length")
    }
    guard length.partialValue > word else {
      let table = TIFFTable(&fields, count: count, size: size)
      fields.skip(word - length.partialValue)
      set(tag, table)
      return tag == .subdirectories ? .directories(table) : .nothing
    }
    let start = fields.number(word)
    guard !tag.isTable else {
      return .values(Reference(tag: tag, size: UInt8(size), count: UInt32(count)), start: Int64(start))
    }
    passOver(start, length)
    let most = tag == .extraSamples ? min(count, Self.mostExtraSamples) : 1
    return .values(Reference(tag: tag, size: UInt8(size), count: UInt32(most)), start: Int64(start))
  }

  /// Alpha is among the first ones where there is any.
  private static let mostExtraSamples = 8

  private mutating func mark(_ tag: Tag) -> Bool {
    defer { seen |= 1 << UInt32(tag.rawValue) }
    return !has(tag)
  }

  private func has(_ tag: Tag) -> Bool { seen & 1 << UInt32(tag.rawValue) != 0 }

  private mutating func passOver(_ start: Int, _ length: (partialValue: Int, overflow: Bool)) {
    let place = start.addingReportingOverflow(length.partialValue)
    valuesEnd = max(valuesEnd, length.overflow || place.overflow ? .max : Int64(place.partialValue))
  }

  /// Takes the values of a field.
  mutating func set(_ tag: Tag, _ values: TIFFTable) {
    switch tag {
    case .tileOffsets: offsets = values
    case .tileLengths: lengths = values
    case .stripOffsets: if !has(.tileOffsets) { offsets = values }
    case .stripLengths: if !has(.tileOffsets) { lengths = values }
    // Associated alpha and the other one; 0 is a channel of an unknown kind.
    case .extraSamples: hasAlpha = (0..<min(values.count, Self.mostExtraSamples)).contains { 1...2 ~= values[$0] }
    case .subdirectories, .profile: break
    default: numbers[Int(tag.rawValue)] = UInt32(clamping: values[0])
    }
  }

  private func first(_ tag: Tag, or other: Int = 0) -> Int { has(tag) ? Int(numbers[Int(tag.rawValue)]) : other }

  var hasPicture: Bool { has(.width) }

  /// True for a picture of its own, as opposed to a smaller version of another, or a mask.
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
      hasAlpha: hasAlpha, orientation: 1...8 ~= orientation ? orientation : 1, hasColourProfile: hasProfile,
      colourModel: model)
  }

  /// The place behind the last strip or tile, and the one that the directory claims. All that the picture needs must be
  /// in the table. The two differ where the length of a plain strip is wrong: decoders pass over that, since its rows
  /// tell how long it is.
  func ends() throws(WalkFault) -> (pixels: Int64, claimed: Int64) {
    let isTiled = has(.tileOffsets)
    guard offsets.count > 0 else { throw WalkFault("a picture without strips or tiles") }
    let (width, height) = (first(.width), first(.height))
    let planes = first(.planes, or: 1) == 2 ? max(1, first(.samplesPerPixel, or: 1)) : 1
    let columns = isTiled ? try Self.pieces(width, by: first(.tileWidth)) : 1
    let rows = try Self.pieces(height, by: first(isTiled ? .tileHeight : .rowsPerStrip, or: height))
    let (needed, overflow) = (columns * rows).multipliedReportingOverflow(by: planes)
    guard !overflow, offsets.count >= needed else {
      throw WalkFault("\(offsets.count) strips or tiles, where its picture has more")
    }
    if lengths.count == 0 || needed == 1 && offsets.count == 1 && !isTiled && isPlain {
      let end = try endOfPlainStrip()
      guard lengths.count > 0 else { return (end, end) }
      let claimed = lengths[0] < plainLength ? .max : Self.saturatingSum(offsets[0], lengths[0])
      return (end, Int64(claimed))
    }
    guard lengths.count >= needed else { throw WalkFault("fewer lengths than strips or tiles") }
    var end: Int64 = 0
    var all = 0
    for index in 0..<needed {
      let (start, length) = (offsets[index], lengths[index])
      let (place, overflow) = start.addingReportingOverflow(length)
      guard start > 0, length > 0, !overflow else { throw WalkFault("a strip or tile that stands nowhere") }
      end = max(end, Int64(place))
      all = Self.saturatingSum(all, length)
    }
    guard isTiled || !isPlain || all >= plainLength else { throw WalkFault("strips that are shorter than its rows") }
    return (end, end)
  }

  /// A picture in one strip that is not compressed need not say how long it is.
  private func endOfPlainStrip() throws(WalkFault) -> Int64 {
    guard isPlain, offsets.count == 1 else { throw WalkFault("strips without lengths") }
    guard offsets[0] > 0 else { throw WalkFault("a strip or tile that stands nowhere") }
    return Int64(Self.saturatingSum(offsets[0], plainLength))
  }

  /// True if the rows are stored as they are. In YCbCr several pixels may share colours.
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

  private static func pieces(_ length: Int, by piece: Int) throws(WalkFault) -> Int {
    guard piece > 0 else { throw WalkFault("strips or tiles of no size") }
    return length / piece + (length % piece == 0 ? 0 : 1)
  }

  private static func saturatingSum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// The numbers of a field, in as many bytes as they take in the file.
struct TIFFTable: Sendable {
  private let size: UInt8
  private let order: ByteOrder
  private let length: UInt32
  /// The values that fit into a directory's entry, which need no memory of their own.
  private let short: UInt64
  private let long: [UInt8]

  /// No numbers.
  init() { (size, order, length, short, long) = (0, .little, 0, 0, []) }

  /// Numbers that stand elsewhere in the file.
  init(_ bytes: [UInt8], count: Int, size: Int, order: ByteOrder) {
    (self.size, self.order, length, short) = (UInt8(clamping: size), order, UInt32(clamping: count), 0)
    long = bytes
  }

  /// Numbers of an entry, of which there are eight bytes at most.
  init(_ fields: inout FieldReader, count: Int, size: Int) {
    (self.size, order, length, long) = (UInt8(clamping: size), .little, UInt32(clamping: count), [])
    var packed: UInt64 = 0
    for place in 0..<count where place * size < 8 { packed |= UInt64(fields.number(size)) << UInt64(8 * size * place) }
    short = packed
  }

  var count: Int { Int(length) }

  /// A number; 0 where there is none. One beyond what an Int64 holds becomes its largest.
  subscript(index: Int) -> Int {
    guard index >= 0, index < count else { return 0 }
    let size = Int(self.size)
    guard !long.isEmpty else {
      let mask = size >= 8 ? UInt64.max : 1 << UInt64(8 * size) - 1
      return Int(clamping: short >> UInt64(8 * size * index) & mask)
    }
    var number: UInt64 = 0
    for place in index * size..<index * size + size where place < long.count {
      let shift = order == .big ? index * size + size - 1 - place : place - index * size
      number |= UInt64(long[place]) << UInt64(8 * shift)
    }
    return Int(clamping: number)
  }
}
