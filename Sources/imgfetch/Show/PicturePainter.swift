import ImgfetchCore

/// How a terminal is given pictures. A pure value.
struct PicturePainter: Hashable, Sendable {
  enum Way: Hashable, Sendable {
    /// As text: half blocks.
    case blocks(TerminalColours)
  }

  let way: Way
  /// The size of a cell in pixels of the picture.
  let cell: PixelSize
  /// What is put around each redraw, so that the terminal shows it at once.
  let isSynchronised: Bool

  init(_ way: Way, cell: PixelSize? = nil, isSynchronised: Bool = false) {
    self.way = way
    self.isSynchronised = isSynchronised
    switch way {
    case .blocks: self.cell = PixelSize(1, 2)
    }
  }

  /// Whether pictures are text, which moves the cursor as text does.
  var isText: Bool {
    if case .blocks = way { true } else { false }
  }

  /// The lines of a picture that is text.
  func lines(_ picture: ShownPicture) -> [UInt8] {
    switch way {
    case .blocks(let colours): HalfBlocks(colours: colours).text(picture)
    }
  }

  /// What draws a picture at the cursor.
  func graphic(_ picture: ShownPicture, _ box: PictureBox, number: Int?, staysAtCursor: Bool) -> [UInt8] { [] }

  /// The number of the next picture, where they have numbers.
  func number(after: Int?) -> Int? { nil }

  /// What takes a picture with a number away.
  func removal(of number: Int) -> [UInt8] { [] }

  /// A text that is to be shown at once.
  func synchronised(_ text: [UInt8]) -> [UInt8] {
    isSynchronised ? Array("\u{1B}[?2026h".utf8) + text + Array("\u{1B}[?2026l".utf8) : text
  }
}
