/// The items of a HEIF file, as its `meta` box lists them: which is the picture, how large it is shown, and where the bytes of all stand.
///
/// Filled by ``HEIFWalk`` box by box; judged once, when the box has ended.
struct HEIFItems: Sendable {
  /// What belongs to an item and is listed beside it.
  private enum Property: Sendable {
    case size(width: Int, height: Int)
    case turn(quarters: Int)
    case cut(width: Int, height: Int)
    case depth(bits: Int, channels: Int)
    case profile
    case colours(isRGB: Bool)
    case alpha
    case other
  }

  private struct Place: Sendable {
    /// Whether the bytes stand in the `idat` box beside the table, and not in the file.
    let isInside: Bool
    let end: Int64
  }

  private var primary: Int?
  private var types: [Int: BoxType] = [:]
  private var places: [Place] = []
  private var properties: [Property] = []
  private var associations: [Int: [Int]] = [:]
  /// What a picture is assembled from.
  private var parts: [Int: [Int]] = [:]
  /// What an auxiliary picture, such as alpha, belongs to.
  private var auxiliaries: [Int: [Int]] = [:]
  private var insideLength: Int64 = 0

  /// The place behind the last byte of all items.
  private(set) var end: Int64 = 0

  /// What the picture is coded in; of a grid, what its tiles are.
  private(set) var coding: BoxType?

  /// Takes a box of the `meta` box. Throws the reason why it is impossible.
  mutating func take(_ type: BoxType, _ content: [UInt8], length: Int64) throws(HEIFFault) {
    var fields = FieldReader(content)
    switch type {
    case "pitm": primary = fields.version() == 0 ? fields.number(2) : fields.number(4)
    case "iinf": try readTypes(&fields)
    case "iloc": try readPlaces(&fields)
    case "iref": try readReferences(&fields)
    case "ipma": try readAssociations(&fields)
    case "idat":
      insideLength = length
      return
    default: return
    }
    if Int64(content.count) < length { throw HEIFFault("a table that is too long") }
    if fields.isShort { throw HEIFFault("a table that breaks off") }
  }

  /// Takes a box of the list of properties, whose numbers are their places in it.
  mutating func takeProperty(_ type: BoxType, _ content: [UInt8]) throws(HEIFFault) {
    // More than a file has, fewer than would take memory.
    guard properties.count < 1 << 16 else { throw HEIFFault("too many properties") }
    var fields = FieldReader(content)
    properties.append(Self.property(type, &fields))
    if fields.isShort { throw HEIFFault("a property that breaks off") }
  }

  private static func property(_ type: BoxType, _ fields: inout FieldReader) -> Property {
    switch type {
    case "ispe":
      _ = fields.version()
      return .size(width: fields.number(4), height: fields.number(4))
    case "irot": return .turn(quarters: fields.number(1) & 3)
    case "clap":
      let numbers = (0..<4).map { _ in fields.number(4) }
      guard numbers[1] > 0, numbers[3] > 0 else { return .cut(width: 0, height: 0) }
      return .cut(width: numbers[0] / numbers[1], height: numbers[2] / numbers[3])
    case "pixi":
      _ = fields.version()
      let channels = fields.number(1)
      return .depth(bits: channels > 0 ? fields.number(1) : 8, channels: channels)
    case "colr":
      let kind = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      guard kind == "nclx" else { return kind == "prof" || kind == "rICC" ? .profile : .other }
      fields.skip(4)
      return .colours(isRGB: fields.number(2) == 0)
    case "av1C":
      fields.skip(2)
      let flags = fields.number(1)
      let bits = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
      return .depth(bits: bits, channels: flags & 0x10 == 0 ? 3 : 1)
    case "hvcC":
      fields.skip(16)
      let channels = fields.number(1) & 3 == 0 ? 1 : 3
      return .depth(bits: 8 + fields.number(1) & 7, channels: channels)
    case "auxC":
      _ = fields.version()
      let name = String(decoding: fields.text(), as: UTF8.self)
      return alphaNames.contains(name) ? .alpha : .other
    default: return .other
    }
  }

  /// What AV1 and HEVC call a picture of transparency.
  private static let alphaNames = [
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
  ]

  private mutating func readTypes(_ fields: inout FieldReader) throws(HEIFFault) {
    let countSize = fields.version() == 0 ? 2 : 4
    for _ in 0..<fields.count(countSize, entries: 8) {
      let length = fields.number(4)
      guard fields.number(4) == BoxType("infe").code, length >= 8 else { throw HEIFFault("an item of no kind") }
      var entry = FieldReader(fields.slice(length - 8))
      let version = entry.version()
      // Older versions name no type: they are from before HEIF.
      guard version >= 2 else { continue }
      let item = version == 2 ? entry.number(2) : entry.number(4)
      entry.skip(2)
      types[item] = BoxType(code: UInt32(truncatingIfNeeded: entry.number(4)))
    }
  }

  private mutating func readPlaces(_ fields: inout FieldReader) throws(HEIFFault) {
    let version = fields.version()
    let sizes = fields.number(2)
    let offsetSize = sizes >> 12
    let lengthSize = sizes >> 8 & 15
    let baseSize = sizes >> 4 & 15
    let indexSize = version == 0 ? 0 : sizes & 15
    guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else {
      throw HEIFFault("places of an impossible size")
    }
    for _ in 0..<fields.count(version < 2 ? 2 : 4, entries: 6 + baseSize) {
      fields.skip(version < 2 ? 2 : 4)
      let method = version == 0 ? 0 : fields.number(2) & 15
      fields.skip(2)
      let start = fields.number(baseSize)
      // A place that takes no bytes is the whole file, once.
      let extentSize = indexSize + offsetSize + lengthSize
      let extents = fields.count(2, entries: extentSize)
      for _ in 0..<(extentSize == 0 ? min(1, extents) : extents) {
        fields.skip(indexSize)
        let offset = fields.number(offsetSize)
        // Without a length it is all that follows: one byte at least.
        let length = max(1, fields.number(lengthSize))
        // The bytes of other items are counted where those items stand.
        guard method < 2 else { continue }
        try add(isInside: method == 1, start, offset, length)
      }
    }
  }

  private mutating func add(isInside: Bool, _ start: Int, _ offset: Int, _ length: Int) throws(HEIFFault) {
    let (first, one) = start.addingReportingOverflow(offset)
    let (last, two) = first.addingReportingOverflow(length)
    guard !one, !two else { throw HEIFFault("an item that stands nowhere") }
    if isInside {
      places.append(Place(isInside: true, end: Int64(last)))
    } else {
      end = max(end, Int64(last))
    }
  }

  private mutating func readReferences(_ fields: inout FieldReader) throws(HEIFFault) {
    let size = fields.version() == 0 ? 2 : 4
    while fields.left > 0, !fields.isShort {
      let length = fields.number(4)
      let type = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      guard length >= 8 else { throw HEIFFault("a reference of an impossible length") }
      var entry = FieldReader(fields.slice(length - 8))
      let item = entry.number(size)
      let count = entry.number(2)
      let others = (0..<min(count, entry.left / size)).map { _ in entry.number(size) }
      if type == "dimg" { parts[item] = others }
      if type == "auxl" { auxiliaries[item] = others }
    }
  }

  private mutating func readAssociations(_ fields: inout FieldReader) throws(HEIFFault) {
    let head = fields.number(4)
    let (version, flags) = (head >> 24, head & 0xFF_FFFF)
    for _ in 0..<fields.count(4, entries: 3) {
      let item = fields.number(version == 0 ? 2 : 4)
      for _ in 0..<fields.count(1, entries: 1) {
        // The first bit says whether a reader must know the property.
        associations[item, default: []].append(flags & 1 == 0 ? fields.number(1) & 0x7F : fields.number(2) & 0x7FFF)
      }
    }
  }
}

/// Why the tables of a HEIF file are impossible.
struct HEIFFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension FieldReader {
  /// Reads a version and the flags behind it.
  mutating func version() -> Int { number(4) >> 24 }
}

// MARK: - The picture

extension HEIFItems {
  /// Describes the picture. Nil: the file names none, as one that holds a sequence only.
  mutating func facts(of format: ImageFormat, limits: InspectionLimits) throws(InspectionFailure) -> ImageFacts? {
    guard places.allSatisfy({ $0.end <= insideLength }) else {
      throw .damaged(format, at: 0, reason: "an item that reaches beyond its data")
    }
    guard let primary else { return nil }
    guard let type = types[primary] else {
      throw .damaged(format, at: 0, reason: "its picture is not among its items")
    }
    let list = properties(of: primary)
    guard let stored = Self.size(list) else { throw .damaged(format, at: 0, reason: "its picture has no size") }
    guard stored.width > 0, stored.height > 0 else { throw .noPixels(format) }
    try limits.admit(width: stored.width, height: stored.height, frames: 1)
    coding = type
    var tile: [Property] = []
    if type == "grid" {
      guard let first = parts[primary]?.first else {
        throw .damaged(format, at: 0, reason: "a grid without tiles")
      }
      coding = types[first]
      tile = properties(of: first)
      try admit(tile, count: parts[primary]?.count ?? 0, canvas: stored, format, limits)
    }
    var facts = ImageFacts(format: format, width: stored.width, height: stored.height, colourModel: .ycbcr)
    describe(&facts, tile)
    describe(&facts, list)
    // A grid's alpha may be of its tiles.
    let pictures = [primary] + (parts[primary]?.prefix(1) ?? [])
    facts.hasAlpha = auxiliaries.contains { item, masters in
      masters.contains { pictures.contains($0) } && isAlpha(item)
    }
    guard facts.width > 0, facts.height > 0 else { throw .noPixels(format) }
    return facts
  }

  private func properties(of item: Int) -> [Property] {
    // They are numbered from 1; 0 is none.
    (associations[item] ?? []).compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
  }

  private func isAlpha(_ item: Int) -> Bool {
    properties(of: item).contains { if case .alpha = $0 { true } else { false } }
  }

  private static func size(_ list: [Property]) -> (width: Int, height: Int)? {
    for case .size(let width, let height) in list { return (width, height) }
    return nil
  }

  /// Tiles must cover the picture, and no more of them may be there than it takes: a grid of 65,535 large ones is a bomb.
  private func admit(
    _ tile: [Property], count: Int, canvas: (width: Int, height: Int), _ format: ImageFormat,
    _ limits: InspectionLimits
  ) throws(InspectionFailure) {
    guard let size = Self.size(tile), size.width > 0, size.height > 0 else {
      throw .damaged(format, at: 0, reason: "its tiles have no size")
    }
    try limits.admit(width: size.width, height: size.height, frames: 1)
    let across = (canvas.width + size.width - 1) / size.width
    let down = (canvas.height + size.height - 1) / size.height
    guard across * down == count else {
      throw .damaged(format, at: 0, reason: "\(count) tiles of \(size.width)x\(size.height) do not fit its picture")
    }
  }

  /// Applies properties in their order: turning and cutting change the size that is shown.
  private func describe(_ facts: inout ImageFacts, _ list: [Property]) {
    for property in list {
      switch property {
      case .turn(let quarters): if quarters % 2 == 1 { swap(&facts.width, &facts.height) }
      case .cut(let width, let height):
        (facts.width, facts.height) = (min(facts.width, width), min(facts.height, height))
      case .depth(let bits, let channels):
        facts.bits = bits
        if channels == 1 { facts.colourModel = .grey }
      case .profile: facts.hasColourProfile = true
      case .colours(let isRGB): if isRGB { facts.colourModel = .rgb }
      case .size, .alpha, .other: break
      }
    }
  }
}
