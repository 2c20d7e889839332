/// Reads the tags, the text and the comments of a page as the HTML standard's tokenizer does, while its bytes arrive.
///
/// A plain value that holds no more of the page than the current tag, comment or reference. It takes UTF-8 in pieces of
/// any size, and the tokens do not depend on where they are cut. Nothing in a page is an error: each byte has a
/// meaning, and each is read in constant time.
package struct HTMLTokenizer: Sendable {
  /// The place within the current content. The names are those of the standard's states.
  enum State: UInt8, Sendable {
    case text
    // Tags, in ``HTMLTokenizer/takeTag(_:into:)``.
    case tagOpen, endTagOpen, tagName, beforeAttribute, attributeName, afterAttributeName, beforeValue
    case doubleQuoted, singleQuoted, unquoted, afterQuoted, selfClosing
    // The end of content that is not markup, in ``HTMLTokenizer/takeEndOfContent(_:into:)``.
    case contentLess, contentEndOpen, contentEndName
    // Scripts, in ``HTMLTokenizer/takeScript(_:into:)``.
    case escapeStart, escapeStartDash, escaped, escapedDash, escapedDashDash, escapedLess
    case doubleEscapeStart, doubleEscaped, doubleEscapedDash, doubleEscapedDashDash, doubleEscapedLess, doubleEscapeEnd
    // Sections of text, in ``HTMLTokenizer/takeSection(_:into:)``.
    case sectionBracket, sectionEnd
    // Comments, in ``HTMLTokenizer/takeComment(_:into:)``.
    case markup, bogusComment, commentStart, commentStartDash, comment, commentLess, commentLessBang
    case commentLessBangDash, commentLessBangDashDash, commentEndDash, commentEnd, commentEndBang
    // The document's type, in ``HTMLTokenizer/takeDoctype(_:into:)``.
    case doctype, beforeDoctypeName, doctypeName, afterDoctypeName, bogusDoctype
    case afterPublic, beforePublic, publicDouble, publicSingle, afterPublicIdentifier, betweenIdentifiers
    case afterSystem, beforeSystem, systemDouble, systemSingle, afterSystemIdentifier

    /// True for a state in which most bytes have no special meaning.
    var hasPlainBytes: Bool {
      switch self {
      case .text, .tagName, .attributeName, .doubleQuoted, .singleQuoted: true
      default: false
      }
    }
  }

  var state = State.text
  var content: HTMLContent
  var tag = HTMLTag()
  /// The name of the last start tag, whose end tag ends content that is not markup.
  var lastStartTag: [UInt8]
  /// The comment or the keyword that is being read.
  var held: [UInt8] = []
  var doctype = HTMLDoctype()
  /// True if the end tag that is being read is in a script after `<!--`.
  var isEscaped = false
  private var reference: CharacterReference?
  private var gathered: [UInt8] = []
  private var isBehindCarriageReturn = false

  /// The most bytes of text that are passed on at once.
  private static let mostGathered = 4_096
  /// The number of bytes that are kept of a comment or an identifier. A page is allowed to be one comment of 16 MB.
  private static let mostHeld = 1 << 16
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// - Parameters:
  ///   - content: The kind of the content; markup by default.
  ///   - lastStartTag: The name of the tag that began that content.
  package init(content: HTMLContent = .data, lastStartTag: String = "") {
    self.content = content
    self.lastStartTag = Array(lastStartTag.utf8)
  }

  /// Takes the next bytes of the page.
  package mutating func feed(_ bytes: Span<UInt8>, into sink: inout some HTMLTokenSink) {
    var at = 0
    while at < bytes.count {
      if state.hasPlainBytes, reference == nil, !isBehindCarriageReturn {
        at = passOver(bytes, from: at, into: &sink)
        guard at < bytes.count else { break }
      }
      var byte = bytes[at]
      if byte == UInt8(ascii: "\n"), isBehindCarriageReturn {
        isBehindCarriageReturn = false
        at += 1
        continue
      }
      isBehindCarriageReturn = byte == UInt8(ascii: "\r")
      if isBehindCarriageReturn { byte = UInt8(ascii: "\n") }
      while !take(byte, into: &sink) {}
      at += 1
    }
    handOver(&sink)
  }

  /// Ends the page: passes on tokens that are valid without their end.
  package mutating func finish(into sink: inout some HTMLTokenSink) {
    if var open = reference {
      open.finish()
      reference = nil
      if state == .text { emit(open.text, into: &sink) }
    }
    switch state {
    case .tagOpen, .contentLess, .escapedLess: emit("<".utf8, into: &sink)
    case .endTagOpen, .contentEndOpen: emit("</".utf8, into: &sink)
    case .contentEndName: emit(Array("</".utf8) + held, into: &sink)
    case .sectionBracket: emit("]".utf8, into: &sink)
    case .sectionEnd: emit("]]".utf8, into: &sink)
    default: finishMarkup(into: &sink)
    }
    state = .text
    handOver(&sink)
  }

  // MARK: One byte

  /// Takes one byte. Returns false if the state has changed, and the byte has to be taken again.
  private mutating func take(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if reference != nil { return takeReference(byte, into: &sink) }
    switch state {
    case .text: return takeText(byte, into: &sink)
    case .tagOpen, .endTagOpen, .tagName, .beforeAttribute, .attributeName, .afterAttributeName, .beforeValue,
      .doubleQuoted, .singleQuoted, .unquoted, .afterQuoted, .selfClosing:
      return takeTag(byte, into: &sink)
    case .contentLess, .contentEndOpen, .contentEndName: return takeEndOfContent(byte, into: &sink)
    case .escapeStart, .escapeStartDash, .escaped, .escapedDash, .escapedDashDash, .escapedLess, .doubleEscapeStart,
      .doubleEscaped, .doubleEscapedDash, .doubleEscapedDashDash, .doubleEscapedLess, .doubleEscapeEnd:
      return takeScript(byte, into: &sink)
    case .sectionBracket, .sectionEnd: return takeSection(byte, into: &sink)
    case .markup, .bogusComment, .commentStart, .commentStartDash, .comment, .commentLess, .commentLessBang,
      .commentLessBangDash, .commentLessBangDashDash, .commentEndDash, .commentEnd, .commentEndBang:
      return takeComment(byte, into: &sink)
    default: return takeDoctype(byte, into: &sink)
    }
  }

  private mutating func takeText(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch (byte, content) {
    case (UInt8(ascii: "<"), .data): return go(.tagOpen)
    case (UInt8(ascii: "<"), .rcdata), (UInt8(ascii: "<"), .rawText), (UInt8(ascii: "<"), .script):
      return go(.contentLess)
    case (UInt8(ascii: "&"), .data), (UInt8(ascii: "&"), .rcdata): reference = CharacterReference(isInAttribute: false)
    case (UInt8(ascii: "]"), .cdata): return go(.sectionBracket)
    case (0, .data), (0, .cdata): emit(byte, into: &sink)
    case (0, _): emit(Self.replacement, into: &sink)
    default: emit(byte, into: &sink)
    }
    return true
  }

  /// Skips bytes without a special meaning, up to one that may have one.
  private mutating func passOver(
    _ bytes: Span<UInt8>, from start: Int, into sink: inout some HTMLTokenSink
  ) -> Int {
    var at = start
    switch state {
    case .text:
      // In text that is not wanted, only a tag has a meaning.
      if !sink.wantsText, content != .cdata { return bytes.place(of: UInt8(ascii: "<"), from: at) }
      while at < bytes.count, !Self.endsText(bytes[at]) { at += 1 }
      if at > start, sink.wantsText {
        handOver(&sink)
        sink.text(bytes.extracting(start..<at))
      }
    case .tagName:
      at = Self.nameEnd(bytes, from: at)
      if at > start { tag.appendToName(bytes, start..<at) }
    case .attributeName: return passOverAttributes(bytes, from: at)
    case .doubleQuoted: return passOverValue(bytes, from: at, UInt8(ascii: "\""))
    case .singleQuoted: return passOverValue(bytes, from: at, UInt8(ascii: "'"))
    default: break
    }
    return at
  }

  /// Skips attributes in the usual form, `name="value"` with one space before the next. Nearly every attribute has it,
  /// and a byte costs a fraction there of what it costs from state to state.
  private mutating func passOverAttributes(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let quote = UInt8(ascii: "\"")
    var at = start
    while true {
      let nameStart = at
      at = Self.nameEnd(bytes, from: at)
      if at > nameStart { tag.appendToAttributeName(bytes, nameStart..<at) }
      guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "="), bytes[at + 1] == quote else { return at }
      tag.endAttributeName()
      state = .doubleQuoted
      at = passOverValue(bytes, from: at + 2, quote)
      guard at + 2 < bytes.count, bytes[at] == quote, bytes[at + 1] == UInt8(ascii: " "),
        TextBytes.isLetter(bytes[at + 2])
      else { return at }
      tag.beginAttribute()
      state = .attributeName
      at += 2
    }
  }

  private mutating func passOverValue(_ bytes: Span<UInt8>, from start: Int, _ quote: UInt8) -> Int {
    var at = start
    // Nearly every byte is greater than all that end a value.
    while at < bytes.count {
      let byte = bytes[at]
      if byte <= UInt8(ascii: "'"), Self.endsValue(byte, quote) { break }
      at += 1
    }
    if at > start { tag.appendToValue(bytes, start..<at) }
    return at
  }

  private static func nameEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < bytes.count, isOfPlainName(bytes[at]) { at += 1 }
    return at
  }

  /// True for a byte that most names consist of, and that is not changed in a name.
  private static func isOfPlainName(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10
  }

  private static func endsText(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "\r")
      || byte == 0
  }

  private static func endsValue(_ byte: UInt8, _ quote: UInt8) -> Bool {
    byte == quote || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\r") || byte == 0
  }

  // MARK: References

  mutating func beginReferenceInAttribute() -> Bool {
    reference = CharacterReference(isInAttribute: true)
    return true
  }

  private mutating func takeReference(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    guard let step = reference?.take(byte), step != .more else { return true }
    let text = reference?.text ?? []
    reference = nil
    if state == .text {
      emit(text, into: &sink)
    } else {
      for byte in text { tag.appendToValue(byte) }
    }
    return step == .ended
  }

  // MARK: Steps that the states share

  /// Continues in another state with the next byte.
  mutating func go(_ next: State) -> Bool {
    state = next
    return true
  }

  /// Continues in another state with the same byte.
  mutating func again(_ next: State) -> Bool {
    state = next
    return false
  }

  /// Passes text on; short pieces are gathered.
  mutating func emit(_ text: some Sequence<UInt8>, into sink: inout some HTMLTokenSink) {
    for byte in text { emit(byte, into: &sink) }
  }

  mutating func emit(_ byte: UInt8, into sink: inout some HTMLTokenSink) {
    guard sink.wantsText else { return }
    gathered.append(byte)
    if gathered.count >= Self.mostGathered { handOver(&sink) }
  }

  /// Passes on the gathered text.
  mutating func handOver(_ sink: inout some HTMLTokenSink) {
    guard !gathered.isEmpty else { return }
    sink.text(gathered.span)
    gathered.removeAll(keepingCapacity: true)
  }

  /// Keeps a byte of a comment or an identifier, as far as there is room.
  mutating func hold(_ byte: UInt8) {
    if held.count < Self.mostHeld { held.append(byte) }
  }

  mutating func hold(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hold(byte) }
  }
}
