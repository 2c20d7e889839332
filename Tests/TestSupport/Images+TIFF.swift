// TIFFs, made byte by byte. Their pixels are plain, or noise that says it is LZW.
extension TestImages {
  package struct TIFFOptions {
    package var isBigEndian = false
    /// Offsets of 64 bits.
    package var isBig = false
    package var samples = 3
    /// The kind of colours, 1 grey, 2 RGB, 8 L*a*b*, 9 that of ICC's profiles. By default it follows from the samples.
    package var photometric: Int?
    /// The bytes that all pixels are made of.
    package var pixel: [UInt8] = [0x5A]
    package var compression = 1
    package var rowsPerStrip = 2
    /// Tiles of this length instead of strips.
    package var tile: Int?
    package var pages = 1
    /// True if the values that are too long for the directory are before it instead of behind it.
    package var areValuesBefore = false
    /// True if the directory precedes the pixels.
    package var isDirectoryFirst = false
    package var orientation: Int?
    /// Fields beside those of every picture: number, type, values.
    package var extra: [(Int, Int, [Int])] = []
    /// The offset at which the last directory announces another one.
    package var next = 0
    package var end: [UInt8] = []
  }

  package static func tiff(
    width: Int = 9, height: Int = 5, _ change: (inout TIFFOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = TIFFOptions()
    change(&options)
    var writer = TIFFWriter(options)
    for page in 1...options.pages { writer.addPage(width, height, isLast: page == options.pages) }
    return writer.bytes + options.end
  }
}

private struct TIFFWriter {
  private let options: TestImages.TIFFOptions
  private(set) var bytes: [UInt8] = []
  /// The place to write the offset of the next directory.
  private var link: Int

  private var word: Int { options.isBig ? 8 : 4 }

  init(_ options: TestImages.TIFFOptions) {
    self.options = options
    bytes = Array((options.isBigEndian ? "MM" : "II").utf8)
    link = options.isBig ? 8 : 4
    bytes += number(options.isBig ? 43 : 42, 2)
    if options.isBig { bytes += number(8, 2) + number(0, 2) }
    bytes += number(0, word)
  }

  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    options.isBigEndian ? TestImages.big(value, size) : TestImages.little(value, size)
  }

  private mutating func set(_ place: Int, to value: Int) {
    bytes.replaceSubrange(place..<place + word, with: number(value, word))
  }

  /// The lengths of the strips or tiles.
  private func pieces(_ width: Int, _ height: Int) -> [Int] {
    if let tile = options.tile {
      let count = ((width + tile - 1) / tile) * ((height + tile - 1) / tile)
      return [Int](repeating: tile * tile * options.samples, count: count)
    }
    return stride(from: 0, to: height, by: options.rowsPerStrip).map {
      min(options.rowsPerStrip, height - $0) * width * options.samples
    }
  }

  mutating func addPage(_ width: Int, _ height: Int, isLast: Bool) {
    let lengths = pieces(width, height)
    let pixels = (0..<lengths.reduce(0, +)).map { options.pixel[$0 % options.pixel.count] }
    var fields: [(tag: Int, type: Int, values: [Int])] = [
      (256, 3, [width]), (257, 3, [height]), (258, 3, [Int](repeating: 8, count: options.samples)),
      (259, 3, [options.compression]), (262, 3, [options.photometric ?? (options.samples < 3 ? 1 : 2)]),
      (277, 3, [options.samples]),
    ]
    let offsets = [Int](repeating: 0, count: lengths.count)
    if let tile = options.tile {
      fields += [(322, 3, [tile]), (323, 3, [tile]), (324, 4, offsets), (325, 4, lengths)]
    } else {
      fields += [(273, 4, offsets), (278, 3, [options.rowsPerStrip]), (279, 4, lengths)]
    }
    if let orientation = options.orientation { fields.append((274, 3, [orientation])) }
    fields += options.extra.map { (tag: $0.0, type: $0.1, values: $0.2) }
    fields.sort { $0.tag < $1.tag }

    var start = bytes.count
    if !options.isDirectoryFirst { bytes += pixels }
    let values = valuesLength(fields)
    let directory = bytes.count + (options.areValuesBefore ? values : 0)
    let length = (options.isBig ? 8 : 2) + fields.count * (4 + 2 * word) + word
    let valuesStart = options.areValuesBefore ? bytes.count : directory + length
    if options.isDirectoryFirst { start = bytes.count + length + values }
    var place = start
    let places = lengths.map { length in
      defer { place += length }
      return place
    }
    for index in fields.indices where [273, 324].contains(fields[index].tag) { fields[index].values = places }

    var table = number(fields.count, options.isBig ? 8 : 2)
    var outside: [UInt8] = []
    for field in fields {
      let size = Self.size(of: field.type)
      let content = field.values.flatMap { number($0, size) }
      table += number(field.tag, 2) + number(field.type, 2) + number(field.values.count, word)
      if content.count > word {
        table += number(valuesStart + outside.count, word)
        outside += content
      } else {
        table += content + [UInt8](repeating: 0, count: word - content.count)
      }
    }
    set(link, to: directory)
    table += number(isLast ? options.next : 0, word)
    bytes += options.areValuesBefore ? outside + table : table + outside
    link = directory + length - word
    if options.isDirectoryFirst { bytes += pixels }
  }

  private static func size(of type: Int) -> Int { type == 3 ? 2 : type < 3 ? 1 : 4 }

  private func valuesLength(_ fields: [(tag: Int, type: Int, values: [Int])]) -> Int {
    fields.reduce(0) { sum, field in
      let length = field.values.count * Self.size(of: field.type)
      return sum + (length > word ? length : 0)
    }
  }
}
