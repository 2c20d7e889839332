/// Content that is not markup (raw text, scripts, titles): it ends with the end tag of its element, and nothing else in
/// it is a tag.
extension HTMLTokenizer {
  mutating func takeEndOfContent(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch state {
    case .contentLess:
      if byte == UInt8(ascii: "/") { return go(.contentEndOpen) }
      emit(UInt8(ascii: "<"), into: &sink)
      guard byte == UInt8(ascii: "!"), content == .script else { return again(.text) }
      emit(byte, into: &sink)
      return go(.escapeStart)
    case .contentEndOpen:
      held = []
      if TextBytes.isLetter(byte) { return again(.contentEndName) }
      emit("</".utf8, into: &sink)
      return again(afterOtherTag)
    default: return takeEndName(byte, into: &sink)
    }
  }

  private mutating func takeEndName(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    // At most as many bytes are held as the wanted name has.
    if TextBytes.isLetter(byte), held.count < lastStartTag.count {
      held.append(byte)
      return true
    }
    let endsName = TextBytes.isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    guard endsName, held.map(TextBytes.lowered) == lastStartTag else {
      emit("</".utf8, into: &sink)
      emit(held, into: &sink)
      return again(afterOtherTag)
    }
    tag.begin(isEnd: true)
    for letter in held { tag.appendToName(TextBytes.lowered(letter)) }
    isEscaped = false
    return again(.tagName)
  }

  /// The state that follows an end tag of another element.
  private var afterOtherTag: State { isEscaped ? .escaped : .text }

  // MARK: Scripts

  /// Takes a byte of a script after `<!--`, where `<script>` and its end tag may occur without ending the script.
  mutating func takeScript(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch state {
    case .escapeStart, .escapeStartDash:
      guard byte == UInt8(ascii: "-") else { return again(.text) }
      emit(byte, into: &sink)
      return go(state == .escapeStart ? .escapeStartDash : .escapedDashDash)
    case .escapedLess: return takeEscapedLess(byte, into: &sink)
    case .doubleEscapeStart, .doubleEscapeEnd: return takeDoubleEscape(byte, into: &sink)
    case .doubleEscapedLess:
      guard byte == UInt8(ascii: "/") else { return again(.doubleEscaped) }
      held = []
      emit(byte, into: &sink)
      return go(.doubleEscapeEnd)
    default: return takeEscaped(byte, into: &sink)
    }
  }

  private mutating func takeEscaped(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    let isDouble = state.rawValue >= State.doubleEscaped.rawValue
    let dashes =
      switch state {
      case .escapedDashDash, .doubleEscapedDashDash: 2
      case .escapedDash, .doubleEscapedDash: 1
      default: 0
      }
    if byte == UInt8(ascii: "<"), !isDouble { return go(.escapedLess) }
    if byte == 0 { emit(Self.replacement, into: &sink) } else { emit(byte, into: &sink) }
    switch byte {
    case UInt8(ascii: "<"): return go(.doubleEscapedLess)
    case UInt8(ascii: ">") where dashes == 2: return go(.text)
    case UInt8(ascii: "-") where dashes == 0: return go(isDouble ? .doubleEscapedDash : .escapedDash)
    case UInt8(ascii: "-"): return go(isDouble ? .doubleEscapedDashDash : .escapedDashDash)
    default: return go(isDouble ? .doubleEscaped : .escaped)
    }
  }

  private mutating func takeEscapedLess(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if byte == UInt8(ascii: "/") {
      isEscaped = true
      return go(.contentEndOpen)
    }
    emit(UInt8(ascii: "<"), into: &sink)
    held = []
    return again(TextBytes.isLetter(byte) ? .doubleEscapeStart : .escaped)
  }

  private mutating func takeDoubleEscape(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    let (inner, outer): (State, State) =
      state == .doubleEscapeStart ? (.doubleEscaped, .escaped) : (.escaped, .doubleEscaped)
    if TextBytes.isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
      emit(byte, into: &sink)
      return go(held.elementsEqual("script".utf8) ? inner : outer)
    }
    guard TextBytes.isLetter(byte) else { return again(outer) }
    // One byte more than the name shows that a name is longer.
    if held.count <= "script".utf8.count { held.append(TextBytes.lowered(byte)) }
    emit(byte, into: &sink)
    return true
  }

  // MARK: Sections

  /// Takes a byte of `<![CDATA[…]]>` after a bracket.
  mutating func takeSection(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if state == .sectionBracket {
      if byte == UInt8(ascii: "]") { return go(.sectionEnd) }
      emit(UInt8(ascii: "]"), into: &sink)
      return again(.text)
    }
    switch byte {
    case UInt8(ascii: "]"):
      emit(byte, into: &sink)
      return true
    case UInt8(ascii: ">"):
      content = .data
      return go(.text)
    default:
      emit("]]".utf8, into: &sink)
      return again(.text)
    }
  }
}
