import Testing

@testable import ImgfetchShow

@Suite("What a terminal answers") struct TerminalAnswersTests {
  private func answers(_ text: String) -> TerminalAnswers {
    var answers = TerminalAnswers()
    answers.take(Array(text.utf8))
    answers.end()
    return answers
  }

  private static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?2026;2$y\u{1B}[6;20;10t\u{1B}[?62;c"
  private static let xterm = "\u{1B}[6;16;8t\u{1B}[?63;1;2;4;6;9;15;22c"

  @Test("Is understood, and nothing of it was typed")
  func well() {
    let kitty = answers(Self.kitty)
    #expect(kitty.hasKitty == true && kitty.isSynchronising && kitty.areComplete && !kitty.hasSixels)
    #expect(kitty.cell?.width == 10 && kitty.cell?.height == 20 && kitty.typed.isEmpty)
    let xterm = answers(Self.xterm)
    #expect(xterm.hasKitty == nil && !xterm.isSynchronising && xterm.hasSixels && xterm.cell?.width == 8)
    #expect(xterm.typed.isEmpty)
  }

  @Test("Is understood in any pieces, and what is typed between them is kept")
  func pieces() {
    let text = Array(Self.kitty.utf8)
    for cut in 0...text.count {
      var answers = TerminalAnswers()
      answers.take(Array(text[..<cut]))
      // Only between two sequences anything can be typed.
      answers.take(Array(text[cut...]))
      #expect(answers.areComplete && answers.hasKitty == true && answers.isSynchronising && answers.typed.isEmpty)
    }
    #expect(answers("ls\u{1B}[6;20;10t -l\u{1B}[?62;4c\n").typed == Array("ls -l\n".utf8))
  }

  @Test(
    "Keys are no answers",
    arguments: ["\u{1B}[A", "\u{1B}[1;5C", "\u{1B}OP", "\u{1B}x", "\u{1B}[200~a\u{1B}[201~", "\u{1B}"])
  func keys(_ keys: String) {
    #expect(answers(keys).typed == Array(keys.utf8))
    #expect(answers(keys + "\u{1B}[?62;4c").areComplete)
  }

  @Test(
    "Nonsense is not believed",
    arguments: [
      "\u{1B}[6;99999999999999999999;8t", "\u{1B}[6;0;0t", "\u{1B}[6;;t", "\u{1B}_Gi=31;ENOTSUP:no\u{1B}\\",
      "\u{1B}_Gi=7;OK\u{1B}\\",
      "\u{1B}[?2026;0$y", "\u{1B}[?2026;4$y", "\u{1B}[?1;2$y", "\u{1B}P1+r\u{1B}\\",
    ])
  func nonsense(_ text: String) {
    let answers = answers(text)
    #expect(answers.hasKitty != true && !answers.isSynchronising && answers.cell == nil && !answers.areComplete)
    #expect(answers.typed.isEmpty)
  }

  @Test("A sequence without an end does not swallow what follows for ever")
  func endless() {
    let text = "\u{1B}_" + String(repeating: "x", count: 1000)
    #expect(answers(text).typed == Array(text.utf8))
  }
}
