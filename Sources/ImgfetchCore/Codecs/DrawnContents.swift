/// Finds the references of a drawing to things beside its own shapes. A helper has no fonts and no files, so a drawing
/// that needs them cannot be drawn; and a drawing that lacks a part is wrong.
enum DrawnContents {
  /// Throws where an image is a drawing that needs more than itself.
  static func admit(_ body: ImageBody, _ format: ImageFormat) throws(PixelFailure) {
    guard format == .svg else { return }
    let bytes: [UInt8]
    do throws(BodyReadFailure) { bytes = try body.bytes() } catch { throw PixelFailure(error) }
    if let need = need(of: bytes) { throw .unsupported(.svg, reason: "it needs \(need), which no decoder is given") }
  }

  /// The drawing's need, as words, or nil if it has none.
  static func need(of svg: [UInt8]) -> String? {
    if refersOutside(svg) { return "a file" }
    var walk = XMLWalk()
    var at = 0
    let bytes = svg.span
    // Where it is broken the library finds that out.
    while let event = try? walk.next(bytes, &at) {
      guard case .tag = event else { continue }
      let name = String(decoding: walk.tag.localName, as: UTF8.self)
      if texts.contains(name) { return "fonts" }
      if name == "foreignObject" { return "a browser" }
      // A link is followed by people only.
      guard name != "a" else { continue }
      for index in 0..<walk.tag.count where XMLTag.local(walk.tag.attributeName(index)).elementsEqual("href".utf8) {
        let target = walk.tag.value(index).drop(while: XMLWalk.isSpace)
        let isPicture =
          (name == "image" || name == "feImage") && pictures.contains { target.starts(with: $0.utf8) }
        guard target.isEmpty || target.first == UInt8(ascii: "#") || isPicture else { return "a file" }
      }
    }
    return nil
  }

  /// True if a style sheet, or an attribute, names anything but a part of the drawing. The place does not matter: a
  /// comment that quotes such a name is rare, and a drawing without its pattern is wrong.
  private static func refersOutside(_ svg: [UInt8]) -> Bool {
    let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'")]
    for place in svg.indices {
      switch svg[place] {
      case UInt8(ascii: "u"), UInt8(ascii: "U"):
        guard holds("url(", svg, at: place) else { continue }
        let target = svg[(place + 4)...].drop { blank.contains($0) || $0 == UInt8(ascii: "&") }
        // Quotes may be written as entities.
        let name = target.starts(with: "quot;".utf8) || target.starts(with: "apos;".utf8) ? target.dropFirst(5) : target
        if name.first != UInt8(ascii: "#") { return true }
      case UInt8(ascii: "@"): if holds("@import", svg, at: place) { return true }
      case UInt8(ascii: "<"): if holds("<?xml-stylesheet", svg, at: place) { return true }
      default: continue
      }
    }
    return false
  }

  private static func holds(_ word: String, _ bytes: [UInt8], at place: Int) -> Bool {
    let part = bytes[place...].prefix(word.utf8.count)
    return part.count == word.utf8.count && zip(part, word.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  private static let texts: Set<String> = ["text", "tspan", "textPath", "tref", "altGlyph", "flowRoot"]
  /// Pictures within the drawing that the library itself decodes.
  private static let pictures = ["data:image/png;base64,", "data:image/jpeg;base64,", "data:image/jpg;base64,"]
}
