import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("A picture at its place") struct PlacedPictureTests {
  private let picture = PixelBuffer(unchecked: PixelSize(20, 8), [UInt8](repeating: 200, count: 20 * 8 * 4))

  private func placed(_ painter: PicturePainter = PicturePainter(.blocks(.all))) -> PlacedPicture {
    PlacedPicture(PictureBox(PixelSize(20, 8), columns: 40, rows: 20, cell: painter.cell), painter)
  }

  private func line(_ text: String) -> PictureLine { PictureLine(text, width: text.utf8.count) }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("Its place is kept free, then filled, and the cursor always stays below")
  func reserved() {
    var placed = placed()
    let reserved = text(placed.replace(with: nil, line: line("a.png"), columns: 80))
    #expect(reserved == "a.png\u{1B}[K\n\n\n\n\n")
    let filled = text(placed.replace(with: picture, line: line("a.png"), columns: 80))
    #expect(filled.hasPrefix("\u{1B}[5A\ra.png\u{1B}[K\n") && filled.hasSuffix("\u{1B}[0m\n"))
    #expect(text(placed.remove(columns: 80)) == "\u{1B}[5A\r\u{1B}[J" && placed.remove(columns: 80).isEmpty)
  }

  @Test("In a narrower window the lines have been wrapped")
  func wrapped() {
    var placed = placed()
    _ = placed.replace(with: picture, line: line("a line, 17 cells."), columns: 80)
    #expect(text(placed.replace(with: picture, line: nil, columns: 10)).hasPrefix("\u{1B}[10A\r"))
  }

  @Test("It can be replaced only where all of it is in the window")
  func tall() {
    #expect(placed().canBeReplaced(inRows: 6) && !placed().canBeReplaced(inRows: 5))
  }

  @Test("kitty's pictures take turns with two numbers, and those of other places have others")
  func numbers() {
    let painter = PicturePainter(.kitty, process: 7)
    var placed = placed(painter)
    let first = text(placed.replace(with: picture, line: nil, columns: 80))
    let second = text(placed.replace(with: picture, line: nil, columns: 80))
    let third = text(placed.replace(with: picture, line: nil, columns: 80))
    #expect(first.contains("i=28673,") && !first.contains("a=d"))
    #expect(second.contains("i=28674,") && second.contains("a=d,q=2,d=I,i=28673"))
    #expect(third.contains("i=28673,") && third.contains("a=d,q=2,d=I,i=28674"))
    #expect(painter.number(after: nil, at: 1) == 28675 && painter.number(after: nil, at: 2048) == 28673)
  }

  @Test("Pixels are sent in chunks of the protocol's length")
  func chunks() {
    let pixels = (0..<100 * 50 * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let sent = text(
      KittyPicture.text(
        PixelBuffer(unchecked: PixelSize(100, 50), pixels), columns: 10, rows: 3, number: 5, staysAtCursor: true))
    let chunks = sent.split(separator: "\u{1B}\\")
    #expect(chunks.count == 7 && chunks.allSatisfy { $0.count <= 4096 + 100 })
    #expect(chunks[0].contains("f=32,s=100,v=50,c=10,r=3,C=1,m=1;") && chunks[6].hasPrefix("\u{1B}_Gm=0;"))
  }

  @Test(
    "What is chosen by what the terminal says",
    arguments: [
      ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4c", "kitty"), ("\u{1B}[?62;4c", "sixel"), ("\u{1B}[?62c", "blocks"),
      // The attributes come last: without them, it is not known whether the answer was meant so.
      ("\u{1B}_Gi=31;OK\u{1B}\\", "blocks"), ("", "blocks"),
    ])
  func chosen(_ said: String, _ wanted: String) {
    var answers = TerminalAnswers()
    answers.take(Array(said.utf8))
    let painter = PicturePainter.chosen(.auto, answers, cell: nil, process: 1) { _ in nil }
    #expect("\(painter.way)".hasPrefix(wanted))
    let forced = PicturePainter.chosen(.iterm, answers, cell: PixelSize(9, 18), process: 1) { _ in nil }
    #expect(forced.way == .iterm && forced.cell == PixelSize(9, 18))
  }
}
