import ImgfetchCore

extension HTMLTag {
  /// Takes the name, without a prefix, and the attributes of a start tag of XML.
  mutating func take(_ tag: XMLTag) {
    begin(isEnd: false)
    for byte in tag.localName { appendToName(TextBytes.lowered(byte)) }
    for index in 0..<tag.count {
      beginAttribute()
      for byte in tag.attributeName(index) { appendToAttributeName(TextBytes.lowered(byte)) }
      endAttributeName()
      for byte in tag.value(index) { appendToValue(byte) }
    }
  }

  /// Becomes the end tag of an element.
  mutating func takeEnd(of name: String) {
    begin(isEnd: true)
    for byte in name.utf8 { appendToName(TextBytes.lowered(byte)) }
  }
}
