/// The ways in which an SVG can hold a program, as tables. Browsers run some of them only where the file is opened by
/// itself, or is put into a page as text; a picture that is shown as one runs none.
///
/// Names are compared without their namespace's prefix and without regard to case, since a page that holds
/// the text reads it as HTML.
enum SVGScripts {
  /// Elements that are programs, bring such, or hold documents that may.
  private static let elements = table([
    "script", "handler", "listener", "iframe", "frame", "frameset", "object", "embed", "applet", "portal",
    "fencedframe",
  ])

  /// Attributes that hold a document, or the place where data of a form goes.
  private static let attributes = table(["srcdoc", "formaction"])

  /// Attributes whose value may name a script behind other things: lists of addresses, sheets of styles, addresses
  /// to be loaded after a time.
  private static let lists = table(["values", "to", "from", "by", "style", "content", "srcset", "ping", "archive"])

  /// Attributes that animations must not set: they would make an address, or a program, of a text.
  private static let targets = table(["href", "src", "action", "data", "formaction", "srcdoc", "base"])

  /// Elements for which an address that holds a picture is usual.
  private static let pictures = table(["image", "feimage", "img", "source"])

  /// The name of what an animation changes.
  private static let animated = key(Array("attributename".utf8)[...])

  /// A name of up to 16 bytes as one number, in small letters; 0 for longer ones. Every name of a document is looked
  /// for in the tables, so that must not take memory.
  private static func key(_ name: ArraySlice<UInt8>) -> UInt128 {
    guard name.count <= 16 else { return 0 }
    var key: UInt128 = 0
    for byte in name { key = key << 8 | UInt128(0x41...0x5A ~= byte ? byte | 0x20 : byte) }
    return key
  }

  private static func table(_ words: [String]) -> [UInt128] { words.map { key(Array($0.utf8)[...]) } }

  /// True if more than the beginning of such an attribute's value matters.
  static func mayHoldScript(_ name: ArraySlice<UInt8>) -> Bool { lists.contains(key(XMLTag.local(name))) }

  /// True if a start tag is a script.
  static func isScript(_ tag: XMLTag) -> Bool {
    let element = key(tag.localName)
    if elements.contains(element) { return true }
    for index in 0..<tag.count {
      let name = XMLTag.local(tag.attributeName(index))
      let key = key(name)
      if isHandler(name) || attributes.contains(key) { return true }
      if key == animated, isTarget(tag.value(index)) { return true }
      let value = tag.value(index)
      if value.contains(UInt8(ascii: ":")), isScript(value, of: key, isPicture: pictures.contains(element)) {
        return true
      }
    }
    return false
  }

  /// True if an animation that changes this attribute can turn it into a program.
  private static func isTarget(_ name: ArraySlice<UInt8>) -> Bool {
    let target = XMLTag.local(squeezed(name)[...])
    return isHandler(target) || targets.contains(key(target))
  }

  /// True if an instruction makes a program rebuild the document, as sheets of XSLT do.
  static func isScript(instruction: [UInt8]) -> Bool {
    let text = squeezed(instruction[...])
    return text.starts(with: "xml-stylesheet".utf8)
      && (contains(text, "xsl") || contains(text, "/xml") || contains(text, "script:") || contains(text, "data:"))
  }

  /// True if an attribute is an event handler: `on` and the event's name.
  private static func isHandler(_ name: ArraySlice<UInt8>) -> Bool {
    name.count > 2 && name.first.map { $0 | 0x20 } == UInt8(ascii: "o")
      && name.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "n")
      && name.dropFirst(2).allSatisfy { 0x61...0x7A ~= $0 | 0x20 }
  }

  private static func isScript(_ value: ArraySlice<UInt8>, of name: UInt128, isPicture: Bool) -> Bool {
    let text = squeezed(value)
    if lists.contains(name) {
      guard contains(text, "script:") || contains(text, "data:") else { return false }
      return schemes.contains { contains(text, $0) } || contains(text, "data:text/")
        || contains(text, "data:image/svg") || contains(text, "data:application/")
    }
    if schemes.contains(where: { text.starts(with: $0.utf8) }) { return true }
    guard text.starts(with: "data:".utf8), targets.contains(name) else { return false }
    let type = text.dropFirst(5)
    if type.starts(with: "image/svg".utf8) { return !isPicture }
    return !harmless.contains { type.starts(with: $0.utf8) }
  }

  /// The schemes of addresses that are programs.
  private static let schemes = ["javascript:", "vbscript:", "livescript:", "jscript:", "ecmascript:"]

  /// The beginnings of the types of data that run nothing where they are opened.
  private static let harmless = ["image/", "font/", "audio/", "video/", "application/font", "application/x-font"]

  /// A text in small letters, without the blanks and control characters that browsers take out of addresses.
  private static func squeezed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.filter { $0 > 0x20 }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
  }

  private static func contains(_ text: [UInt8], _ word: String) -> Bool {
    let first = word.utf8.first
    return text.indices.contains { text[$0] == first && text[$0...].starts(with: word.utf8) }
  }
}
