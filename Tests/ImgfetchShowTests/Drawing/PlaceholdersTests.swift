import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("Pictures of kitty's protocol within tmux") struct PlaceholdersTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("A placeholder has the picture's number as its colour, and marks for its row and its column")
  func lines() {
    let lines = text(Placeholders.lines(columns: 2, rows: 2, number: 0x010203)).split(separator: "\n")
    #expect(
      lines.map { Array($0.unicodeScalars) } == [
        Array("\u{1B}[38;2;1;2;3m\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{305}\u{30D}\u{1B}[39m".unicodeScalars),
        Array("\u{1B}[38;2;1;2;3m\u{10EEEE}\u{30D}\u{305}\u{10EEEE}\u{30D}\u{30D}\u{1B}[39m".unicodeScalars),
      ])
  }

  @Test("There are 297 marks, those of the protocol, in its order")
  func marks() {
    let marks = Placeholders.marks.map(\.value)
    #expect(marks.count == 297 && marks == marks.sorted() && Set(marks).count == 297)
    #expect(marks.prefix(6) == [0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D] && marks.last == 0x1D244)
    // The last of a window that is wider than that takes the place after its neighbour.
    let wide = text(Placeholders.lines(columns: 299, rows: 1, number: 1))
    #expect(wide.unicodeScalars.filter { $0 == "\u{10EEEE}" }.count == 299)
    #expect(wide.unicodeScalars.filter { $0 == "\u{1D244}" }.count == 1)
  }

  @Test(
    "They are used where kitty's protocol is wanted within tmux, and nowhere else",
    arguments: [
      (["TMUX": "/tmp/tmux-0/default,1,0"], true), (["TERM": "tmux-256color"], true), (["TERM": "xterm-kitty"], false),
      (["TMUX": ""], false),
    ])
  func chosen(_ variables: [String: String], _ isWithin: Bool) {
    func way(_ picture: PictureChoice) -> PicturePainter.Way {
      PicturePainter.chosen(picture, nil, cell: nil, process: 1) { variables[$0] }.way
    }
    #expect(way(.kitty) == (isWithin ? .placeholders : .kitty))
    #expect(way(.sixel) == .sixel && way(.auto) == .blocks(.palette))
  }

  @Test("The pixels are passed on in pieces, each of which tmux takes for one sequence")
  func passedOn() {
    let painter = PicturePainter(.placeholders, process: 7)
    let picture = PixelBuffer(unchecked: PixelSize(80, 32), [UInt8](repeating: 200, count: 80 * 32 * 4))
    var placed = PlacedPicture(PictureBox(picture.size, columns: 20, rows: 9, cell: painter.cell), painter)
    let first = text(placed.replace(with: picture, line: PictureLine("a.png", width: 5), columns: 80))
    let sent = first.components(between: "\u{1B}Ptmux;", "\u{1B}\\\u{1B}\\")
    #expect(sent.count > 2 && sent.allSatisfy { $0.hasPrefix("\u{1B}\u{1B}_G") && $0.utf8.count < 4300 })
    #expect(sent.first?.contains("a=T,q=2,i=28673,f=32,s=80,v=32,c=10,r=2,U=1,m=1;") == true)
    #expect(first.contains("a.png\u{1B}[K\n\u{1B}[38;2;0;112;1m"))
    // The next one is for the same placeholders.
    let second = text(placed.replace(with: picture, line: PictureLine("a.png", width: 5), columns: 80))
    #expect(second.contains("i=28673,") && !second.contains("a=d"))
    #expect(text(placed.remove(columns: 80)).hasPrefix("\u{1B}Ptmux;\u{1B}\u{1B}_Ga=d,q=2,d=I,i=28673"))
  }
}

extension String {
  /// The texts from each `begin` to the `end` after it.
  fileprivate func components(between begin: String, _ end: String) -> [String] {
    var rest = utf8[...]
    var found: [String] = []
    func place(of text: String, in bytes: Substring.UTF8View) -> String.Index? {
      bytes.indices.first { bytes[$0...].starts(with: text.utf8) }
    }
    while let start = place(of: begin, in: rest) {
      let inner = rest[start...].dropFirst(begin.utf8.count)
      guard let stop = place(of: end, in: inner) else { break }
      found.append(String(decoding: inner[..<stop], as: UTF8.self))
      rest = inner[stop...].dropFirst(end.utf8.count)
    }
    return found
  }
}
