/// XMP packets that are made of others: only properties that say who made a picture and on what terms it is given.
enum XMPPacket {
  private static let namespaces = [
    ("dc", "http://purl.org/dc/elements/1.1/"), ("photoshop", "http://ns.adobe.com/photoshop/1.0/"),
    ("plus", "http://ns.useplus.org/ldf/xmp/1.0/"), ("xmpRights", "http://ns.adobe.com/xap/1.0/rights/"),
  ]

  /// The creator, the rights and the terms, the credit, and whether machines may learn from it.
  private static let properties = [
    "dc:creator", "dc:rights", "photoshop:Credit", "plus:DataMining", "plus:OtherConstraints", "xmpRights:Marked",
    "xmpRights:Owner", "xmpRights:UsageTerms", "xmpRights:WebStatement",
  ]

  /// The properties, with their numbers in IPTC's datasets and the kinds of list that XMP has them as.
  private static let datasets: [(number: UInt8, property: String, list: String?)] = [
    (80, "dc:creator", "Seq"), (110, "photoshop:Credit", nil), (116, "dc:rights", "Alt"),
  ]

  /// A packet with the authorship of this one, and that of IPTC's datasets where it lacks them. Empty if there is none.
  static func authorship(_ packet: [UInt8], _ iptc: [UInt8]) -> [UInt8] {
    let packet = packet.count <= longest ? packet : []
    var attributes: [UInt8] = []
    var elements: [UInt8] = []
    // In one order, so that a second pass over the result changes nothing.
    for property in properties {
      // One that is broken takes nothing along.
      if let element = element(property, in: packet), isWellFormed(assembled([], Array(element))) {
        elements += element
      } else if let attribute = attribute(property, in: packet), isWellFormed(assembled(Array(attribute), [])) {
        attributes += attribute
      } else if let (number, _, list) = datasets.first(where: { $0.property == property }) {
        elements += Self.element(property, list, texts(number, in: iptc))
      }
    }
    return attributes.isEmpty && elements.isEmpty ? [] : assembled(attributes, elements)
  }

  /// The packet with the orientation "upright", as an attribute and as an element.
  static func upright(_ packet: [UInt8]) -> [UInt8] {
    let name = Array("tiff:Orientation".utf8)
    var turned = packet
    for place in turned.indices where turned[place] == name[0] && turned[place...].starts(with: name) {
      let rest = turned[(place + name.count)...].prefix(8)
      guard let digit = rest.firstIndex(where: { UInt8(ascii: "1")...UInt8(ascii: "8") ~= $0 }) else { continue }
      turned[digit] = UInt8(ascii: "1")
    }
    return turned
  }

  private static let longest = 1 << 20
  /// A text of terms has some hundred bytes.
  private static let longestProperty = 16 << 10

  private static func assembled(_ attributes: [UInt8], _ elements: [UInt8]) -> [UInt8] {
    let used = namespaces.filter { name, _ in
      [attributes, elements].contains { text in place(of: Array(name.utf8), in: text, from: 0, before: [0x3A]) != nil }
    }
    let spaces = used.map { " xmlns:\($0)=\"\($1)\"" }.joined()
    let head = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about=""\(spaces)
      """
    return Array(begin.utf8) + Array(head.utf8) + attributes + Array(">".utf8) + elements
      + Array("</rdf:Description></rdf:RDF></x:xmpmeta>".utf8) + Array(end.utf8)
  }

  private static let begin = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
  private static let end = "<?xpacket end=\"w\"?>"

  /// A packet that is made here, without the marks by which packets are found in files of any kind. Another one stays
  /// as it is.
  static func bare(_ packet: [UInt8]) -> [UInt8] {
    guard packet.starts(with: begin.utf8), packet.suffix(end.utf8.count).elementsEqual(end.utf8) else { return packet }
    return Array(packet.dropFirst(begin.utf8.count).dropLast(end.utf8.count))
  }

  /// A property that is written as an element, with all that is in it: texts, and lists of texts.
  private static func element(_ property: String, in packet: [UInt8]) -> ArraySlice<UInt8>? {
    let open = Array("<\(property)".utf8)
    guard let start = place(of: open, in: packet, from: 0, before: [0x20, 0x09, 0x0A, 0x0D, 0x3E, 0x2F]),
      let tagEnd = packet[start...].prefix(longestProperty).firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    if packet[tagEnd - 1] == UInt8(ascii: "/") { return packet[start...tagEnd] }
    let close = Array("</\(property)".utf8)
    guard let last = place(of: close, in: packet, from: tagEnd, before: [0x20, 0x3E]), last - start < longestProperty,
      let end = packet[last...].prefix(64).firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let content = packet[(tagEnd + 1)..<last]
    let isPlain = content.indices.allSatisfy { index in
      content[index] != UInt8(ascii: "<") || ["<rdf:", "</rdf:"].contains { content[index...].starts(with: $0.utf8) }
    }
    return isPlain ? packet[start...end] : nil
  }

  /// A property that is written as an attribute. Its name may also be a part of other names, and of texts.
  private static func attribute(_ property: String, in packet: [UInt8]) -> ArraySlice<UInt8>? {
    let name = Array(property.utf8)
    var from = 1
    while let start = place(of: name, in: packet, from: from, before: [UInt8(ascii: "=")]) {
      from = start + name.count
      guard packet[start - 1] <= 0x20, let quote = packet.dropFirst(from + 1).first,
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = packet.dropFirst(from + 2).prefix(longestProperty).firstIndex(of: quote)
      else { continue }
      return packet[(start - 1)...end]
    }
    return nil
  }

  /// The first place from `start` on at which one of these bytes follows a word.
  private static func place(of word: [UInt8], in packet: [UInt8], from start: Int, before: [UInt8]) -> Int? {
    guard packet.count > word.count, start < packet.count - word.count, let first = word.first else { return nil }
    for place in start..<packet.count - word.count where packet[place] == first {
      if packet[place...].starts(with: word), before.contains(packet[place + word.count]) { return place }
    }
    return nil
  }

  private static func element(_ property: String, _ list: String?, _ texts: [String]) -> [UInt8] {
    guard let first = texts.first else { return [] }
    let content: String
    if let list {
      let items =
        list == "Alt" ? ["<rdf:li xml:lang=\"x-default\">\(first)</rdf:li>"] : texts.map { "<rdf:li>\($0)</rdf:li>" }
      content = "<rdf:\(list)>\(items.joined())</rdf:\(list)>"
    } else {
      content = first
    }
    return Array("<\(property)>\(content)</\(property)>".utf8)
  }

  /// Texts of IPTC's datasets, fit for XML. They are in UTF-8, or in Latin-1.
  private static func texts(_ wanted: UInt8, in iptc: [UInt8]) -> [String] {
    var texts: [String] = []
    IPTCBlock.each(iptc) { record, number, value, _ in
      guard record == 2, number == wanted, texts.count < 16 else { return }
      let text =
        String(validating: value, as: UTF8.self) ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
      var escaped = ""
      for scalar in text.unicodeScalars where isOfXML(scalar) {
        switch scalar {
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "&": escaped += "&amp;"
        default: escaped.unicodeScalars.append(scalar)
        }
      }
      if !escaped.isEmpty { texts.append(escaped) }
    }
    return texts
  }

  /// True for a character that XML 1.0 allows, apart from tabs and line breaks.
  private static func isOfXML(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
  }

  private static func isWellFormed(_ packet: [UInt8]) -> Bool {
    var walk = XMLWalk()
    var at = 0
    do { while try walk.next(packet.span, &at) != nil {} } catch { return false }
    return walk.isComplete
  }
}
