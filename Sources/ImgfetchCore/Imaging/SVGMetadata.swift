/// Takes the metadata out of an SVG: its elements of that name but for creator, rights and license, comments, and the
/// names of the files that editors note. All else stays as it was written.
///
/// For documents that passed inspection, so that all that begins ends.
struct SVGMetadata {
  private let image: [UInt8]
  private var at = 0
  private var made: [UInt8] = []

  /// The image with the authorship alone. Nil if it is compressed, or does not end what it begins.
  static func edited(_ image: [UInt8]) -> [UInt8]? {
    if image.starts(with: [0x1F, 0x8B]) || image.starts(with: [0xFE, 0xFF]) || image.starts(with: [0xFF, 0xFE]) {
      return nil
    }
    var editor = SVGMetadata(image: image)
    return editor.run() ? editor.made : nil
  }

  private init(image: [UInt8]) {
    self.image = image
    made.reserveCapacity(image.count)
  }

  private mutating func run() -> Bool {
    while at < image.count {
      guard image[at] == UInt8(ascii: "<") else {
        made.append(image[at])
        at += 1
        continue
      }
      let start = at
      if stands("<!--") {
        guard pass("-->") else { return false }
      } else if stands("<![CDATA[") {
        guard pass("]]>") else { return false }
        made += image[start..<at]
      } else if stands("<?") {
        guard pass("?>") else { return false }
        if !image[start..<at].starts(with: "<?xpacket".utf8) { made += image[start..<at] }
      } else if stands("<!") {
        guard passDeclaration() else { return false }
        made += image[start..<at]
      } else {
        guard let end = endOfTag(from: at) else { return false }
        at = end
        if Self.isMetadata(image[start..<end]) {
          guard let all = passElement(start) else { return false }
          made += Self.authorship(image[all])
        } else {
          appendTag(image[start..<end])
        }
      }
    }
    return true
  }

  private func stands(_ text: String) -> Bool { image[at...].starts(with: text.utf8) }

  /// Passes over all up to and including this text.
  private mutating func pass(_ end: String) -> Bool {
    let end = Array(end.utf8)
    while at + end.count <= image.count {
      if image[at] == end[0], image[at...].starts(with: end) {
        at += end.count
        return true
      }
      at += 1
    }
    return false
  }

  /// Passes over a document type, which may have declarations of its own, with texts in quotes.
  private mutating func passDeclaration() -> Bool {
    var depth = 0
    var quote: UInt8?
    while at < image.count {
      let byte = image[at]
      if let open = quote {
        if byte == open { quote = nil }
      } else if stands("<!--") {
        guard pass("-->") else { return false }
        continue
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "<") {
        depth += 1
      } else if byte == UInt8(ascii: ">") {
        depth -= 1
        if depth == 0 {
          at += 1
          return true
        }
      }
      at += 1
    }
    return false
  }

  /// The place behind the tag that begins here.
  private func endOfTag(from start: Int) -> Int? {
    var quote: UInt8?
    for place in start..<image.count {
      let byte = image[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return place + 1
      }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// The element's name without its prefix, behind `<` or `</`.
  private static func localName(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var name = tag.dropFirst()
    if name.first == UInt8(ascii: "/") { name = name.dropFirst() }
    name = name.prefix { !isSpace($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
    return name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
  }

  private static func isMetadata(_ tag: ArraySlice<UInt8>) -> Bool {
    tag.dropFirst().first != UInt8(ascii: "/") && localName(tag).elementsEqual("metadata".utf8)
  }

  private static func isEmpty(_ tag: ArraySlice<UInt8>) -> Bool { tag.dropLast().last == UInt8(ascii: "/") }

  /// Passes over the element whose first tag has been passed over, and returns its place.
  private mutating func passElement(_ start: Int) -> Range<Int>? {
    if Self.isEmpty(image[start..<at]) { return start..<at }
    var depth = 1
    while depth > 0 {
      guard let next = image[at...].firstIndex(of: UInt8(ascii: "<")) else { return nil }
      at = next
      if stands("<!--") {
        guard pass("-->") else { return nil }
      } else if stands("<![CDATA[") {
        guard pass("]]>") else { return nil }
      } else if stands("<?") {
        guard pass("?>") else { return nil }
      } else {
        guard let end = endOfTag(from: at) else { return nil }
        let tag = image[at..<end]
        at = end
        guard Self.localName(tag).elementsEqual("metadata".utf8), !Self.isEmpty(tag) else { continue }
        depth += tag.dropFirst().first == UInt8(ascii: "/") ? -1 : 1
      }
    }
    return start..<at
  }

  /// Attributes in which editors note the files of the user.
  private static let files = ["sodipodi:docname", "sodipodi:docbase", "inkscape:export-filename"].map { Array($0.utf8) }

  private mutating func appendTag(_ tag: ArraySlice<UInt8>) {
    guard Self.files.contains(where: { name in Self.place(of: name, in: tag) != nil }) else {
      made += tag
      return
    }
    var place = tag.startIndex
    var quote: UInt8?
    while place < tag.endIndex {
      let byte = tag[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if Self.isSpace(byte), let end = Self.endOfFile(tag[(place + 1)...]) {
        place = end
        continue
      }
      made.append(byte)
      place += 1
    }
  }

  /// The place after an attribute with the name of a file, or nil if this is a different attribute.
  private static func endOfFile(_ rest: ArraySlice<UInt8>) -> Int? {
    guard let name = files.first(where: { rest.starts(with: $0) }) else { return nil }
    var value = rest.dropFirst(name.count).drop(while: isSpace)
    guard value.first == UInt8(ascii: "=") else { return nil }
    value = value.dropFirst().drop(while: isSpace)
    guard let quote = value.first, let end = value.dropFirst().firstIndex(of: quote) else { return nil }
    return end + 1
  }

  private static func place(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = word.first else { return nil }
    return bytes.indices.first { bytes[$0] == first && bytes[$0...].starts(with: word) }
  }

  /// Creator, rights and license of what Inkscape and others write, as an element of metadata; empty if there are none.
  private static func authorship(_ element: ArraySlice<UInt8>) -> [UInt8] {
    let found = ["dc:creator", "dc:rights", "cc:license"].flatMap { kept($0, in: element) }
    guard !found.isEmpty else { return [] }
    let head = """
      <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
      xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><cc:Work rdf:about="">
      """
    return Array(head.utf8) + found + Array("</cc:Work></rdf:RDF></metadata>".utf8)
  }

  /// Longer ones are not taken along: a license is a link.
  private static let longest = 16 << 10

  private static func kept(_ name: String, in element: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let open = Array("<\(name)".utf8)
    guard let start = place(of: open, in: element),
      let behind = element.dropFirst(start - element.startIndex + open.count).first,
      isSpace(behind) || behind == UInt8(ascii: ">") || behind == UInt8(ascii: "/"),
      let tagEnd = element[start...].firstIndex(of: UInt8(ascii: ">"))
    else { return [] }
    var end = tagEnd + 1
    if element[tagEnd - 1] != UInt8(ascii: "/") {
      let close = Array("</\(name)>".utf8)
      guard let last = place(of: close, in: element[end...]) else { return [] }
      end = last + close.count
    }
    let found = element[start..<end]
    let names = ["<dc:", "</dc:", "<cc:", "</cc:", "<rdf:", "</rdf:"]
    let isPlain = found.indices.allSatisfy { index in
      found[index] != UInt8(ascii: "<") || names.contains { found[index...].starts(with: $0.utf8) }
    }
    return found.count <= longest && isPlain ? found : []
  }
}
