// Images that say much about people: who made them, and where, when and with what.
extension TestImages {
  /// The metadata that may stay.
  package static let authors = ["An Artist", "A Copyright", "A Creator", "A Credit", "Some Rights", "DMI-PROHIBITED"]
  /// The metadata that must not stay.
  package static let secrets = ["A Camera", "2020:02:02", "A Caption", "A City", "48,8N", "A Serial"]

  /// Exif with artist and copyright, camera, time and a position.
  package static func talkativeExif(orientation: Int = 1) -> [UInt8] {
    var behind: [UInt8] = []
    var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []
    let texts = [(0x010F, "A Camera"), (0x0132, "2020:02:02 02:02:02"), (0x013B, "An Artist"), (0x8298, "A Copyright")]
    let start = 8 + 2 + 12 * 6 + 4
    for (tag, text) in texts {
      let bytes = Array(text.utf8) + [0]
      entries.append((tag, 2, bytes.count, little(start + behind.count, 4)))
      behind += bytes + (bytes.count % 2 == 1 ? [0] : [])
    }
    entries.append((0x0112, 3, 1, little(orientation, 4)))
    // A directory of a position, with its version alone.
    entries.append((0x8825, 4, 1, little(start + behind.count, 4)))
    behind += little(1, 2) + little(0, 2) + little(1, 2) + little(4, 4) + [2, 3, 0, 0] + little(0, 4)
    entries.sort { $0.tag < $1.tag }
    var block = Array("II*\0".utf8) + little(8, 4) + little(entries.count, 2)
    for entry in entries {
      block += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, 4) + entry.value
    }
    return block + little(0, 4) + behind
  }

  package static let talkativeXMP = Array(
    """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/" \
    xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" \
    exif:GPSLatitude="48,8N" aux:SerialNumber="A Serial" \
    plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED"><dc:rights><rdf:Alt>\
    <rdf:li xml:lang="x-default">Some Rights</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>\
    <?xpacket end="w"?>
    """.utf8)

  /// IPTC's datasets: a creator, a credit, a caption and a city.
  package static let talkativeIPTC: [UInt8] = [
    (80, "A Creator"), (110, "A Credit"), (120, "A Caption"), (90, "A City"),
  ]
  .flatMap { number, text in [0x1C, 2, UInt8(number), 0, UInt8(text.utf8.count)] + Array(text.utf8) }

  /// A JPEG with all of it, and a comment.
  package static func talkativeJPEG(width: Int = 40, height: Int = 30, orientation: Int = 1) -> [UInt8] {
    func segment(_ mark: UInt8, _ content: [UInt8]) -> [UInt8] { [0xFF, mark] + big(content.count + 2, 2) + content }
    let plain = jpeg(width: width, height: height)
    let resources = Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0] + big(talkativeIPTC.count, 4) + talkativeIPTC
    let segments =
      segment(0xE1, Array("Exif\0\0".utf8) + talkativeExif(orientation: orientation))
      + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + talkativeXMP)
      + segment(0xED, resources + (talkativeIPTC.count % 2 == 1 ? [0] : [])) + segment(0xFE, Array("A Caption".utf8))
    return plain[..<2] + segments + plain[2...]
  }
}

// The same in the formats whose parts cannot be moved, or are not alike.
extension TestImages {
  /// An image that says much about people.
  package struct Talkative: Sendable, CustomStringConvertible {
    package let name: String
    package let bytes: [UInt8]
    package let authors: [String]
    package let secrets: [String]
    /// A piece of its coded pixels.
    package let pixels: [UInt8]
    package var description: String { name }
  }

  package static func talkative() -> [Talkative] {
    [talkativeGIF(), talkativeJXL(), talkativeHEIF("avif"), talkativeHEIF("heic"), talkativeTIFF(), talkativeSVG()]
  }

  private static func talkativeGIF() -> Talkative {
    let plain = gif(width: 40, height: 30) { $0.comment = "A Caption" }
    let profile: [UInt8] = [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8) + [9] + Array("A Profile".utf8) + [0]
    let tail: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]
    let xmp: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + talkativeXMP + tail
    return Talkative(
      name: "gif", bytes: Array(plain.dropLast()) + profile + xmp + [0x3B], authors: ["Some Rights", "A Profile"],
      secrets: ["A Caption", "48,8N", "A Serial"], pixels: Array(plain.suffix(60).dropLast()))
  }

  private static func talkativeJXL() -> Talkative {
    // What a file begins with, and its brand.
    let start = boxedJXL.prefix(32)
    let code = box("jxlc", bareJXL)
    let exif = box("Exif", [0, 0, 0, 0] + talkativeExif())
    return Talkative(
      name: "jxl", bytes: Array(start) + exif + box("xml ", talkativeXMP) + code,
      authors: ["An Artist", "A Copyright", "Some Rights"],
      secrets: ["A Camera", "2020:02:02", "48,8N", "A Serial"], pixels: code)
  }

  /// The items stand in the box of data, behind the picture.
  private static func talkativeHEIF(_ brand: String) -> Talkative {
    let exif = [0, 0, 0, 0] + talkativeExif()
    let plain = heif(width: 40, height: 30) { options in
      options.brand = brand
      options.coding = brand == "avif" ? "av01" : "hvc1"
      options.described = [("Exif", "", exif), ("mime", "application/rdf+xml", talkativeXMP)]
    }
    return Talkative(
      name: brand, bytes: plain, authors: ["An Artist", "A Copyright", "Some Rights"],
      secrets: ["A Camera", "2020:02:02", "48,8N", "A Serial"], pixels: [UInt8](repeating: 0xA5, count: 8))
  }

  private static func talkativeTIFF() -> Talkative {
    func text(_ text: String) -> [Int] { text.utf8.map { Int($0) } + [0] }
    let plain = tiff(width: 40, height: 30) { options in
      options.extra = [
        (271, 2, text("A Camera of mine")), (306, 2, text("2020:02:02 02:02:02")), (315, 2, text("An Artist")),
        (700, 1, talkativeXMP.map { Int($0) }), (33432, 2, text("A Copyright")), (33922, 2, text("48,8N 11,5E")),
      ]
    }
    return Talkative(
      name: "tif", bytes: plain, authors: ["An Artist", "A Copyright", "Some Rights"],
      secrets: ["A Camera", "2020:02:02", "48,8N", "A Serial"],
      pixels: Array(tiff(width: 40, height: 30).dropFirst(8).prefix(60)))
  }

  private static func talkativeSVG() -> Talkative {
    let text = """
      <?xml version="1.0"?>
      <!-- A Caption -->
      <svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" xmlns:sodipodi="urn:s" sodipodi:docname="/home/A City/x.svg">
      <metadata id="m"><rdf:RDF xmlns:rdf="urn:r" xmlns:dc="urn:d" xmlns:cc="urn:c"><cc:Work rdf:about=""><dc:title>A Serial\
      </dc:title><dc:creator><cc:Agent><dc:title>An Artist</dc:title></cc:Agent></dc:creator>\
      <cc:license rdf:resource="Some Rights"/><dc:coverage>48,8N</dc:coverage></cc:Work></rdf:RDF></metadata>
      <rect width="9" height="9"/></svg>
      """
    return Talkative(
      name: "svg", bytes: Array(text.utf8), authors: ["An Artist", "Some Rights"],
      secrets: ["A Caption", "A City", "A Serial", "48,8N"],
      pixels: Array("<rect width=\"9\" height=\"9\"/></svg>".utf8))
  }
}
