import ImgfetchCore

/// Takes the text out of a piece of HTML, for those that describe a picture.
struct PlainText: HTMLTokenSink {
  private var text: [UInt8] = []

  /// Returns the text of a piece of HTML without its tags, up to the length of a description.
  static func of(_ markup: [UInt8]) -> [UInt8] {
    var sink = PlainText()
    var tokenizer = HTMLTokenizer()
    tokenizer.feed(markup.span, into: &sink)
    tokenizer.finish(into: &sink)
    return sink.text
  }

  var wantsText: Bool { text.count < TextBytes.longestCaption }
  var hasSections: Bool { false }

  /// Ends a word at a paragraph, a break, or any other tag except those that occur within words.
  mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent {
    endWord(before: tag)
    return tag.isNamed("script") ? .script : .data
  }

  mutating func endTag(_ tag: borrowing HTMLTag) { endWord(before: tag) }

  mutating func text(_ bytes: Span<UInt8>) {
    if wantsText { text.append(copying: bytes) }
  }

  mutating func comment(_ bytes: Span<UInt8>) {}
  mutating func doctype(_ doctype: HTMLDoctype) {}

  private mutating func endWord(before tag: borrowing HTMLTag) {
    let name = String(decoding: tag.name, as: UTF8.self)
    if wantsText, !Self.withinWords.contains(name) { text.append(UInt8(ascii: " ")) }
  }

  private static let withinWords: Set<String> = ["a", "abbr", "b", "em", "i", "q", "s", "small", "span", "strong", "u"]
}
