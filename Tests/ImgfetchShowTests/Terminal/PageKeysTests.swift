import Testing

@testable import ImgfetchShow

@Suite("The keys below a page") struct PageKeysTests {
  private func answers(_ typed: String) -> [PageKeys.Answer] {
    var keys = PageKeys()
    keys.take(Array(typed.utf8))
    var answers: [PageKeys.Answer] = []
    while let answer = keys.next() { answers.append(answer) }
    return answers
  }

  @Test(
    "Those of more and less go on",
    arguments: [" ", "\n", "\r", "n", "f", "j", "\u{1B}[B", "\u{1B}OB", "\u{1B}[6~"])
  func next(_ key: String) { #expect(answers(key) == [.next]) }

  @Test("q and the end of the input end it", arguments: ["q", "Q", "\u{4}"])
  func end(_ key: String) { #expect(answers(key) == [.end]) }

  @Test(
    "Others are passed over, and no part of a sequence is taken for a key",
    arguments: ["x", "\u{1B}", "\u{1B}[A", "\u{1B}[5~", "\u{1B}OA", "\u{1B}[1;5C", "é"])
  func others(_ key: String) {
    #expect(answers(key).isEmpty)
    #expect(answers("x" + key + " q") == [.next, .end])
  }

  @Test("Keys that were typed ahead are for the next pages, and the rest is not lost")
  func ahead() {
    var keys = PageKeys()
    keys.take(Array("  qls\n".utf8))
    #expect(keys.next() == .next && keys.next() == .next && keys.next() == .end)
    #expect(keys.typed == Array("ls\n".utf8))
  }
}
