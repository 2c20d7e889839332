/// The address and the title of a picture, a link or a definition of Markdown.
struct MarkdownTarget {
  /// The address as it is written.
  let reference: ArraySlice<UInt8>
  private var writtenTitle: ArraySlice<UInt8>?
  /// The place behind it, and behind the blanks that follow.
  private(set) var end: Int

  var address: [UInt8] { Self.plain(reference) }
  var title: [UInt8]? { writtenTitle.flatMap { TextBytes.words(Self.plain($0)[...]) } }

  /// Reads what begins here, behind blanks; nil if it is no address.
  init?(_ text: ArraySlice<UInt8>) {
    let text = text.drop(while: TextBytes.isSpace)
    guard let (reference, behind) = Self.reference(text) else { return nil }
    self.reference = reference
    end = text[behind...].drop(while: TextBytes.isSpace).startIndex
    if let title = Self.title(text[end...]) {
      writtenTitle = title
      end = text[(title.endIndex + 1)...].drop(while: TextBytes.isSpace).startIndex
    }
  }

  /// The address at the beginning of a text, and the place behind it; parentheses in it are balanced.
  private static func reference(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, behind: Int)? {
    if text.first == UInt8(ascii: "<") {
      let rest = text.dropFirst()
      guard let end = place(in: rest, where: { ">\n<".utf8.contains($0) }), text[end] == UInt8(ascii: ">") else {
        return nil
      }
      return (rest[..<end], end + 1)
    }
    var depth = 0
    let end = place(in: text) { byte in
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      // The most that Markdown's specification asks for, and the reason why links in links cost no more than this.
      return depth < 0 || depth > 32 || TextBytes.isSpace(byte)
    }
    return depth > 32 ? nil : (text[..<(end ?? text.endIndex)], end ?? text.endIndex)
  }

  /// The title in quotation marks or parentheses at the beginning of a text.
  private static func title(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let open = text.first, "\"'(".utf8.contains(open) else { return nil }
    let close = open == UInt8(ascii: "(") ? UInt8(ascii: ")") : open
    // Titles in parentheses that never end would each be read to the end of the text, if another could begin in them.
    guard let end = place(in: text.dropFirst(), where: { $0 == close || $0 == open }), text[end] == close else {
      return nil
    }
    return text[(text.startIndex + 1)..<end]
  }

  /// The place of the first byte of a kind that is not escaped.
  private static func place(in text: ArraySlice<UInt8>, where isWanted: (UInt8) -> Bool) -> Int? {
    var at = text.startIndex
    while at < text.endIndex {
      if text[at] == UInt8(ascii: "\\"), at + 1 < text.endIndex, isPunctuation(text[at + 1]) {
        at += 2
      } else if isWanted(text[at]) {
        return at
      } else {
        at += 1
      }
    }
    return nil
  }

  // MARK: Characters

  /// Returns a text with what its references and escapes stand for.
  static func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard text.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "\\") }) else { return Array(text) }
    var plain: [UInt8] = []
    var at = text.startIndex
    while at < text.endIndex { appendCharacter(of: text, &at, to: &plain) }
    return plain
  }

  /// Appends the byte at a place, or what the reference or the escape there stands for, and passes it.
  private static func appendCharacter(of text: ArraySlice<UInt8>, _ at: inout Int, to result: inout [UInt8]) {
    if text[at] == UInt8(ascii: "&"), let end = endOfReference(text, at) {
      // In attributes a name without a semicolon is none either, if more follows.
      var reference = CharacterReference(isInAttribute: true)
      var step = CharacterReference.Step.more
      at += 1
      while at < end, case .more = step {
        step = reference.take(text[at])
        if case .endedBefore = step { break }
        at += 1
      }
      if case .more = step { reference.finish() }
      result += reference.text
      return
    }
    if text[at] == UInt8(ascii: "\\"), at + 1 < text.endIndex, isPunctuation(text[at + 1]) { at += 1 }
    result.append(text[at])
    at += 1
  }

  private static let longestReference = 33

  /// The place behind the semicolon of a reference that begins here, or nil if none does.
  private static func endOfReference(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    let name = text[(start + 1)...].prefix(longestReference).prefix {
      TextBytes.isLetter($0) || TextBytes.isDigit($0) || $0 == UInt8(ascii: "#")
    }
    guard !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: ";") else { return nil }
    return name.endIndex + 1
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !TextBytes.isLetter(byte) && !TextBytes.isDigit(byte)
  }
}
