/// Reads the HTML of a page, or a piece of it in another text.
struct HTMLSource: SourceParser {
  private var tokenizer = HTMLTokenizer()
  private(set) var images: HTMLImages

  /// - Parameter isXML: True for a page that is written as XML.
  init(isXML: Bool = false) { images = HTMLImages(isXML: isXML) }

  mutating func feed(_ text: Span<UInt8>) { tokenizer.feed(text, into: &images) }

  mutating func finish() {
    tokenizer.finish(into: &images)
    images.finish()
  }

  mutating func takeFindings() -> [SourceFinding] { images.takeFound() }

  /// Returns the findings in a piece of HTML.
  static func findings(in markup: [UInt8]) -> [SourceFinding] {
    var html = HTMLSource()
    html.feed(markup.span)
    html.finish()
    return html.takeFindings()
  }
}
