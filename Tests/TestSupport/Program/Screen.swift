/// The final contents of a terminal that was given all of the output, as far as the program uses one.
///
/// A character is a cell, and nothing scrolls away. Unknown output is shown as `�`, so that a test notices.
package struct Screen {
  private let columns: Int
  private var lines: [[Character]] = [[]]
  private var row = 0
  private var column = 0
  /// True if text was coloured or made bold at some time.
  package private(set) var hasColour = false

  package init(_ bytes: [UInt8], columns: Int = 80) {
    self.columns = columns
    var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = text.popFirst() {
      switch scalar {
      case "\n": down()
      case "\r": column = 0
      case "\u{1B}" where text.first == "[": obey(&text)
      default: put(Character(scalar))
      }
    }
  }

  /// The lines that hold something, without the blanks at their ends.
  package var text: [String] {
    lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }.filter { !$0.isEmpty }
  }

  private mutating func down() {
    row += 1
    while lines.count <= row { lines.append([]) }
  }

  private mutating func put(_ character: Character) {
    // As terminals do, the line breaks only with the next character.
    if column == columns {
      column = 0
      down()
    }
    while lines[row].count <= column { lines[row].append(" ") }
    lines[row][column] = character < " " ? "\u{FFFD}" : character
    column += 1
  }

  private mutating func obey(_ text: inout ArraySlice<Unicode.Scalar>) {
    text.removeFirst()
    var number = 0
    while let scalar = text.popFirst() {
      if let digit = Character(scalar).wholeNumberValue, scalar.isASCII {
        number = number * 10 + digit
        continue
      }
      switch scalar {
      case ";": number = 0
      case "m":
        hasColour = true
        return
      case "A":
        row = max(0, row - max(1, number))
        return
      case "K":
        lines[row] = Array(lines[row].prefix(column))
        return
      case "J":
        lines = Array(lines.prefix(row + 1))
        lines[row] = Array(lines[row].prefix(column))
        return
      default:
        put("\u{FFFD}")
        return
      }
    }
  }
}
