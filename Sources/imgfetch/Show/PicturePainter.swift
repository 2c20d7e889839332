import ImgfetchCore

/// The way in which a terminal is given pictures. A pure value.
struct PicturePainter: Hashable, Sendable {
  enum Way: Hashable, Sendable {
    /// Half blocks, as text.
    case blocks(TerminalColours)
    /// The graphics protocol of kitty.
    case kitty
    /// The inline images of iTerm2.
    case iterm
    /// Sixels.
    case sixel
  }

  let way: Way
  /// The size of a cell in pixels of the picture.
  let cell: PixelSize
  /// True if the terminal can be told to show a redraw at once.
  let isSynchronised: Bool
  /// The first of the numbers that kitty's pictures get.
  private let firstNumber: Int

  /// The size of a cell where the terminal does not say.
  static let usualCell = PixelSize(8, 16)
  /// Pictures whose place in the numbers is this process's. The terminal may hold those of other programs.
  private static let numbers = 256

  /// - Parameters:
  ///   - cell: The size of a cell in pixels, where the terminal says.
  ///   - process: A number that other programs do not have.
  init(_ way: Way, cell: PixelSize? = nil, isSynchronised: Bool = false, process: Int = 0) {
    self.way = way
    self.isSynchronised = isSynchronised
    firstNumber = (process & 0xFFFF) * Self.numbers + 1
    switch way {
    case .blocks: self.cell = PixelSize(1, 2)
    case .kitty, .iterm, .sixel: self.cell = cell ?? Self.usualCell
    }
  }

  /// True if pictures are text, which moves the cursor as text does.
  var isText: Bool {
    if case .blocks = way { true } else { false }
  }

  /// The lines of a picture that is text.
  func lines(_ picture: ShownPicture) -> [UInt8] {
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
  func synchronised(_ text: [UInt8]) -> [UInt8] {
    isSynchronised ? Array("\u{1B}[?2026h".utf8) + text + Array("\u{1B}[?2026l".utf8) : text
  }
}

/// A picture as kitty's graphics protocol has it: its pixels, in chunks.
enum KittyPicture {
  /// The protocol's most characters of a chunk.
  private static let chunk = 4096

  static func text(_ picture: ShownPicture, columns: Int, rows: Int, number: Int, staysAtCursor: Bool) -> [UInt8] {
    let isOpaque = picture.isOpaque
    let coded = Base64.text(isOpaque ? picture.opaquePixels : picture.pixels)
    // q=2: it answers nothing, not even that it failed.
    let head =
      "a=T,q=2,i=\(number),f=\(isOpaque ? 24 : 32),s=\(picture.size.width),v=\(picture.size.height),c=\(columns),r=\(rows)"
      + (staysAtCursor ? ",C=1" : "")
    var text: [UInt8] = []
    text.reserveCapacity(coded.count + coded.count / chunk * 16 + 128)
    var at = 0
    repeat {
      let end = min(coded.count, at + chunk)
      text.append(text: "\u{1B}_G" + (at == 0 ? head + "," : "") + "m=\(end < coded.count ? 1 : 0);")
      text += coded[at..<end]
      text.append(text: "\u{1B}\\")
      at = end
    } while at < coded.count
    return text
  }

  /// Takes the picture away and frees its pixels.
  static func removal(of number: Int) -> [UInt8] { Array("\u{1B}_Ga=d,q=2,d=I,i=\(number)\u{1B}\\".utf8) }
}

/// A picture as iTerm2 takes it, and with it WezTerm, Konsole and others: a PNG.
enum ITermPicture {
  static func text(_ picture: ShownPicture, columns: Int, rows: Int) -> [UInt8] {
    guard let file = try? picture.png() else { return [] }
    var text: [UInt8] = []
    text.append(
      text: "\u{1B}]1337;File=inline=1;size=\(file.count);width=\(columns);height=\(rows);preserveAspectRatio=0:")
    text += Base64.text(file)
    text.append(0x07)
    return text
  }
}
