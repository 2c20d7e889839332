import ImgfetchCore
import TestSupport
import Testing

@testable import ImgfetchShow

@Suite("The painter of pictures") struct PicturePainterTests {
  @Test(
    "A drawing that is cut anywhere leaves the terminal in order, and the next picture is whole",
    arguments: [PicturePainter.Way.blocks(.all), .kitty, .iterm, .sixel])
  func cut(_ way: PicturePainter.Way) {
    let painter = PicturePainter(way, isSynchronised: true)
    let size = PixelSize(70, 40)
    let picture = PixelBuffer(unchecked: size, (0..<size.width * size.height * 4).map { UInt8($0 * 7 % 251) })
    func drawing() -> [UInt8] {
      var placed = PlacedPicture(PictureBox(size, columns: 40, rows: 20, cell: painter.cell), painter)
      let text = placed.replace(with: picture, line: PictureLine("a.png", width: 5), columns: 80)
      // A terminal goes to the first column of the next line.
      return painter.synchronised(text).flatMap { $0 == UInt8(ascii: "\n") ? [13, 10] : [$0] }
    }
    let whole = drawing()
    let places = Array(0..<min(whole.count, 400)) + Array(stride(from: 400, to: whole.count, by: 97))
    for place in places {
      let emulator = TerminalEmulator { ($0.kitty, $0.sixel, $0.synchronised) = (true, true, true) }
      emulator.show(whole.prefix(place) + painter.cutEnd + [13])
      #expect(emulator.screen.isAsBefore, "cut at \(place)")
      let drawn = emulator.screen.picturesDrawn
      emulator.show(drawing())
      let screen = emulator.screen
      #expect(screen.isAsBefore && (painter.isText || screen.picturesDrawn == drawn + 1), "cut at \(place)")
    }
  }

  @Test("What tmux passes on is ended there and outside")
  func cutWithinTmux() {
    let end = String(decoding: PicturePainter(.placeholders).cutEnd, as: UTF8.self)
    #expect(end == "\u{1B}\u{1B}\\\u{1B}\\\u{1B}Ptmux;\u{1B}\u{1B}_Gq=2,m=0;\u{1B}\u{1B}\\\u{1B}\\\u{1B}[0m")
  }
}
