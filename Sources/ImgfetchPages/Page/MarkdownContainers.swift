/// The quotes and the items of lists that are open around a line of Markdown, as CommonMark has them.
///
/// They decide what is code: in an item a paragraph is as far from the margin as code is elsewhere.
struct MarkdownContainers: Sendable {
  private enum Container: Sendable {
    case quote
    /// An item, whose lines begin behind so many columns.
    case item(columns: Int)
  }

  private var open: [Container] = []
  private static let most = 64

  /// The number of those that are open.
  var count: Int { open.count }

  /// Passes the marks of those that the line continues, and returns their number.
  func match(_ line: inout MarkdownLine) -> Int {
    for (place, container) in open.enumerated() {
      switch container {
      case .quote:
        guard line.indent < 4, line.text.first == UInt8(ascii: ">") else { return place }
        Self.passQuote(&line)
      case .item(let columns):
        // A blank line ends no item.
        if line.text.isEmpty { continue }
        guard line.indent >= columns else { return place }
        line.passIndent(columns)
      }
    }
    return open.count
  }

  /// Closes all but the outer ones.
  mutating func close(behind count: Int) { open.removeSubrange(count...) }

  /// Opens those that begin in a line, behind those that it continues. Returns false if there are none.
  mutating func begin(in line: inout MarkdownLine, behind matched: Int, isInParagraph: Bool) -> Bool {
    var hasBegun = false
    while line.indent < 4, matched < Self.most, !hasBegun || open.count < Self.most {
      let interrupts = isInParagraph && matched == open.count && !hasBegun
      guard let container = Self.take(&line, interrupts: interrupts) else { break }
      if !hasBegun { close(behind: matched) }
      hasBegun = true
      open.append(container)
    }
    return hasBegun
  }

  private static func take(_ line: inout MarkdownLine, interrupts: Bool) -> Container? {
    if line.text.first == UInt8(ascii: ">") {
      passQuote(&line)
      return .quote
    }
    guard let length = lengthOfMark(line.text, interrupts: interrupts) else { return nil }
    let columns = line.indent + length
    line.passMark(length)
    // The blanks belong to the mark, but those before code do not.
    guard !line.text.isEmpty, line.indent <= 4 else {
      line.passIndent(min(1, line.indent))
      return .item(columns: columns + 1)
    }
    defer { line.passIndent(line.indent) }
    return .item(columns: columns + line.indent)
  }

  private static func passQuote(_ line: inout MarkdownLine) {
    line.passMark(1)
    line.passIndent(min(1, line.indent))
  }

  /// The length of the mark of an item, or nil if none begins here. A paragraph is interrupted only by one with a text
  /// that is the first of its list.
  private static func lengthOfMark(_ text: ArraySlice<UInt8>, interrupts: Bool) -> Int? {
    guard let first = text.first else { return nil }
    var length = 1
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"): if isRule(text, of: first) { return nil }
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let digits = text.prefix(10).prefix(while: TextBytes.isDigit)
      guard digits.count < 10, let end = text[digits.endIndex...].first,
        end == UInt8(ascii: ".") || end == UInt8(ascii: ")"), !interrupts || digits.elementsEqual("1".utf8)
      else { return nil }
      length += digits.count
    default: return nil
    }
    let rest = text.dropFirst(length)
    guard rest.first.map(TextBytes.isSpace) ?? true else { return nil }
    return interrupts && rest.allSatisfy(TextBytes.isSpace) ? nil : length
  }

  /// True for a rule across the page.
  private static func isRule(_ text: ArraySlice<UInt8>, of mark: UInt8) -> Bool {
    var marks = 0
    for byte in text {
      if byte == mark { marks += 1 } else if !TextBytes.isSpace(byte) { return false }
    }
    return marks >= 3
  }
}
