extension HTMLTokenizer {
  mutating func takeComment(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch state {
    case .markup: return takeMarkup(byte, sink.hasSections)
    case .bogusComment:
      if byte == UInt8(ascii: ">") { return endComment(into: &sink) }
      return holdInComment(byte)
    case .commentStart, .commentStartDash:
      if byte == UInt8(ascii: ">") { return endComment(into: &sink) }
      if byte == UInt8(ascii: "-") { return go(state == .commentStart ? .commentStartDash : .commentEnd) }
      if state == .commentStartDash { hold(UInt8(ascii: "-")) }
      return again(.comment)
    case .comment:
      if byte == UInt8(ascii: "-") { return go(.commentEndDash) }
      if byte == UInt8(ascii: "<") { state = .commentLess }
      return holdInComment(byte)
    case .commentLess, .commentLessBang, .commentLessBangDash, .commentLessBangDashDash: return takeCommentLess(byte)
    default: return takeCommentEnd(byte, into: &sink)
    }
  }

  /// Takes a byte behind `<!`, where a keyword names the construct.
  private mutating func takeMarkup(_ byte: UInt8, _ hasSections: Bool) -> Bool {
    let isLong = held.count > 16
    let next = isLong ? held : held + [byte]
    if next.elementsEqual("--".utf8) {
      held = []
      return go(.commentStart)
    }
    if Self.isKeyword(next, "doctype") {
      held = []
      doctype = HTMLDoctype()
      return go(.doctype)
    }
    if next.elementsEqual("[CDATA[".utf8), hasSections {
      content = .cdata
      return go(.text)
    }
    guard !isLong, Self.begins(next, "--") || Self.begins(next, "doctype") || "[CDATA[".utf8.starts(with: next) else {
      return again(.bogusComment)
    }
    held = next
    return true
  }

  static func isKeyword(_ bytes: [UInt8], _ keyword: String) -> Bool {
    bytes.count == keyword.utf8.count && begins(bytes, keyword)
  }

  /// True if the keyword, which is given in lower case, begins with these bytes in any case.
  static func begins(_ bytes: [UInt8], _ keyword: String) -> Bool {
    keyword.utf8.starts(with: bytes.lazy.map(TextBytes.lowered))
  }

  private mutating func holdInComment(_ byte: UInt8) -> Bool {
    if byte == 0 { hold(Self.replacement) } else { hold(byte) }
    return true
  }

  private mutating func takeCommentLess(_ byte: UInt8) -> Bool {
    switch (state, byte) {
    case (.commentLess, UInt8(ascii: "!")):
      hold(byte)
      return go(.commentLessBang)
    case (.commentLess, UInt8(ascii: "<")):
      hold(byte)
      return true
    case (.commentLessBang, UInt8(ascii: "-")): return go(.commentLessBangDash)
    case (.commentLessBangDash, UInt8(ascii: "-")): return go(.commentLessBangDashDash)
    case (.commentLessBangDash, _): return again(.commentEndDash)
    case (.commentLessBangDashDash, _): return again(.commentEnd)
    default: return again(.comment)
    }
  }

  private mutating func takeCommentEnd(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch (state, byte) {
    case (.commentEndDash, UInt8(ascii: "-")): return go(.commentEnd)
    case (.commentEnd, UInt8(ascii: ">")), (.commentEndBang, UInt8(ascii: ">")): return endComment(into: &sink)
    case (.commentEnd, UInt8(ascii: "!")): return go(.commentEndBang)
    case (.commentEnd, UInt8(ascii: "-")):
      hold(byte)
      return true
    case (.commentEndBang, UInt8(ascii: "-")):
      hold("--!".utf8)
      return go(.commentEndDash)
    case (.commentEndDash, _): hold("-".utf8)
    case (.commentEndBang, _): hold("--!".utf8)
    default: hold("--".utf8)
    }
    return again(.comment)
  }

  private mutating func endComment(into sink: inout some HTMLTokenSink) -> Bool {
    handOver(&sink)
    if sink.wantsText { sink.comment(held.span) }
    held = []
    return go(.text)
  }

  /// Passes on a comment or a document type that the end of the page has cut short.
  mutating func finishMarkup(into sink: inout some HTMLTokenSink) {
    switch state {
    case .markup, .bogusComment, .commentStart, .commentStartDash, .comment, .commentLess, .commentLessBang,
      .commentLessBangDash, .commentLessBangDashDash, .commentEndDash, .commentEnd, .commentEndBang:
      _ = endComment(into: &sink)
    case .bogusDoctype: _ = endDoctype(into: &sink)
    default:
      guard state.rawValue >= State.doctype.rawValue else { return }
      keepIdentifier()
      doctype.forcesQuirks = true
      _ = endDoctype(into: &sink)
    }
  }
}
