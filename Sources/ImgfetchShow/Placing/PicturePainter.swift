import ImgfetchCore

/// The way in which a terminal is given pictures. A pure value.
package struct PicturePainter: Hashable, Sendable {
  package enum Way: Hashable, Sendable {
    /// Half blocks, as text.
    case blocks(TerminalColours)
    /// The graphics protocol of kitty.
    case kitty
    /// The graphics protocol of kitty, passed on by tmux, and placeholders as text.
    case placeholders
    /// The inline images of iTerm2.
    case iterm
    /// Sixels.
    case sixel
  }

  package let way: Way
  /// The size of a cell in pixels of the picture.
  package let cell: PixelSize
  /// True if the terminal can be told to show a redraw at once.
  package let isSynchronised: Bool
  /// The first of the numbers that kitty's pictures get.
  private let firstNumber: Int

  /// The size of a cell where the terminal does not say.
  static let usualCell = PixelSize(8, 16)
  /// The numbers that are this process's, of the 24 bits that placeholders have for them: more than a page of a sheet
  /// has pictures. The terminal may hold those of other programs.
  private static let numbers = 1 << 12

  /// - Parameters:
  ///   - cell: The size of a cell in pixels, where the terminal says.
  ///   - process: A number that other programs do not have.
  package init(_ way: Way, cell: PixelSize? = nil, isSynchronised: Bool = false, process: Int = 0) {
    self.way = way
    self.isSynchronised = isSynchronised
    firstNumber = process % Self.numbers * Self.numbers + 1
    switch way {
    case .blocks: self.cell = PixelSize(1, 2)
    case .kitty, .placeholders, .iterm, .sixel: self.cell = cell ?? Self.usualCell
    }
  }

  /// True if pictures are text, which moves the cursor as text does.
  package var isText: Bool {
    switch way {
    case .blocks, .placeholders: true
    case .kitty, .iterm, .sixel: false
    }
  }

  /// The lines of a picture that is text, each with its line break.
  package func lines(_ picture: PixelBuffer, _ box: PictureBox, number: Int?) -> [UInt8] {
    switch way {
    case .blocks(let colours): HalfBlocks(colours: colours).text(picture)
    case .placeholders: Placeholders.lines(columns: box.columns, rows: box.rows, number: number ?? firstNumber)
    case .kitty, .iterm, .sixel: []
    }
  }

  /// The bytes that a terminal must get before the lines of a picture. They move nothing.
  package func transmission(_ picture: PixelBuffer, _ box: PictureBox, number: Int?) -> [UInt8] {
    guard way == .placeholders else { return [] }
    return KittyPicture.text(
      padded(picture, box), columns: box.columns, rows: box.rows, number: number ?? firstNumber, isPassedOn: true)
  }

  /// The bytes that draw a picture at the cursor.
  /// - Parameters:
  ///   - number: Its number, from ``number(after:at:)``.
  ///   - staysAtCursor: True if the terminal should leave the cursor where it is. It need not be able to.
  func graphic(_ picture: PixelBuffer, _ box: PictureBox, number: Int?, staysAtCursor: Bool) -> [UInt8] {
    switch way {
    case .blocks, .placeholders: transmission(picture, box, number: number) + lines(picture, box, number: number)
    case .kitty:
      KittyPicture.text(
        padded(picture, box), columns: box.columns, rows: box.rows, number: number ?? firstNumber,
        staysAtCursor: staysAtCursor)
    case .iterm: ITermPicture.text(padded(picture, box), columns: box.columns, rows: box.rows)
    case .sixel: SixelPicture.text(picture)
    }
  }

  /// Terminals stretch a picture over the cells that it is given, so it is made to fill them.
  private func padded(_ picture: PixelBuffer, _ box: PictureBox) -> PixelBuffer {
    picture.padded(to: PixelSize(box.columns * cell.width, box.rows * cell.height))
  }

  /// The number of the next picture at a place, if pictures have numbers: two take turns, so that the present one is
  /// removed after the other has come.
  func number(after before: Int?, at place: Int) -> Int? {
    let first = firstNumber + place * 2 % Self.numbers
    switch way {
    case .kitty: return before == first ? first + 1 : first
    // The same: text stays where it is, and shows the new picture.
    case .placeholders: return first
    case .blocks, .iterm, .sixel: return nil
    }
  }

  /// The number of a picture of a sheet, where pictures have numbers.
  package func sheetNumber(_ place: Int) -> Int? {
    switch way {
    // A placeholder's colour has 24 bits for it.
    case .kitty, .placeholders: firstNumber + place % (Self.numbers - 1)
    case .blocks, .iterm, .sixel: nil
    }
  }

  /// The bytes that take a picture with a number away.
  func removal(of number: Int) -> [UInt8] { KittyPicture.removal(of: number, isPassedOn: way == .placeholders) }

  /// A text that the terminal should show at once.
  package func synchronised(_ text: [UInt8]) -> [UInt8] {
    isSynchronised ? Self.begin + text + Self.end : text
  }

  /// Ends a text that was cut at any place: its graphic, and its colours.
  package var cutEnd: [UInt8] {
    let graphic =
      switch way {
      case .kitty: KittyPicture.cutEnd()
      case .placeholders: KittyPicture.cutEnd(isPassedOn: true)
      case .blocks, .iterm, .sixel: Array("\u{1B}\\".utf8)
      }
    return graphic + Array("\u{1B}[0m".utf8) + (isSynchronised ? Self.end : [])
  }

  private static let begin = Array("\u{1B}[?2026h".utf8)
  private static let end = Array("\u{1B}[?2026l".utf8)
}
