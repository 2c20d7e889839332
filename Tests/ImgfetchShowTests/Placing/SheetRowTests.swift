import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("A row of a contact sheet") struct SheetRowTests {
  private let layout = SheetLayout(count: 3, window: PixelSize(21, 24), size: PixelSize(6, 3))

  private func row(_ way: PicturePainter.Way = .blocks(.all)) -> SheetRow {
    let names = ["a.png", "b", "c.gif"].map { PictureLine($0, width: $0.utf8.count) }
    return SheetRow(layout, PicturePainter(way, process: 7), names: names)
  }

  private func picture(_ size: PixelSize) -> PixelBuffer {
    PixelBuffer(unchecked: size, [UInt8](repeating: 255, count: size.width * size.height * 4))
  }

  private func fill(_ row: inout SheetRow, _ place: Int, _ image: PixelSize) {
    let box = row.box(image)
    row.fill(place, picture(box.size), box)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The text without its colours.
  private func plain(_ bytes: [UInt8]) -> [String] {
    var plain = ""
    for (number, part) in text(bytes).split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated() {
      plain += number == 0 ? part : part.drop { $0 != "m" }.dropFirst()
    }
    return plain.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("Pictures stand in the middle of their room, just above their names")
  func blocks() {
    var row = row()
    fill(&row, 0, PixelSize(4, 4))
    fill(&row, 2, PixelSize(60, 60))
    row.fail(1, PictureLine("name", width: 4))
    #expect(
      plain(row.text(columns: 80)) == [
        "              \u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}",
        " \u{2580}\u{2580}\u{2580}\u{2580}   name  \u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}",
        " \u{2580}\u{2580}\u{2580}\u{2580}         \u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}",
        "a.png    b    c.gif", "",
      ])
  }

  @Test("Its names are there first, and lines are drawn again when a picture has come")
  func coming() {
    var row = row()
    #expect(text(row.text(columns: 80)) == "\n\n\na.png    b    c.gif\n")
    fill(&row, 0, PixelSize(4, 4))
    #expect(text(row.text(columns: 80)).hasPrefix("\u{1B}[4A\r\n \u{1B}["))
    // A narrower window has wrapped two of them.
    #expect(text(row.text(columns: 10)).hasPrefix("\u{1B}[5A"))
    row.note(absences: 1)
    #expect(!text(row.text(columns: 80)).hasPrefix("\u{1B}[4A"))
  }

  @Test("Graphics are drawn once, each at its place, and the cursor stays below")
  func graphics() {
    var row = row(.kitty)
    fill(&row, 1, PixelSize(32, 32))
    let first = text(row.text(columns: 80))
    #expect(first.hasPrefix("\n\n\na.png    b    c.gif\n\u{1B}7\u{1B}[3A\u{1B}[8C\u{1B}_Ga=T,q=2,i=28674,"))
    #expect(first.contains("c=4,r=2,C=1,") && first.hasSuffix("\u{1B}\\\u{1B}8"))
    row.fail(0, PictureLine("tls", width: 3))
    #expect(text(row.text(columns: 80)) == "\u{1B}7\u{1B}[3A\u{1B}[1Ctls\u{1B}8")
    #expect(row.text(columns: 80).isEmpty)
    row.note(absences: 1)
    let again = text(row.text(columns: 80))
    #expect(again.hasPrefix("\n\n\n") && again.contains("tls") && again.contains("i=28674,"))
  }

  @Test("Placeholders are sent with their pixels once, and drawn with each text")
  func placeholders() {
    var row = row(.placeholders)
    fill(&row, 0, PixelSize(16, 16))
    let first = text(row.text(columns: 80))
    #expect(first.hasPrefix("\u{1B}Ptmux;\u{1B}\u{1B}_Ga=T,") && first.unicodeScalars.contains("\u{10EEEE}"))
    fill(&row, 1, PixelSize(16, 16))
    let second = text(row.text(columns: 80))
    #expect(!second.contains("i=28673,") && second.contains("i=28674,"))
    #expect(second.unicodeScalars.filter { $0 == "\u{10EEEE}" }.count == 4)
  }

  @Test("It can be drawn again only where all of it is in the window")
  func tall() {
    #expect(row().canBeReplaced(inRows: 5) && !row().canBeReplaced(inRows: 4))
  }

  @Test(
    "The numbers of kitty's pictures are within the 24 bits of a colour, and differ on a page",
    arguments: [0, 7, 0xFFFF])
  func numbers(_ process: Int) {
    let painter = PicturePainter(.placeholders, process: process)
    for place in 0..<6000 { #expect((1...0xFF_FFFF).contains(painter.sheetNumber(place) ?? 0)) }
    // As many small pictures as a large window has.
    let page = SheetLayout(count: 3000, window: PixelSize(400, 100), size: PixelSize(8, 4)).perPage
    #expect(page > 800 && Set((0..<page).compactMap(painter.sheetNumber)).count == page)
    #expect(PicturePainter(.sixel).sheetNumber(3) == nil)
  }
}
