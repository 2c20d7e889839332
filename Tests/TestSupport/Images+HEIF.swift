// AVIF and HEIC, made box by box. Their coded data is noise: the walk looks at boxes alone.
extension TestImages {
  package struct HEIFOptions: Sendable {
    /// The first brand, and the others.
    package var brand = "avif"
    package var brands = ["mif1", "miaf"]
    /// The coding of the pictures.
    package var coding = "av01"
    /// A grid of tiles instead of a picture.
    package var tiles: (across: Int, down: Int)?
    /// A tile's width and height, or nil for the smallest that suffices.
    package var tileSize: (width: Int, height: Int)?
    /// Boxes of properties, in the order in which they apply.
    package var properties: [[UInt8]] = []
    package var alpha = false
    /// The pictures of a sequence, or 0 for no track.
    package var frames = 0
    /// The number of times that the sequence plays: 0 for endless, or nil if the file does not say.
    package var plays: Int?
    /// True if the picture is an item. Otherwise only the track has it.
    package var hasItems = true
    /// True if the pictures' bytes are in the table's own box.
    package var isInside = false
    /// True if the box of data has no length, which the last one need not have.
    package var isOpen = false
    /// Items that are no pictures, behind them: their types, what they hold, and their bytes.
    package var described: [(type: String, content: String, bytes: [UInt8])] = []
    /// Boxes in front of the data.
    package var extra: [UInt8] = []
    package var end: [UInt8] = []
    package init() {}
  }

  /// An AVIF, or what the options say.
  package static func heif(
    width: Int = 9, height: Int = 5, _ change: (inout HEIFOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = HEIFOptions()
    change(&options)
    var head = box("ftyp", Array(options.brand.utf8) + [0, 0, 0, 0] + options.brands.joined().utf8)
    // Places are known once the tables' lengths are, which do not depend on them.
    let length = (head + tables(width, height, options, data: 0) + options.extra).count + 8
    head += tables(width, height, options, data: length) + options.extra
    let parts = [UInt8](repeating: 0xA5, count: (items(options) + options.frames) * partLength)
    var data = box("mdat", parts + options.described.flatMap(\.bytes))
    if options.isOpen { data.replaceSubrange(0..<4, with: [0, 0, 0, 0]) }
    return head + data + options.end
  }

  /// A box of this type.
  package static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + type.utf8 + content
  }

  /// A box with a version and flags.
  package static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
    box(type, big(version << 24 | flags, 4) + content)
  }

  package static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  /// A property that cuts a picture, around its middle.
  package static func cut(width: Int, height: Int) -> [UInt8] {
    box("clap", [width, 1, height, 1, 0, 1, 0, 1].flatMap { big($0, 4) })
  }

  /// The bytes of an item or a sample.
  private static let partLength = 20

  private static func items(_ options: HEIFOptions) -> Int {
    guard options.hasItems else { return 0 }
    let tiles = options.tiles.map { $0.across * $0.down } ?? 0
    return 1 + tiles + (options.alpha ? 1 : 0)
  }

  private static func tables(_ width: Int, _ height: Int, _ options: HEIFOptions, data: Int) -> [UInt8] {
    let meta = options.hasItems ? meta(width, height, options, data: data) : []
    guard options.frames > 0 else { return meta }
    return meta + movie(width, height, options, data: data + items(options) * partLength)
  }

  private static func meta(_ width: Int, _ height: Int, _ options: HEIFOptions, data: Int) -> [UInt8] {
    let count = items(options)
    let tiles = options.tiles.map { $0.across * $0.down } ?? 0
    var infos = big(count + options.described.count, 2)
    var places = big(0x4400, 2) + big(count + options.described.count, 2)
    for item in 1...count {
      let type = item == 1 && tiles > 0 ? "grid" : options.coding
      infos += fullBox("infe", version: 2, big(item, 2) + big(0, 2) + type.utf8 + [0])
      let start = (options.isInside ? 0 : data) + (item - 1) * partLength
      places += big(item, 2) + (options.isInside ? big(1, 2) : []) + big(0, 2)
      places += big(1, 2) + big(start, 4) + big(partLength, 4)
    }
    var start = data + (count + options.frames) * partLength
    for (index, item) in options.described.enumerated() {
      let number = big(count + 1 + index, 2)
      infos += fullBox("infe", version: 2, number + big(0, 2) + item.type.utf8 + [0] + item.content.utf8 + [0])
      places += number + (options.isInside ? big(0, 2) : []) + big(0, 2) + big(1, 2) + big(start, 4)
      places += big(item.bytes.count, 4)
      start += item.bytes.count
    }
    var references: [UInt8] = []
    if tiles > 0 { references += box("dimg", big(1, 2) + big(tiles, 2) + (2..<2 + tiles).flatMap { big($0, 2) }) }
    if options.alpha { references += box("auxl", big(count, 2) + big(1, 2) + big(1, 2)) }

    let tile = options.tiles.map { grid in
      options.tileSize ?? ((width + grid.across - 1) / grid.across, (height + grid.down - 1) / grid.down)
    }
    // The picture's size, what follows, a tile's size, and what alpha is.
    var properties = fullBox("ispe", big(width, 4) + big(height, 4)) + options.properties.joined()
    let tileProperty = 2 + options.properties.count
    let alphaProperty = tileProperty + (tile == nil ? 0 : 1)
    if let tile { properties += fullBox("ispe", big(tile.width, 4) + big(tile.height, 4)) }
    if options.alpha { properties += fullBox("auxC", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8 + [0]) }
    var associations = big(count, 4)
    for item in 1...count {
      var list = Array(1...1 + options.properties.count)
      if item > 1 { list = [tileProperty] }
      if options.alpha, item == count { list = [1, alphaProperty] }
      associations += big(item, 2) + [UInt8(list.count)] + list.map { UInt8($0) }
    }
    return fullBox(
      "meta",
      fullBox("hdlr", big(0, 4) + "pict".utf8 + big(0, 13)) + fullBox("pitm", big(1, 2))
        + fullBox("iloc", version: options.isInside ? 1 : 0, places) + fullBox("iinf", infos)
        + fullBox("iref", references)
        + box("iprp", box("ipco", properties) + fullBox("ipma", associations))
        + (options.isInside ? box("idat", [UInt8](repeating: 0x5A, count: count * partLength)) : []))
  }

  private static func movie(_ width: Int, _ height: Int, _ options: HEIFOptions, data: Int) -> [UInt8] {
    let duration = options.plays.map { $0 == 0 ? -1 : $0 * 50 } ?? 50
    let header = fullBox("tkhd", big(0, 16) + big(duration, 4) + big(0, 60))
    let edits =
      options.plays == nil ? [] : fullBox("elst", flags: 1, big(1, 4) + big(50, 4) + big(0, 4) + big(1 << 16, 4))
    let sample = box(options.coding, big(0, 24) + big(width, 2) + big(height, 2) + big(0, 50))
    let sizes = (0..<options.frames).flatMap { _ in big(partLength, 4) }
    let table =
      fullBox("stsd", big(1, 4) + sample) + fullBox("stsc", big(1, 4) + big(1, 4) + big(options.frames, 4) + big(1, 4))
      + fullBox("stsz", big(0, 4) + big(options.frames, 4) + sizes) + fullBox("stco", big(1, 4) + big(data, 4))
    let media = fullBox("hdlr", big(0, 4) + "pict".utf8 + big(0, 13)) + box("minf", box("stbl", table))
    return box("moov", box("trak", header + box("edts", edits) + box("mdia", media)))
  }
}
