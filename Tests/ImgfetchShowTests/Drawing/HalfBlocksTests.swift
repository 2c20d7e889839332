import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("Pictures of half blocks") struct HalfBlocksTests {
  private func text(_ pixels: [[UInt8]], width: Int, _ colours: TerminalColours = .all) -> String {
    let picture = PixelBuffer(unchecked: PixelSize(width, pixels.count / width), Array(pixels.joined()))
    return String(decoding: HalfBlocks(colours: colours).text(picture), as: UTF8.self)
  }

  private let red: [UInt8] = [255, 0, 0, 255]
  private let blue: [UInt8] = [0, 0, 255, 255]
  private let clear: [UInt8] = [9, 9, 9, 0]

  @Test("A cell is the upper pixel over the lower one, and a colour is named once in a line")
  func cells() {
    #expect(
      text([red, red, blue, blue], width: 2)
        == "\u{1B}[48;2;0;0;255m\u{1B}[38;2;255;0;0m\u{2580}\u{2580}\u{1B}[0m\n")
  }

  @Test("Where the picture is transparent the terminal's background is seen")
  func transparency() {
    #expect(text([clear, clear, clear, blue], width: 2) == " \u{1B}[38;2;0;0;255m\u{2584}\u{1B}[0m\n")
    #expect(
      text([red, clear, red, clear], width: 2)
        == "\u{1B}[48;2;255;0;0m\u{1B}[38;2;255;0;0m\u{2580}\u{1B}[49m \u{1B}[0m\n")
  }

  @Test("The lower half of an odd last line is empty, and each line ends with the usual colours")
  func oddHeight() {
    let lines = text([red, blue, red], width: 1).split(separator: "\n")
    #expect(
      lines == ["\u{1B}[48;2;0;0;255m\u{1B}[38;2;255;0;0m\u{2580}\u{1B}[0m", "\u{1B}[38;2;255;0;0m\u{2580}\u{1B}[0m"])
  }

  @Test("A palette's own colours are taken as they are, without the 16 of the user's", arguments: 16...255)
  func palette(_ number: Int) {
    let colour = Palette.colour(number)
    let nearest = Palette.nearest(to: colour)
    #expect(Palette.colour(Int(nearest)) == colour)
  }

  @Test(
    "With few colours the mean of an area is that of the picture",
    arguments: [[100, 100, 100], [200, 30, 77], [3, 140, 250]])
  func dithering(_ wanted: [Int]) {
    let side = 64
    let pixel = wanted.map { UInt8($0) } + [255]
    let shown = text(Array(repeating: pixel, count: side * side), width: side, .palette)
    var sums = [0, 0, 0]
    var (front, back) = (16, 16)
    for part in shown.split(whereSeparator: { $0 == "\u{1B}" || $0 == "\n" }) {
      let code = part.dropFirst().prefix { $0 != "m" }.split(separator: ";").compactMap { Int($0) }
      if code.first == 38 { front = code[2] }
      if code.first == 48 { back = code[2] }
      let count = part.filter { $0 == "\u{2580}" }.count
      for colour in [Palette.colour(front), Palette.colour(back)] {
        for (channel, value) in [colour.red, colour.green, colour.blue].enumerated() { sums[channel] += count * value }
      }
    }
    for channel in 0..<3 { #expect(abs(sums[channel] / (side * side) - wanted[channel]) <= 3, "\(sums)") }
  }

  @Test("24 bits are used only where a variable says so")
  func colours() {
    #expect(TerminalColours { ["COLORTERM": "truecolor"][$0] } == .all)
    #expect(TerminalColours { ["COLORTERM": "24bit", "TERM": "xterm"][$0] } == .all)
    #expect(TerminalColours { ["TERM": "xterm-direct"][$0] } == .all)
    #expect(TerminalColours { ["TERM": "xterm-256color"][$0] } == .palette)
  }
}
