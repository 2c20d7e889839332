/// Files that are as expensive to walk as their format allows: repeats, far references, deep nesting, alternating
/// orders. Each is a whole image or is refused; either way within 50 ns and two bytes of memory for each of its bytes.
package struct WorstCase: Sendable, CustomStringConvertible {
  package let name: String
  /// Makes a file of about this many bytes.
  package let make: @Sendable (Int) -> [UInt8]

  package var description: String { name }

  private init(_ name: String, _ make: @escaping @Sendable (Int) -> [UInt8]) {
    self.name = name
    self.make = make
  }

  private static func join(_ parts: [[UInt8]]) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(parts.reduce(0) { $0 + $1.count })
    for part in parts { all += part }
    return all
  }

  /// A part, repeated to have `size` bytes.
  private static func repeated(_ part: [UInt8], _ size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + part.count)
    while bytes.count < size { bytes += part }
    return bytes
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: max(0, count)) }

  private static func words(_ numbers: [Int]) -> [UInt8] { join(numbers.map { TestImages.big($0, 4) }) }

  package static let all: [WorstCase] = [tiff, drawings, containers, rasters].flatMap { $0 }
}

// MARK: TIFF

extension WorstCase {
  /// A field of a directory in little-endian order.
  private static func field(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
    join([
      TestImages.little(tag, 2), TestImages.little(type, 2), TestImages.little(count, 4), TestImages.little(value, 4),
    ])
  }

  private static func directory(_ fields: [[UInt8]], next: Int) -> [UInt8] {
    join([TestImages.little(fields.count, 2), join(fields), TestImages.little(next, 4)])
  }

  private static let start: [UInt8] = join([Array("II*\0".utf8), TestImages.little(8, 4)])

  /// A chain of directories, whose fields are told the number of the directory.
  private static func pages(_ size: Int, end: [UInt8], _ fields: (_ number: Int) -> [[UInt8]]) -> [UInt8] {
    let length = fields(0).count * 12 + 6
    let count = max(1, (size - 8 - end.count) / length)
    var bytes = start
    for number in 0..<count {
      let behind = 8 + (number + 1) * length
      bytes += directory(fields(number), next: number + 1 < count ? behind : 0)
    }
    return join([bytes, end])
  }

  private static let shape: [[UInt8]] = [field(256, 3, 1, 1), field(257, 3, 1, 1)]
  private static let piece: [[UInt8]] = [field(273, 4, 1, 8), field(279, 4, 1, 1)]

  private static func overlapping(_ size: Int) -> [UInt8] {
    let tables = zeros(size / 8)
    return pages(size, end: tables) { _ in
      join([
        join(shape), field(273, 4, size / 64, size - size / 8), field(279, 4, size / 64, size - size / 8),
      ]).chunked(12)
    }
  }

  private static func alternating(_ size: Int) -> [UInt8] {
    let half = size / 4
    return pages(size, end: zeros(half)) { number in
      let behind = number % 2 == 0 ? number * 16 : half - 64 - number * 16
      let place = size - half + max(0, min(half - 64, behind))
      return shape + [field(258, 3, 3, place), field(273, 4, 2, place), field(279, 4, 2, place + 8)]
    }
  }

  private static func longTable(_ size: Int) -> [UInt8] {
    let count = max(1, min(size / 8 - 100, 500_000))
    let table = 8 + 6 * 12 + 6
    let fields: [[UInt8]] = [
      field(256, 3, 1, 1), field(257, 4, 1, count), field(259, 3, 1, 5), field(273, 4, count, table),
      field(278, 3, 1, 1), field(279, 4, count, table + 4 * count),
    ]
    let places = repeated(TestImages.little(8, 4), 4 * count)
    let lengths = repeated(TestImages.little(1, 4), 4 * count)
    return join([start, directory(fields, next: 0), places, lengths])
  }

  private static let tiff: [WorstCase] = [
    WorstCase("tiff-fields-that-name-one-window") { size in
      let many = [[UInt8]](repeating: field(273, 3, size / 8, 8), count: 40)
      return pages(size, end: []) { _ in shape + piece + many }
    },
    WorstCase("tiff-pages") { size in pages(size, end: []) { _ in shape + piece } },
    WorstCase("tiff-pages-that-share-tables-behind-them") { overlapping($0) },
    WorstCase("tiff-values-in-alternating-order") { alternating($0) },
    WorstCase("tiff-directories-within-others") { size in
      pages(size, end: zeros(size / 2)) { number in shape + piece + [field(330, 4, 1, size - number * 4 - 8)] }
    },
    WorstCase("tiff-long-directory") { size in
      let fields = (0..<4096).map { field(1000 + $0, 3, 1 << 20, 1 << 30) }
      return join([start, directory(fields, next: 0), zeros(size - 50_000)])
    },
    WorstCase("tiff-one-long-table") { longTable($0) },
  ]
}

extension [UInt8] {
  fileprivate func chunked(_ size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min(count, $0 + size)]) }
  }
}

// MARK: SVG

extension WorstCase {
  private static func svg(_ size: Int, prolog: String = "", _ part: String) -> [UInt8] {
    let head = Array("\(prolog)<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>".utf8)
    return join([head, repeated(Array(part.utf8), size), Array("</svg>".utf8)])
  }

  /// Names of two letters, as attributes.
  private static var shortNames: String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    var names: [String] = []
    for one in letters { for other in letters.prefix(19) { names.append("\(one)\(other)=''") } }
    return names.joined(separator: " ")
  }

  /// Canonical equivalence has to sort the marks of a letter.
  private static var markedNames: String {
    let marks = String(repeating: "\u{301}\u{323}", count: 60)
    return (0..<500).map { "a\(marks)\($0)=''" }.joined(separator: " ")
  }

  private static var nestedTexts: String {
    var prolog = "<!DOCTYPE svg [<!ENTITY a0 'x'>"
    for step in 1..<64 { prolog += "<!ENTITY a\(step) '&a\(step - 1);'>" }
    return prolog + "]>"
  }

  private static let drawings: [WorstCase] = [
    WorstCase("svg-attributes-with-marks") { svg($0, "<g \(markedNames)/>") },
    WorstCase("svg-short-attributes") { svg($0, "<g \(shortNames)/>") },
    WorstCase("svg-few-attributes") { svg($0, "<a b='' c='' d='' e=''/>") },
    WorstCase("svg-tags") { svg($0, "<a/>") },
    WorstCase("svg-deep") { size in
      svg(size, String(repeating: "<a>", count: 1000) + String(repeating: "</a>", count: 1000))
    },
    WorstCase("svg-long-names") { size in
      let name = String(repeating: "n", count: 1000)
      return svg(size, "<\(name)><\(name)></\(name)></\(name)>")
    },
    WorstCase("svg-entities") { svg($0, prolog: "<!DOCTYPE svg [<!ENTITY a ''>]>", "&a;&amp;") },
    WorstCase("svg-declared-texts") { svg($0, prolog: nestedTexts, "<g a='&a59;'/>") },
    WorstCase("svg-long-values") { svg($0, "<set values='\(String(repeating: "data:script ", count: 400))'/>") },
    WorstCase("svg-scripted-values") { svg($0, "<g style='a:script:data:'/>") },
    WorstCase("svg-comments") { svg($0, "<!----><!-- - -->") },
    WorstCase("svg-instructions") { svg($0, "<?xml-stylesheet a?>") },
    WorstCase("svg-characters") { svg($0, "<![CDATA[]]>&#x41;&#65;") },
  ]
}

// MARK: AVIF and HEIC

extension WorstCase {
  private static let brand: [UInt8] = Array(TestImages.heif().prefix(24))

  private static func meta(_ boxes: [UInt8]) -> [UInt8] { join([brand, TestImages.fullBox("meta", boxes)]) }

  private static func track(_ tables: [UInt8]) -> [UInt8] {
    let table = TestImages.box("minf", TestImages.box("stbl", tables))
    return TestImages.box("moov", TestImages.box("trak", TestImages.box("mdia", table)))
  }

  private static let alpha: [UInt8] = TestImages.fullBox(
    "auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))

  /// A table in which each of many items has 255 properties; pictures of transparency are looked for in it.
  private static func associations(_ size: Int) -> [UInt8] {
    let count = min(size, 3 << 20) / 258
    var entries = TestImages.big(count, 4)
    for item in 0..<count { entries += join([TestImages.big(item, 2), [255], [UInt8](repeating: 2, count: 255)]) }
    let shape = TestImages.fullBox("ispe", words([9, 5]))
    let items = TestImages.fullBox("infe", version: 2, join([TestImages.big(1, 2), [0, 0], Array("av01".utf8)]))
    var references: [UInt8] = []
    for item in 0..<1000 {
      let list = join([TestImages.big(70_000 - item, 2), TestImages.big(1, 2), TestImages.big(1, 2)])
      references += TestImages.box("auxl", list)
    }
    let properties = join([TestImages.box("ipco", join([shape, alpha])), TestImages.fullBox("ipma", entries)])
    return meta(
      join([
        TestImages.fullBox("pitm", TestImages.big(1, 2)),
        TestImages.fullBox("iinf", join([TestImages.big(1, 2), items])), TestImages.fullBox("iref", references),
        TestImages.box("iprp", properties),
      ]))
  }

  private static func places(_ size: Int) -> [UInt8] {
    let room = min(size, 4 << 20) - 100
    let count = min(room / 12, 65_535)
    let extents = max(1, (room / count - 8) / 4)
    let entry = join([[0, 1, 0, 1, 0, 0], TestImages.big(extents, 2), zeros(4 * extents)])
    return meta(
      TestImages.fullBox(
        "iloc", version: 1,
        join([TestImages.big(0x0400, 2), TestImages.big(count, 2), repeated(entry, count * entry.count)])))
  }

  private static func items(_ size: Int) -> [UInt8] {
    let count = min(size / 24, 60_000)
    var infos = TestImages.big(count, 2)
    for item in 0..<count {
      infos += TestImages.fullBox("infe", version: 2, join([TestImages.big(item, 2), [0, 0], Array("av01".utf8)]))
    }
    return meta(join([TestImages.fullBox("pitm", [0, 1]), TestImages.fullBox("iinf", infos)]))
  }

  /// The tables of a track of `count` samples, each in a chunk of its own.
  private static func samples(_ count: Int, runs: Int) -> [UInt8] {
    var list: [UInt8] = []
    for run in 1...max(1, runs) { list += words([run, 1, 1]) }
    return join([
      TestImages.fullBox("stsz", join([words([0, count]), zeros(4 * count)])),
      TestImages.fullBox("stco", join([words([count]), zeros(4 * count)])),
      TestImages.fullBox("stsc", join([words([max(1, runs)]), list])),
    ])
  }

  private static let containers: [WorstCase] = [
    WorstCase("heif-repeated-ipma") { size in
      let entries = repeated([0, 1, 4, 1, 1, 1, 1], 21_000)
      let table = TestImages.fullBox("ipma", join([words([3000]), entries]))
      return meta(TestImages.box("iprp", repeated(table, size)))
    },
    WorstCase("heif-one-ipma") { associations($0) },
    WorstCase("heif-one-iloc") { places($0) },
    WorstCase("heif-repeated-iloc") { size in
      let table = TestImages.fullBox("iloc", version: 1, join([[4, 0, 0, 100], zeros(1200)]))
      return meta(repeated(table, size))
    },
    WorstCase("heif-items") { items($0) },
    WorstCase("heif-references") { size in
      let list = repeated(TestImages.box("auxl", [0, 7, 0, 1, 0, 1]), min(size, 4 << 20) - 100)
      return meta(TestImages.fullBox("iref", list))
    },
    WorstCase("heif-properties") { size in
      let list = repeated(TestImages.box("irot", [1]), min(size, 290_000))
      return join([meta(TestImages.box("iprp", TestImages.box("ipco", list))), zeros(size - list.count)])
    },
    WorstCase("heif-empty-boxes") { size in join([brand, repeated(TestImages.box("free", []), size)]) },
    WorstCase("heif-repeated-stco") { size in
      let table = TestImages.fullBox("stco", join([words([1000]), zeros(4000)]))
      return join([brand, track(repeated(table, size))])
    },
    WorstCase("heif-tracks") { size in join([brand, repeated(track(samples(100, runs: 100)), size)]) },
    WorstCase("heif-long-tables") { size in
      let count = min(size, 4 << 20) / 20 - 10
      return join([brand, track(samples(count, runs: count))])
    },
    WorstCase("jxl-boxes") { size in
      let part = TestImages.box("jxlp", [0, 0, 0, 0])
      return join([Array(TestImages.boxedJXL.prefix(32)), repeated(part, size)])
    },
  ]
}

// MARK: Formats of chunks, segments and blocks

extension WorstCase {
  /// An image with more bytes in front of its last ones.
  private static func stretched(_ image: [UInt8], last: Int, _ more: [UInt8]) -> [UInt8] {
    join([Array(image.dropLast(last)), more, Array(image.suffix(last))])
  }

  private static func beyondScreen(_ size: Int) -> [UInt8] {
    // A frame has as many codes as its pixels need at least.
    let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0, 2]
    let codes = repeated(join([[255], zeros(255)]), min(size, 1_500_000))
    let all = repeated(join([frame, codes, [0]]), size)
    return join([Array("GIF89a".utf8), [1, 0, 1, 0, 0, 0, 0], all, [0x3B]])
  }

  private static func webp(_ size: Int) -> [UInt8] {
    let image = TestImages.webp { $0.extended = true }
    let parts = repeated(join([Array("ABCD".utf8), zeros(4)]), size)
    let length = TestImages.little(image.count - 8 + parts.count, 4)
    return join([Array(image[..<4]), length, Array(image[8...]), parts])
  }

  private static let rasters: [WorstCase] = [
    WorstCase("gif-frames-beyond-the-screen") { beyondScreen($0) },
    WorstCase("gif-empty-blocks") { size in
      stretched(TestImages.gif(), last: 1, repeated([0x21, 0xFF, 0, 0, 0x21, 0xF9, 0], size))
    },
    WorstCase("gif-short-blocks") { size in
      stretched(TestImages.gif(), last: 1, join([[0x21, 0xFE], repeated([1, 0x41], size), [0]]))
    },
    WorstCase("png-empty-chunks") { size in
      stretched(TestImages.png(), last: 12, repeated(TestImages.pngChunk("tEXt", []), size))
    },
    WorstCase("png-empty-data") { size in
      stretched(TestImages.png(), last: 12, repeated(TestImages.pngChunk("IDAT", []), size))
    },
    WorstCase("apng-frames") { size in
      let control = TestImages.pngChunk("fcTL", join([words([0, 1, 1]), zeros(14)]))
      let announced = TestImages.pngChunk("acTL", words([9999, 0]))
      return stretched(TestImages.png(), last: TestImages.png().count - 33, join([announced, repeated(control, size)]))
    },
    WorstCase("jpeg-empty-segments") { size in
      let image = TestImages.jpeg()
      return stretched(image, last: image.count - 2, repeated([0xFF, 0xFE, 0, 2], size))
    },
    WorstCase("jpeg-exif-segments") { size in
      let image = TestImages.jpeg()
      let exif = join([Array("Exif\0\0II*\0".utf8), TestImages.little(8, 4), [0xFF, 0xFF]])
      let segment = join([[0xFF, 0xE1, 0, UInt8(2 + exif.count)], exif])
      return stretched(image, last: image.count - 2, repeated(segment, size))
    },
    WorstCase("jpeg-restarts") { size in
      stretched(TestImages.jpeg(), last: 2, repeated([0xFF, 0xD0, 0xFF, 0, 0xFF, 0xD1], size))
    },
    WorstCase("webp-empty-chunks") { webp($0) },
    WorstCase("ico-entries") { size in
      let picture = TestImages.iconBitmap(width: 8, height: 8, bits: 32)
      let icon = TestImages.ico([[UInt8]](repeating: picture, count: 200))
      return join([icon, zeros(size - icon.count)])
    },
    WorstCase("bmp-run-lengths") { size in
      stretched(TestImages.bmp { ($0.coding, $0.bits) = (1, 8) }, last: 2, repeated([0, 2, 0, 0], size))
    },
  ]
}
