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
