extension HTMLTokenizer {
  mutating func takeTag(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch state {
    case .tagOpen: takeTagOpen(byte, into: &sink)
    case .endTagOpen: takeEndTagOpen(byte)
    case .tagName: takeTagName(byte, into: &sink)
    case .beforeAttribute, .attributeName, .afterAttributeName: takeAttribute(byte, into: &sink)
    default: takeValue(byte, into: &sink)
    }
  }

  private mutating func takeTagOpen(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch byte {
    case UInt8(ascii: "!"):
      held = []
      return go(.markup)
    case UInt8(ascii: "/"): return go(.endTagOpen)
    case UInt8(ascii: "?"):
      held = []
      return again(.bogusComment)
    default:
      guard TextBytes.isLetter(byte) else {
        emit(UInt8(ascii: "<"), into: &sink)
        return again(.text)
      }
      tag.begin(isEnd: false)
      return again(.tagName)
    }
  }

  private mutating func takeEndTagOpen(_ byte: UInt8) -> Bool {
    if byte == UInt8(ascii: ">") { return go(.text) }
    guard TextBytes.isLetter(byte) else {
      held = []
      return again(.bogusComment)
    }
    tag.begin(isEnd: true)
    return again(.tagName)
  }

  private mutating func takeTagName(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch byte {
    case UInt8(ascii: "/"): return go(.selfClosing)
    case UInt8(ascii: ">"): return endTag(into: &sink)
    case 0: for byte in Self.replacement { tag.appendToName(byte) }
    default:
      if TextBytes.isSpace(byte) { return go(.beforeAttribute) }
      tag.appendToName(TextBytes.lowered(byte))
    }
    return true
  }

  private mutating func takeAttribute(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch (state, byte) {
    case (.attributeName, UInt8(ascii: "=")):
      tag.endAttributeName()
      return go(.beforeValue)
    case (.attributeName, 0): for byte in Self.replacement { tag.appendToAttributeName(byte) }
    case (.attributeName, _):
      if TextBytes.isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
        tag.endAttributeName()
        return again(.afterAttributeName)
      }
      tag.appendToAttributeName(TextBytes.lowered(byte))
    case (_, UInt8(ascii: "/")): return go(.selfClosing)
    case (_, UInt8(ascii: ">")): return endTag(into: &sink)
    case (.afterAttributeName, UInt8(ascii: "=")): return go(.beforeValue)
    case (_, UInt8(ascii: "=")):
      tag.beginAttribute()
      tag.appendToAttributeName(byte)
      return go(.attributeName)
    default:
      if TextBytes.isSpace(byte) { return true }
      tag.beginAttribute()
      return again(.attributeName)
    }
    return true
  }

  private mutating func takeValue(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch (state, byte) {
    case (.beforeValue, UInt8(ascii: "\"")): return go(.doubleQuoted)
    case (.beforeValue, UInt8(ascii: "'")): return go(.singleQuoted)
    case (.beforeValue, UInt8(ascii: ">")), (.unquoted, UInt8(ascii: ">")): return endTag(into: &sink)
    case (.beforeValue, _): return TextBytes.isSpace(byte) || again(.unquoted)
    case (.doubleQuoted, UInt8(ascii: "\"")), (.singleQuoted, UInt8(ascii: "'")): return go(.afterQuoted)
    case (.afterQuoted, UInt8(ascii: "/")): return go(.selfClosing)
    case (.afterQuoted, UInt8(ascii: ">")): return endTag(into: &sink)
    case (.afterQuoted, _): return TextBytes.isSpace(byte) ? go(.beforeAttribute) : again(.beforeAttribute)
    case (.selfClosing, UInt8(ascii: ">")):
      tag.isSelfClosing = true
      return endTag(into: &sink)
    case (.selfClosing, _): return again(.beforeAttribute)
    case (_, UInt8(ascii: "&")): return beginReferenceInAttribute()
    case (_, 0): for byte in Self.replacement { tag.appendToValue(byte) }
    default:
      if state == .unquoted, TextBytes.isSpace(byte) { return go(.beforeAttribute) }
      tag.appendToValue(byte)
    }
    return true
  }

  private mutating func endTag(into sink: inout some HTMLTokenSink) -> Bool {
    handOver(&sink)
    if tag.isEnd {
      content = .data
      sink.endTag(tag)
    } else {
      content = sink.startTag(tag)
      // Markup is not ended by an end tag.
      if content != .data { lastStartTag = Array(tag.name) }
    }
    return go(.text)
  }
}
