import ImgfetchCore

/// Reads a source while its bytes arrive, whatever its kind: a pure value, whose memory does not grow with the source.
package struct SourceReader: Sendable {
  private enum Parser: Sendable {
    case html(HTMLTokenizer, HTMLImages)
    case xml(FeedImages)
    case json(JSONSource)
    case css(CSSImages)
    case markdown(MarkdownImages)
    case table(TableImages)
    case records(RecordImages)
    case text(TextImages)
  }

  private var decoder: TextDecoder
  private let ending: String?
  private let column: [UInt8]?
  /// True if the text begins as markup does, so that it may name its encoding. Nil until something has come.
  private var isMarkup: Bool?
  /// The beginning, until the kind is known.
  private var beginning: [UInt8] = []
  private var parser: Parser?
  private var found: [SourceFinding] = []
  /// The number of pictures that were left out, since their addresses have characters of an encoding that is not read.
  package private(set) var unreadable = 0
  /// The kind, once it is known.
  package private(set) var nature: SourceNature?

  /// - Parameters:
  ///   - label: The encoding that a header names, or nil if it names none.
  ///   - ending: What the name of the source ends in, which decides between kinds of plain text.
  ///   - column: The column of a table that holds the addresses, or nil for the usual one.
  package init(label: [UInt8]? = nil, ending: String? = nil, column: [UInt8]? = nil) {
    decoder = TextDecoder(label: label)
    self.ending = ending
    self.column = column
  }

  package mutating func feed(_ bytes: Span<UInt8>) {
    var text: [UInt8] = []
    if isMarkup == nil {
      for index in bytes.indices where bytes[index] > 0x20 && bytes[index] < 0x80 {
        isMarkup = bytes[index] == UInt8(ascii: "<")
        break
      }
    }
    decoder.decode(bytes, isMarkup: isMarkup ?? false, into: &text)
    take(text)
  }

  package mutating func finish() {
    var text: [UInt8] = []
    decoder.finish(isMarkup: isMarkup ?? false, into: &text)
    take(text)
    if parser == nil { begin() }
    parse(Span(), isLast: true)
  }

  package mutating func takeFound() -> [SourceFinding] { exchange(&found, with: []) }

  /// The reason why the source cannot be read to its end, or nil if it can. Known once it has ended.
  package var fault: String? {
    switch parser {
    case .xml(let feed)?: feed.fault.map { "its XML has \($0)" }
    case .json(let json)? where json.hasFailed: "its JSON cannot be read to the end"
    case .records(let records)? where records.hasFailed: "its JSON cannot be read to the end"
    case .json(let json)? where json.isInValue: "its JSON has no end"
    case .records(let records)? where records.isInValue: "its JSON has no end"
    default: nil
    }
  }

  /// The reason why nothing can be taken from a table, or nil.
  package var tableFlaw: TableFlaw? {
    if case .table(let table)? = parser { table.flaw } else { nil }
  }

  /// The number of definitions in Markdown, and of pictures that wait for one, for which there was no room.
  package var passedOver: Int { if case .markdown(let markdown)? = parser { markdown.passedOver } else { 0 } }

  /// True for a text in two bytes a character, as far as its header says.
  package var isWide: Bool { decoder.isWide }

  /// True for a page that has next to nothing but scripts.
  package var isFilledByScripts: Bool {
    if case .html(_, let html)? = parser { html.isFilledByScripts } else { false }
  }

  private mutating func take(_ text: [UInt8]) {
    if parser != nil { return parse(text.span) }
    beginning += text
    if beginning.count >= SourceNature.wanted { begin() }
  }

  private mutating func begin() {
    let nature = SourceNature(beginning, ending: ending, column: column)
    self.nature = nature
    parser =
      switch nature {
      case .html: .html(HTMLTokenizer(), HTMLImages())
      case .xhtml: .html(HTMLTokenizer(), HTMLImages(isXML: true))
      case .xml: .xml(FeedImages())
      case .json: .json(JSONSource(beginning))
      case .css: .css(CSSImages())
      case .markdown: .markdown(MarkdownImages())
      case .table(let separator): .table(TableImages(separator: separator, column: column))
      case .records: .records(RecordImages(column: column))
      case .text: .text(TextImages())
      }
    let text = beginning
    beginning = []
    // XML wants nothing before its root but what it knows.
    let start = nature == .xml ? text.firstIndex { $0 > 0x20 } ?? 0 : 0
    parse(text.span.extracting(start..<text.count))
  }

  private mutating func parse(_ text: Span<UInt8>, isLast: Bool = false) {
    // Taken out while it works, or it would be copied.
    guard let current = parser.take() else { return }
    switch consume current {
    case .html(var tokenizer, var html):
      tokenizer.feed(text, into: &html)
      if isLast {
        tokenizer.finish(into: &html)
        html.finish()
      }
      add(html.takeFound())
      parser = .html(tokenizer, html)
    case .xml(var feed):
      feed.feed(text)
      if isLast { feed.finish() }
      add(feed.takeFound())
      parser = .xml(feed)
    case .json(var json):
      json.feed(text)
      if isLast { json.finish() }
      found += json.takeFound()
      parser = .json(json)
    case .css(var css):
      css.feed(text)
      if isLast { css.finish() }
      add(css.takeFound())
      parser = .css(css)
    case .markdown(var markdown):
      markdown.feed(text)
      if isLast { markdown.finish() }
      add(markdown.takeFound())
      parser = .markdown(markdown)
    case .table(var table):
      table.feed(text)
      if isLast { table.finish() }
      add(table.takeFound())
      parser = .table(table)
    case .records(var records):
      records.feed(text)
      if isLast { records.finish() }
      add(records.takeFound())
      parser = .records(records)
    case .text(var plain):
      plain.feed(text)
      if isLast { plain.finish() }
      add(plain.takeFound())
      parser = .text(plain)
    }
  }

  private mutating func add(_ images: [PageImage]) {
    for image in images { add(image) }
  }

  private mutating func add(_ image: PageImage) {
    guard decoder.isOfASCII else { return found.append(.image(image)) }
    var image = image
    image.candidates.removeAll { TextBytes.hasReplacement($0.reference) }
    if image.candidates.isEmpty { unreadable += 1 } else { found.append(.image(image)) }
  }

  private mutating func add(_ findings: [HTMLImages.Found]) {
    let queries = decoder.queries
    for finding in findings {
      switch finding {
      case .image(var image):
        // Addresses in a style sheet are UTF-8 throughout.
        if let queries, image.kind != .style {
          for at in image.candidates.indices {
            image.candidates[at].reference = queries.encoded(image.candidates[at].reference)
          }
        }
        add(image)
      case .base(let base): found.append(.base(base))
      }
    }
  }

  private mutating func add(_ findings: [FeedImages.Found]) {
    for finding in findings {
      switch finding {
      case .image(let image): add(image)
      case .beginBase(let base): found.append(.beginBase(base))
      case .endBase: found.append(.endBase)
      case .map(let map): found.append(.source(map))
      }
    }
  }
}
