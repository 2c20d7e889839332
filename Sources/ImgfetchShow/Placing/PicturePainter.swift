import ImgfetchCore

/// The way in which a terminal is given pictures. A pure value.
package struct PicturePainter: Hashable, Sendable {
  package enum Way: Hashable, Sendable {
    /// Half blocks, as text.
    case blocks(TerminalColours)
    /// The graphics protocol of kitty.
    case kitty
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
  /// Pictures whose place in the numbers is this process's. The terminal may hold those of other programs.
  private static let numbers = 256

  /// - Parameters:
  ///   - cell: The size of a cell in pixels, where the terminal says.
  ///   - process: A number that other programs do not have.
  package init(_ way: Way, cell: PixelSize? = nil, isSynchronised: Bool = false, process: Int = 0) {
    self.way = way
    self.isSynchronised = isSynchronised
    firstNumber = (process & 0xFFFF) * Self.numbers + 1
    switch way {
    case .blocks: self.cell = PixelSize(1, 2)
    case .kitty, .iterm, .sixel: self.cell = cell ?? Self.usualCell
    }
  }

  /// True if pictures are text, which moves the cursor as text does.
  package var isText: Bool {
    if case .blocks = way { true } else { false }
  }

  /// The lines of a picture that is text.
  package func lines(_ picture: ShownPicture) -> [UInt8] {
    if case .blocks(let colours) = way { HalfBlocks(colours: colours).text(picture) } else { [] }
  }

  /// The bytes that draw a picture at the cursor.
  /// - Parameters:
  ///   - number: Its number, from ``number(after:)``.
  ///   - staysAtCursor: True if the terminal should leave the cursor where it is. It need not be able to.
  func graphic(_ picture: ShownPicture, _ box: PictureBox, number: Int?, staysAtCursor: Bool) -> [UInt8] {
    switch way {
    case .blocks: lines(picture)
    case .kitty:
      KittyPicture.text(
        padded(picture, box), columns: box.columns, rows: box.rows, number: number ?? firstNumber,
        staysAtCursor: staysAtCursor)
    case .iterm: ITermPicture.text(padded(picture, box), columns: box.columns, rows: box.rows)
    case .sixel: SixelPicture.text(picture)
    }
  }

  /// Terminals stretch a picture over the cells that it is given, so it is made to fill them.
  private func padded(_ picture: ShownPicture, _ box: PictureBox) -> ShownPicture {
    picture.padded(to: PixelSize(box.columns * cell.width, box.rows * cell.height))
  }

  /// The number of the next picture at a place, where pictures have numbers: two take turns, so that the one that is
  /// there is taken away when the other has come.
  func number(after before: Int?, at place: Int) -> Int? {
    guard way == .kitty else { return nil }
    let first = firstNumber + place * 2 % Self.numbers
    return before == first ? first + 1 : first
  }

  /// The bytes that take a picture with a number away.
  func removal(of number: Int) -> [UInt8] { KittyPicture.removal(of: number) }

  /// A text that is to be shown at once.
  package func synchronised(_ text: [UInt8]) -> [UInt8] {
    isSynchronised ? Array("\u{1B}[?2026h".utf8) + text + Array("\u{1B}[?2026l".utf8) : text
  }
}
