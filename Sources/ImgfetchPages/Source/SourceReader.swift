import ImgfetchCore

/// Reads a source while its bytes arrive, whatever its kind: a pure value, whose memory does not grow with the source.
package struct SourceReader: Sendable {
  private var decoder: TextDecoder
  private let ending: String?
  private let column: [UInt8]?
  /// True if the text begins as markup does, so that it may name its encoding. Nil until something has come.
  private var isMarkup: Bool?
  /// The beginning, until the kind is known.
  private var beginning: [UInt8] = []
  private var parser: (any SourceParser)?
  private var found: [SourceFinding] = []
  /// The number of pictures that were left out, since their addresses have characters of an encoding that is not read.
  package private(set) var unreadable = 0
  /// The kind, once it is known.
  package private(set) var nature: SourceNature?
  /// True for a message in MIME: an e-mail, or a page that a browser saved as one file. Its parts are not decoded.
  package private(set) var isMessage = false

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
  package var fault: String? { parser?.fault }

  /// The reason why nothing can be taken from a table, or nil.
  package var tableFlaw: TableFlaw? { (parser as? TableImages)?.flaw }

  /// The number of definitions in Markdown, and of pictures that wait for one, for which there was no room.
  package var passedOver: Int { (parser as? MarkdownImages)?.passedOver ?? 0 }

  /// True for a text in two bytes a character, as far as its header says.
  package var isWide: Bool { decoder.isWide }

  /// True for a page that has next to nothing but scripts.
  package var isFilledByScripts: Bool { (parser as? HTMLSource)?.images.isFilledByScripts ?? false }

  private mutating func take(_ text: [UInt8]) {
    if parser != nil { return parse(text.span) }
    beginning += text
    if beginning.count >= SourceNature.wanted { begin() }
  }

  private mutating func begin() {
    let nature = SourceNature(beginning, ending: ending, column: column)
    self.nature = nature
    isMessage = MessageHead.begins(beginning)
    parser =
      switch nature {
      case .html: HTMLSource()
      case .xhtml: HTMLSource(isXML: true)
      case .xml: FeedImages()
      case .json: JSONSource(beginning)
      case .css: CSSImages()
      case .markdown: MarkdownImages()
      case .table(let separator): TableImages(separator: separator, column: column)
      case .records: RecordImages(column: column)
      case .text: TextImages()
      }
    let text = beginning
    beginning = []
    // XML wants nothing before its root but what it knows.
    let start = nature == .xml ? text.firstIndex { $0 > 0x20 } ?? 0 : 0
    parse(text.span.extracting(start..<text.count))
  }

  private mutating func parse(_ text: Span<UInt8>, isLast: Bool = false) {
    parser?.feed(text)
    if isLast { parser?.finish() }
    let findings = parser?.takeFindings() ?? []
    // Nearly all texts are UTF-8, whose findings stay as they are.
    guard decoder.queries != nil || decoder.isOfASCII else {
      if found.isEmpty { found = findings } else { found += findings }
      return
    }
    for finding in findings { add(finding) }
  }

  private mutating func add(_ finding: SourceFinding) {
    guard case .image(var image) = finding else { return found.append(finding) }
    // Addresses in a style sheet are UTF-8 throughout.
    if nature == .html || nature == .xhtml, image.kind != .style, let queries = decoder.queries {
      for at in image.candidates.indices {
        image.candidates[at].reference = queries.encoded(image.candidates[at].reference)
      }
    }
    if decoder.isOfASCII, nature != .json {
      image.candidates.removeAll { TextBytes.hasReplacement($0.reference) }
      if image.candidates.isEmpty { return unreadable += 1 }
    }
    found.append(.image(image))
  }
}
