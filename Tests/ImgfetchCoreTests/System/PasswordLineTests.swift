import Testing

@testable import ImgfetchCore

@Suite struct PasswordLineTests {
  private func type(_ keys: String) -> PasswordLine.Outcome {
    var line = PasswordLine()
    for key in keys.utf8 {
      let outcome = line.press(key)
      if outcome != .more { return outcome }
    }
    return .more
  }

  @Test(
    arguments: [
      ("abc\n", "abc"), ("abc\r", "abc"), ("\n", ""), ("abx\u{7F}c\n", "abc"), ("é\u{8}a\n", "a"),
      ("no\u{15}yes\n", "yes"),
      ("\u{7F}\u{7F}a\n", "a"), ("ab\u{4}", "ab"), ("pä ß\n", "pä ß"),
    ])
  func lines(keys: String, password: String) { #expect(type(keys) == .done(password)) }

  @Test(arguments: ["ab\u{3}", "\u{1C}", "\u{4}"])
  func interrupted(keys: String) { #expect(type(keys) == .interrupted) }

  @Test func aLineIsNotDoneBeforeItsEnd() { #expect(type("abc") == .more) }
}
