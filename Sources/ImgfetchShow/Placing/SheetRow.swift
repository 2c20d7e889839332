import ImgfetchCore

/// A row of a contact sheet: pictures side by side, and their names below. A pure value.
///
/// Pictures come in any order. The cursor stays at the beginning of the line below, and each text leaves it there, with
/// the usual colours, as that of ``PlacedPicture`` does.
package struct SheetRow: ScreenPlace {
  /// Lines of the same width in the cell of a picture.
  private struct Block {
    let column: Int
    let row: Int
    let width: Int
    let lines: [[UInt8]]
  }

  private enum Content {
    case waiting
    /// Text, or a picture made of text.
    case text(Block)
    case graphic(PixelBuffer, PictureBox)
  }

  private struct Cell {
    let name: PictureLine
    var content = Content.waiting
    /// The bytes that the terminal must get once, before the text.
    var transmission: [UInt8] = []
    var isDrawn = false
  }

  private let layout: SheetLayout
  private let painter: PicturePainter
  private var cells: [Cell]
  /// The number of the row's first picture in the sheet.
  private let first: Int
  /// The widths of the lines that are there; empty if none are.
  private var widths: [Int] = []
  private var absences = 0

  /// - Parameters:
  ///   - names: The names of its pictures, each within the columns of a picture.
  ///   - first: The number of its first picture in the sheet.
  package init(
    _ layout: SheetLayout, _ painter: PicturePainter, names: [PictureLine], first: Int = 0, absences: Int = 0
  ) {
    self.layout = layout
    self.painter = painter
    self.first = first
    self.absences = absences
    cells = names.map { Cell(name: $0) }
  }

  /// The room for a picture.
  package func box(_ image: PixelSize) -> PictureBox {
    PictureBox(image, columns: layout.columns, rows: layout.rows, cell: painter.cell)
  }

  /// Takes the picture for a place, made for its box. It stands in the middle, just above its name.
  package mutating func fill(_ place: Int, _ picture: PixelBuffer, _ box: PictureBox) {
    guard painter.isText else {
      cells[place].content = .graphic(picture, box)
      return
    }
    let number = painter.sheetNumber(first + place)
    cells[place].transmission = painter.transmission(picture, box, number: number)
    let lines = painter.lines(picture, box, number: number).split(separator: 10).map { Array($0) }
    cells[place].content = .text(
      Block(
        column: (layout.columns - box.columns) / 2, row: max(0, layout.rows - lines.count), width: box.columns,
        lines: lines))
  }

  /// Takes the reason why there is no picture for a place.
  package mutating func fail(_ place: Int, _ reason: PictureLine) {
    cells[place].content = .text(
      Block(
        column: (layout.columns - reason.width) / 2, row: layout.rows / 2, width: reason.width,
        lines: [Array(reason.text.utf8)]))
  }

  package mutating func note(absences: Int) {
    if self.absences == absences { return }
    self.absences = absences
    widths = []
    for place in cells.indices { cells[place].isDrawn = false }
  }

  /// True if the cursor can go back to its first line: a window of `rows` rows has all of it.
  package func canBeReplaced(inRows rows: Int) -> Bool { layout.height < rows }

  /// The text that draws what has come since the last one, with everything else if nothing is there.
  /// - Parameter columns: The width of the window now.
  package mutating func text(columns: Int) -> [UInt8] { painter.isText ? textOfText(columns) : textOfGraphics(columns) }

  // MARK: - Text

  private mutating func textOfText(_ columns: Int) -> [UInt8] {
    var text = cells.flatMap(\.transmission)
    let up = rows(inColumns: columns)
    if up > 0 { text.append(contentsOf: "\u{1B}[\(up)A\r".utf8) }
    widths = []
    for row in 0..<layout.rows { append(blocks(ofRow: row), to: &text) }
    if layout.hasNames { append(names, to: &text) }
    for place in cells.indices {
      cells[place].transmission = []
      cells[place].isDrawn = true
    }
    return text
  }

  private typealias Piece = (column: Int, width: Int, text: [UInt8])

  private func blocks(ofRow row: Int) -> [Piece] {
    cells.indices.compactMap { place in
      guard case .text(let block) = cells[place].content, block.lines.indices.contains(row - block.row) else {
        return nil
      }
      return (layout.column(of: place) + block.column, block.width, block.lines[row - block.row])
    }
  }

  private var names: [Piece] {
    cells.indices.map { place in
      let name = cells[place].name
      return (layout.column(of: place) + (layout.columns - name.width) / 2, name.width, Array(name.text.utf8))
    }
  }

  /// Appends a line of pieces, from the left, and notes its width.
  private mutating func append(_ pieces: [Piece], to text: inout [UInt8]) {
    var width = 0
    for piece in pieces where piece.width > 0 {
      text += repeatElement(UInt8(ascii: " "), count: max(0, piece.column - width))
      text += piece.text
      width = piece.column + piece.width
    }
    text.append(UInt8(ascii: "\n"))
    widths.append(width)
  }

  // MARK: - Graphics

  private mutating func textOfGraphics(_ columns: Int) -> [UInt8] {
    var text: [UInt8] = []
    if widths.isEmpty {
      for _ in 0..<layout.rows { append([], to: &text) }
      if layout.hasNames { append(names, to: &text) }
    }
    let height = rows(inColumns: columns)
    for place in cells.indices where !cells[place].isDrawn {
      switch cells[place].content {
      case .waiting: continue
      case .text(let block):
        let at = (row: height - block.row, column: layout.column(of: place) + block.column)
        text += moved(up: at.row, right: at.column, block.lines.first ?? [])
      case .graphic(let picture, let box):
        let column = layout.column(of: place) + (layout.columns - box.columns) / 2
        let graphic = painter.graphic(
          picture, box, number: painter.sheetNumber(first + place), staysAtCursor: true)
        text += moved(up: height - (layout.rows - box.rows), right: column, graphic)
      }
      cells[place].isDrawn = true
    }
    return text
  }

  /// A text at another place. Terminals differ in where they leave the cursor after a picture.
  private func moved(up: Int, right: Int, _ text: [UInt8]) -> [UInt8] {
    let move = "\u{1B}7\u{1B}[\(max(1, up))A" + (right > 0 ? "\u{1B}[\(right)C" : "")
    return Array(move.utf8) + text + Array("\u{1B}8".utf8)
  }

  /// The rows of the screen that its lines take. A narrower window has wrapped them.
  private func rows(inColumns columns: Int) -> Int {
    widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
  }
}
