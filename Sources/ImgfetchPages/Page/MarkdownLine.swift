/// A line of Markdown behind the marks of what is around it. A TAB leads to the next of every four columns.
struct MarkdownLine {
  /// The text without the blanks before it.
  private(set) var text: ArraySlice<UInt8>
  /// The columns between the last mark and the text.
  private(set) var indent = 0
  /// The column of the text in the whole line.
  private var column = 0

  init(_ line: ArraySlice<UInt8>) {
    text = line
    passBlanks()
  }

  /// Passes columns before the text.
  mutating func passIndent(_ columns: Int) { indent -= columns }

  /// Passes a mark at the beginning of the text, with the blanks before it.
  mutating func passMark(_ length: Int) {
    text = text.dropFirst(length)
    column += length
    passBlanks()
  }

  private mutating func passBlanks() {
    let start = column
    var end = text.startIndex
    while end < text.endIndex, text[end] == UInt8(ascii: " ") || text[end] == UInt8(ascii: "\t") {
      column += text[end] == UInt8(ascii: "\t") ? 4 - column % 4 : 1
      end += 1
    }
    text = text[end...]
    indent = column - start
  }

  // MARK: Kinds of lines

  /// True for a line of code, unless it continues a paragraph.
  var isIndentedCode: Bool { indent >= 4 }

  /// The mark that begins a block of code here; nil if none does. Behind marks of the usual kind another one makes them
  /// code within a line.
  var fence: (mark: UInt8, count: Int)? {
    guard indent < 4, let mark = text.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    let count = text.prefix { $0 == mark }.count
    guard count >= 3, mark == UInt8(ascii: "~") || !text.dropFirst(count).contains(mark) else { return nil }
    return (mark, count)
  }

  /// True for the line that ends such a block.
  func ends(_ fence: (mark: UInt8, count: Int)) -> Bool {
    let count = text.prefix { $0 == fence.mark }.count
    return indent < 4 && count >= fence.count && text.dropFirst(count).allSatisfy(TextBytes.isSpace)
  }

  var isHeading: Bool {
    indent < 4 && text.first == UInt8(ascii: "#")
      && text.drop { $0 == UInt8(ascii: "#") }.first.map(TextBytes.isSpace) ?? true
  }

  /// True for a line of nothing but marks: a rule, or what makes a heading of the line before.
  var isRule: Bool {
    indent < 4 && !text.isEmpty && text.allSatisfy { TextBytes.isSpace($0) || "-=*_".utf8.contains($0) }
  }
}
