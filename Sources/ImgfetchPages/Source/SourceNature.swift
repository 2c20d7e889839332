import ImgfetchCore

/// The kind of a source, as its text says by itself.
package enum SourceNature: Sendable, Equatable {
  case html, xml, json, css, markdown, text
  /// HTML that is written as XML, where each tag can end its element itself.
  case xhtml
  /// JSON Lines: an object a line.
  case records
  /// A table with this byte between its fields.
  case table(separator: UInt8)

  /// The number of bytes of a text that tell, or all of it where there is less.
  static let wanted = 4_096

  /// - Parameters:
  ///   - beginning: The beginning of the text, in UTF-8.
  ///   - ending: What the name of the source ends in (`md`), which decides between kinds of plain text, and between
  ///     HTML and Markdown that begins with HTML. `html` or `xhtml` where a server says so.
  ///   - column: The column of a table that is asked for, or nil.
  init(_ beginning: [UInt8], ending: String?, column: [UInt8]? = nil) {
    let text = beginning[...].drop { $0 <= 0x20 }
    if text.first == UInt8(ascii: "<") {
      self = Self.markup(text, ending)
    } else if Self.isJSON(text) {
      self = ending == "jsonl" || ending == "ndjson" || Self.isRecords(text) ? .records : .json
    } else if Self.isPage(ending), Self.hasTag(text) {
      self = .html
    } else if ending == "css" || Self.isCSS(text) {
      self = .css
    } else if let separator = Self.separator(of: text, ending, column) {
      self = .table(separator: separator)
    } else {
      self = Self.isMarkdownFile(ending) || Self.isMarkdown(text) ? .markdown : .text
    }
  }

  private static let feeds: Set<String> = ["rss", "feed", "rdf", "urlset", "sitemapindex", "opml", "smil", "channel"]

  /// The elements that a piece of HTML may begin with, where it has no `html` of its own.
  private static let elements: Set<String> = [
    "a", "abbr", "address", "area", "article", "aside", "audio", "b", "base", "big", "blockquote", "body", "br",
    "button", "canvas", "center", "cite", "code", "del", "details", "dialog", "div", "dl", "dt", "em", "embed",
    "fieldset", "figure", "font", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
    "hgroup", "hr", "i", "iframe", "img", "input", "ins", "label", "li", "link", "main", "map", "mark", "meta", "nav",
    "noscript", "object", "ol", "p", "picture", "pre", "q", "s", "script", "section", "select", "small", "span",
    "strike", "strong", "style", "sub", "summary", "sup", "table", "tbody", "td", "template", "th", "thead", "title",
    "tr", "tt", "u", "ul", "video",
  ]

  private static func isMarkdownFile(_ ending: String?) -> Bool { ending == "md" || ending == "markdown" }

  private static func isPage(_ ending: String?) -> Bool { ending == "html" || ending == "htm" || ending == "xhtml" }

  private static func hasTag(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.contains {
      text[$0] == UInt8(ascii: "<") && $0 + 1 < text.endIndex && TextBytes.isLetter(text[$0 + 1])
    }
  }

  private static func markup(_ text: ArraySlice<UInt8>, _ ending: String?) -> SourceNature {
    let root = String(decoding: MarkupRoot.name(of: text), as: UTF8.self)
    if feeds.contains(root) { return .xml }
    if ending == "xhtml", root == "html" { return .xhtml }
    if text.starts(with: "<?xml".utf8) { return root != "html" ? .xml : isPage(ending) ? .html : .xhtml }
    let isDocument = root == "html" || text.prefix(9).map(TextBytes.lowered).starts(with: "<!doctype".utf8)
    if isDocument || isPage(ending) { return .html }
    // Many texts called README.md begin with a logo in HTML.
    if isMarkdownFile(ending) { return .markdown }
    if text.starts(with: "<!".utf8) || elements.contains(root) { return .html }
    // An autolink may begin a Markdown text.
    return isMarkdown(text) ? .markdown : .html
  }

  /// A bracket, and behind it what JSON can have there: Markdown begins a line with one, too.
  private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, let second = text.dropFirst().first(where: { $0 > 0x20 }) else { return false }
    switch first {
    case UInt8(ascii: "{"): return second == UInt8(ascii: "\"") || second == UInt8(ascii: "}")
    case UInt8(ascii: "["): return "\"[]{-0123456789".utf8.contains(second) || isLiteral(text.dropFirst())
    default: return false
    }
  }

  /// True for a line that is an object, and the beginning of another one.
  private static func isRecords(_ text: ArraySlice<UInt8>) -> Bool {
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard lines.count == 2, lines[0].first == UInt8(ascii: "{") else { return false }
    return TextBytes.trimmed(lines[0]).last == UInt8(ascii: "}") && lines[1].first == UInt8(ascii: "{")
  }

  private static func isLiteral(_ text: ArraySlice<UInt8>) -> Bool {
    let rest = text.drop { $0 <= 0x20 }
    return ["true", "false", "null"].contains { word in
      rest.starts(with: word.utf8)
        && rest.dropFirst(word.utf8.count).first.map { ",] \n\r\t".utf8.contains($0) } ?? true
    }
  }

  /// A rule: a selector, and declarations in braces.
  private static func isCSS(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while rest.starts(with: "/*".utf8) {
      var end = rest.startIndex + 2
      while end + 1 < rest.endIndex, rest[end] != UInt8(ascii: "*") || rest[end + 1] != UInt8(ascii: "/") { end += 1 }
      guard end + 1 < rest.endIndex else { return true }
      rest = rest[(end + 2)...].drop { $0 <= 0x20 }
    }
    let rules = ["@charset", "@import", "@media", "@font-face", "@namespace", "@supports", "@layer", "@keyframes"]
    if rules.contains(where: { rest.starts(with: $0.utf8) }) { return true }
    guard let open = rest.firstIndex(of: UInt8(ascii: "{")), open > rest.startIndex else { return false }
    let selector = rest[..<open]
    let body = rest[(open + 1)...].prefix { $0 != UInt8(ascii: "}") }
    let hasBrackets = selector.contains(UInt8(ascii: "[")) && selector.contains(UInt8(ascii: "("))
    return selector.count < 1_000 && !hasBrackets && !selector.contains(UInt8(ascii: ";"))
      && !TextImages.addresses(in: selector).contains { !$0.isEmpty } && body.contains(UInt8(ascii: ":"))
      && !body.contains(UInt8(ascii: "{"))
  }

  /// The byte between the fields of a table: its name says that it is one, its first line names a column of addresses,
  /// or its second line has one.
  private static func separator(of text: ArraySlice<UInt8>, _ ending: String?, _ column: [UInt8]?) -> UInt8? {
    let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: true)
    guard let header = lines.first, TextImages.addresses(in: header).isEmpty else { return nil }
    let wanted = [Array("url".utf8), (column ?? []).map(TextBytes.lowered)]
    let separators = [UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: ";")].filter { header.contains($0) }
    for separator in separators {
      let names = cells(header, separator).map { $0.map(TextBytes.lowered) }
      if names.contains(where: { !$0.isEmpty && wanted.contains($0) }) { return separator }
      guard lines.count > 1 else { continue }
      let record = cells(lines[1], separator)
      if record.count == names.count, record.contains(where: { TextImages.address($0[...], at: 0) != nil }) {
        return separator
      }
    }
    if ending == "csv" || ending == "tsv", let separator = separators.first { return separator }
    let alone = cells(header, 0).map { $0.map(TextBytes.lowered) }
    return alone == [wanted[0]] || column != nil && alone == [wanted[1]] ? UInt8(ascii: ",") : nil
  }

  private static func cells(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [[UInt8]] {
    line.split(separator: separator, omittingEmptySubsequences: false).map { cell in
      Array(TextBytes.trimmed(cell).filter { $0 != UInt8(ascii: "\"") })
    }
  }

  /// A picture, a link or a heading as Markdown writes them.
  private static func isMarkdown(_ text: ArraySlice<UInt8>) -> Bool {
    var previous: UInt8 = UInt8(ascii: "\n")
    var before: UInt8 = 0
    for (index, byte) in zip(text.indices, text) {
      switch (previous, byte) {
      case (UInt8(ascii: "]"), UInt8(ascii: "(")), (UInt8(ascii: "!"), UInt8(ascii: "[")): return true
      case (UInt8(ascii: "]"), UInt8(ascii: ":")) where before != UInt8(ascii: "\""): return true
      case (UInt8(ascii: "\n"), UInt8(ascii: "#")):
        let marks = text[index...].prefix { $0 == UInt8(ascii: "#") }
        if marks.count < 7, marks.endIndex < text.endIndex, text[marks.endIndex] == UInt8(ascii: " "),
          isHeading(text[marks.endIndex...])
        {
          return true
        }
      default: break
      }
      (before, previous) = (previous, byte)
    }
    return false
  }

  /// Comments of a list begin with a number sign, too.
  private static func isHeading(_ text: ArraySlice<UInt8>) -> Bool {
    let next = text.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
    return next.first == UInt8(ascii: "\n") || next.starts(with: "\r\n".utf8)
  }
}
