/// The items of a HEIF file, as its `meta` box lists them: which is the picture, how large it is shown, and
/// where the bytes of all stand.
///
/// Filled by ``HEIFWalk`` box by box; judged once, when the box has ended.
struct HEIFItems: Sendable {
  /// A property of an item, which is listed beside it. Small, since a file may list thousands.
  private struct Property: Sendable {
    enum Kind: UInt8, Sendable { case size, turn, cut, depth, profile, rgb, alpha }

    let kind: Kind
    /// The property's place in the list, from 1 on.
    let place: UInt16
    var first: UInt32 = 0
    var second: UInt32 = 0
  }

  private var primary: Int?
  /// The tables of kinds and of references, and those that say what belongs to which item. They are kept as they came,
  /// and read again for the few items that matter: sorted into memory they would take several times as much.
  private var kinds: [UInt8] = []
  private var references: [UInt8] = []
  private var associations: [[UInt8]] = []
  private var hasPlaces = false
  private var tablesLength = 0
  /// The properties that say anything, in the order of their places.
  private var properties: [Property] = []
  private var propertyCount = 0
  /// The place behind the last byte in the `idat` box beside the tables, and how many bytes that box has.
  private var insideEnd: Int64 = 0
  private var insideLength: Int64 = 0

  /// The place behind the last byte of all items.
  private(set) var end: Int64 = 0

  /// The coding of the picture, or for a grid that of its tiles.
  private(set) var coding: BoxType?

  /// Takes a box of the `meta` box. Throws the reason why it is impossible.
  mutating func take(_ type: BoxType, _ content: [UInt8], length: Int64) throws(WalkFault) {
    var fields = FieldReader(content)
    switch type {
    case "pitm": primary = fields.version() == 0 ? fields.number(2) : fields.number(4)
    case "iinf":
      try count(content, isFirst: kinds.isEmpty)
      kinds = content
      try Self.eachKind(&fields) { _, _, _ in }
    case "iloc":
      try count(content, isFirst: !hasPlaces)
      hasPlaces = true
      try readPlaces(&fields)
    case "iref":
      try count(content, isFirst: references.isEmpty)
      references = content
      try Self.eachReference(&fields) { _, _, _, _ in }
    case "ipma":
      // There may be one for each width of its fields.
      try count(content, isFirst: associations.count < 4)
      associations.append(content)
      Self.eachAssociation(&fields) { _, _ in }
    case "idat":
      insideLength = length
      return
    default: return
    }
    if Int64(content.count) < length { throw Self.tooLong }
    if fields.isShort { throw WalkFault("a table that breaks off") }
  }

  private static let tooLong = WalkFault("a table that is too long")

  /// Counts a table. There is one of each kind, and all together are no longer than one may be.
  private mutating func count(_ table: [UInt8], isFirst: Bool) throws(WalkFault) {
    guard isFirst else { throw WalkFault("a table that is there twice") }
    tablesLength += table.count
    guard tablesLength <= HEIFWalk.longestTable else { throw Self.tooLong }
  }

  /// Takes a box of the list of properties, whose numbers are their places in it.
  mutating func takeProperty(_ type: BoxType, _ content: [UInt8]) throws(WalkFault) {
    propertyCount += 1
    // A reference to a property has 15 bits.
    guard propertyCount < 1 << 15 else { throw WalkFault("too many properties") }
    var fields = FieldReader(content)
    if let property = Self.property(type, UInt16(propertyCount), &fields) { properties.append(property) }
    if fields.isShort { throw WalkFault("a property that breaks off") }
  }

  private static func property(_ type: BoxType, _ place: UInt16, _ fields: inout FieldReader) -> Property? {
    func property(_ kind: Property.Kind, _ first: Int = 0, _ second: Int = 0) -> Property {
      Property(kind: kind, place: place, first: UInt32(clamping: first), second: UInt32(clamping: second))
    }
    switch type {
    case "ispe":
      _ = fields.version()
      let width = fields.number(4)
      return property(.size, width, fields.number(4))
    case "irot": return property(.turn, fields.number(1) & 3)
    case "clap":
      let (width, across) = (fields.number(4), fields.number(4))
      let (height, down) = (fields.number(4), fields.number(4))
      return across > 0 && down > 0 ? property(.cut, width / across, height / down) : property(.cut)
    case "pixi":
      _ = fields.version()
      let channels = fields.number(1)
      return property(.depth, channels > 0 ? fields.number(1) : 8, channels)
    case "colr":
      let kind = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      guard kind == "nclx" else { return kind == "prof" || kind == "rICC" ? property(.profile) : nil }
      fields.skip(4)
      return fields.number(2) == 0 ? property(.rgb) : nil
    case "av1C":
      fields.skip(2)
      let flags = fields.number(1)
      let bits = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
      return property(.depth, bits, flags & 0x10 == 0 ? 3 : 1)
    case "hvcC":
      fields.skip(16)
      let channels = fields.number(1) & 3 == 0 ? 1 : 3
      return property(.depth, 8 + fields.number(1) & 7, channels)
    case "auxC":
      _ = fields.version()
      let name = fields.text()
      return alphaNames.contains { name.elementsEqual($0.utf8) } ? property(.alpha) : nil
    default: return nil
    }
  }

  /// The names that AV1 and HEVC give to a picture of transparency.
  private static let alphaNames = [
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
  ]

  /// Passes each entry of a table of kinds, with what stands behind its type.
  static func eachKind(
    _ fields: inout FieldReader, _ take: (_ item: Int, BoxType, _ rest: FieldReader) -> Void
  ) throws(WalkFault) {
    let countSize = fields.version() == 0 ? 2 : 4
    for _ in 0..<fields.count(countSize, entries: 8) {
      let length = fields.number(4)
      guard fields.number(4) == BoxType("infe").code, length >= 8 else { throw WalkFault("an item of no kind") }
      var entry = FieldReader(fields.slice(length - 8))
      let version = entry.version()
      // Older versions name no type: they are from before HEIF.
      guard version >= 2 else { continue }
      let item = version == 2 ? entry.number(2) : entry.number(4)
      entry.skip(2)
      let type = BoxType(code: UInt32(truncatingIfNeeded: entry.number(4)))
      take(item, type, entry)
    }
  }

  /// Passes the pieces of each item, as a table of places tells them. Method 0 counts from the file's beginning, 1 from
  /// that of the `idat` box, and 2 from another item's. A piece without a length is all that follows.
  static func eachPlace(
    _ fields: inout FieldReader, begin: (_ item: Int) -> Void = { _ in },
    _ take: (_ method: Int, _ base: Int, _ offset: Int, _ length: Int) throws(WalkFault) -> Void
  ) throws(WalkFault) {
    let version = fields.version()
    let sizes = fields.number(2)
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version == 0 ? 0 : sizes & 15
    guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else {
      throw WalkFault("places of an impossible size")
    }
    for _ in 0..<fields.count(version < 2 ? 2 : 4, entries: 6 + baseSize) {
      begin(fields.number(version < 2 ? 2 : 4))
      let method = version == 0 ? 0 : fields.number(2) & 15
      fields.skip(2)
      let base = fields.number(baseSize)
      // A place that takes no bytes is the whole file, once.
      let extentSize = indexSize + offsetSize + lengthSize
      let extents = fields.count(2, entries: extentSize)
      for _ in 0..<(extentSize == 0 ? min(1, extents) : extents) {
        fields.skip(indexSize)
        let offset = fields.number(offsetSize)
        try take(method, base, offset, fields.number(lengthSize))
      }
    }
  }

  private mutating func readPlaces(_ fields: inout FieldReader) throws(WalkFault) {
    try Self.eachPlace(&fields) { (method, base, offset, length) throws(WalkFault) in
      // The bytes of other items are counted where those items stand.
      if method < 2 { try add(isInside: method == 1, base, offset, max(1, length)) }
    }
  }

  private mutating func add(isInside: Bool, _ start: Int, _ offset: Int, _ length: Int) throws(WalkFault) {
    let (first, one) = start.addingReportingOverflow(offset)
    let (last, two) = first.addingReportingOverflow(length)
    guard !one, !two else { throw WalkFault("an item that stands nowhere") }
    if isInside { insideEnd = max(insideEnd, Int64(last)) } else { end = max(end, Int64(last)) }
  }

  private static func eachReference(
    _ fields: inout FieldReader, _ take: (BoxType, _ item: Int, _ others: FieldReader, _ size: Int) -> Void
  ) throws(WalkFault) {
    let size = fields.version() == 0 ? 2 : 4
    while fields.left > 0, !fields.isShort {
      let length = fields.number(4)
      let type = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      guard length >= 8 else { throw WalkFault("a reference of an impossible length") }
      var entry = FieldReader(fields.slice(length - 8))
      let item = entry.number(size)
      let count = entry.number(2)
      take(type, item, FieldReader(entry.slice(min(count * size, entry.left / size * size))), size)
    }
  }

  private static func eachAssociation(_ fields: inout FieldReader, _ take: (_ item: Int, _ property: Int) -> Void) {
    let head = fields.number(4)
    let (version, flags) = (head >> 24, head & 0xFF_FFFF)
    for _ in 0..<fields.count(4, entries: 3) {
      let item = fields.number(version == 0 ? 2 : 4)
      for _ in 0..<fields.count(1, entries: 1) {
        // The first bit says whether a reader must know the property.
        take(item, flags & 1 == 0 ? fields.number(1) & 0x7F : fields.number(2) & 0x7FFF)
      }
    }
  }
}

extension FieldReader {
  /// Reads a version and the flags behind it.
  mutating func version() -> Int { number(4) >> 24 }
}

// MARK: - The picture

extension HEIFItems {
  /// Describes the picture. Nil if the file names none, because it holds only a sequence.
  mutating func facts(of format: ImageFormat, limits: InspectionLimits) throws(InspectionFailure) -> ImageFacts? {
    guard insideEnd <= insideLength else {
      throw .damaged(format, at: 0, reason: "an item that reaches beyond its data")
    }
    guard let primary else { return nil }
    guard let type = kind(of: primary) else {
      throw .damaged(format, at: 0, reason: "its picture is not among its items")
    }
    let list = properties(of: primary)
    guard let stored = Self.size(list) else { throw .damaged(format, at: 0, reason: "its picture has no size") }
    guard stored.width > 0, stored.height > 0 else { throw .noPixels(format) }
    try limits.admit(width: stored.width, height: stored.height, frames: 1)
    coding = type
    var tile: [Property] = []
    let parts = parts(of: primary)
    if type == "grid" {
      guard let first = parts.first else { throw .damaged(format, at: 0, reason: "a grid without tiles") }
      coding = kind(of: first)
      tile = properties(of: first)
      try admit(tile, count: parts.count, canvas: stored, format, limits)
    }
    var facts = ImageFacts(format: format, width: stored.width, height: stored.height, colourModel: .ycbcr)
    describe(&facts, tile)
    describe(&facts, list)
    // A grid's alpha may be of its tiles.
    facts.hasAlpha = isAlphaOf([primary] + (parts.first.map { [$0] } ?? []))
    guard facts.width > 0, facts.height > 0 else { throw .noPixels(format) }
    return facts
  }

  private func kind(of item: Int) -> BoxType? {
    var found: BoxType?
    var fields = FieldReader(kinds)
    try? Self.eachKind(&fields) { number, type, _ in if number == item { found = type } }
    return found
  }

  /// The number of pictures that one is assembled from, and the first of them.
  private func parts(of item: Int) -> (first: Int?, count: Int) {
    var found: (first: Int?, count: Int) = (nil, 0)
    var fields = FieldReader(references)
    try? Self.eachReference(&fields) { type, whole, others, size in
      guard type == "dimg", whole == item else { return }
      var others = others
      found.count = others.left / size
      found.first = found.count > 0 ? others.number(size) : nil
    }
    return found
  }

  private func properties(of item: Int) -> [Property] {
    var found: [Property] = []
    for table in associations {
      var fields = FieldReader(table)
      Self.eachAssociation(&fields) { owner, place in
        // An item lists them once, with a count of one byte.
        guard owner == item, found.count < 256, let property = property(at: place) else { return }
        found.append(property)
      }
    }
    return found
  }

  /// The property with this number, counted from 1, or nil if it says nothing, or does not exist.
  private func property(at place: Int) -> Property? {
    var range = properties.startIndex..<properties.endIndex
    while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
      if properties[middle].place == place { return properties[middle] }
      range = properties[middle].place < place ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// True if any of these pictures has another one of transparency.
  private func isAlphaOf(_ pictures: [Int]) -> Bool {
    guard let last = properties.last(where: { $0.kind == .alpha }) else { return false }
    var isAlpha = [Bool](repeating: false, count: Int(last.place) + 1)
    for property in properties where property.kind == .alpha { isAlpha[Int(property.place)] = true }
    var others: Set<UInt32> = []
    var fields = FieldReader(references)
    try? Self.eachReference(&fields) { type, item, masters, size in
      guard type == "auxl" else { return }
      var masters = masters
      while masters.left >= size {
        if pictures.contains(masters.number(size)) { others.insert(UInt32(clamping: item)) }
      }
    }
    var isFound = false
    var looked: (item: Int, isOther: Bool) = (-1, false)
    for table in associations where !others.isEmpty {
      var fields = FieldReader(table)
      Self.eachAssociation(&fields) { item, place in
        guard !isFound, isAlpha.indices.contains(place), isAlpha[place] else { return }
        if looked.item != item { looked = (item, others.contains(UInt32(clamping: item))) }
        isFound = looked.isOther
      }
    }
    return isFound
  }

  private static func size(_ list: [Property]) -> (width: Int, height: Int)? {
    list.first { $0.kind == .size }.map { (Int($0.first), Int($0.second)) }
  }

  /// Throws unless the tiles cover the picture, and are no more than it needs: a grid of 65,535 large ones is a bomb.
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
      let (first, second) = (Int(property.first), Int(property.second))
      switch property.kind {
      case .turn: if first % 2 == 1 { swap(&facts.width, &facts.height) }
      case .cut: (facts.width, facts.height) = (min(facts.width, first), min(facts.height, second))
      case .depth:
        facts.bits = first
        if second == 1 { facts.colourModel = .grey }
      case .profile: facts.hasColourProfile = true
      case .rgb: facts.colourModel = .rgb
      case .size, .alpha: break
      }
    }
  }
}
