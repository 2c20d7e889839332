import Testing

@testable import imgfetch

@Suite struct SafeTextTests {
  @Test(
    arguments: [
      ("photo.jpg", "photo.jpg"),
      ("..", ""), (".", ""), ("...", ""), ("-", ""), ("", ""),
      ("../../etc/passwd", "etcpasswd"),
      ("..\\..\\boot.ini", "boot.ini"),
      (".bashrc", "bashrc"), ("-rf", "rf"), (" -.- x", "x"),
      ("a\u{0}b\u{1B}[31m\nc\u{7F}\u{85}", "ab[31mc"),
      ("gpj.\u{202E}exe", "gpj.exe"),
      ("a\u{200B}b\u{200D}c\u{FEFF}d\u{AD}e\u{E0041}f\u{2066}g", "abcdefg"),
      ("\u{FFFD}", ""),
      ("two words (1).png", "two words (1).png"),
      ("x . . ", "x"), ("x...", "x"),
      ("日本.png", "日本.png"), ("Zoë", "Zoë"),
      ("$(touch x);`id`&.png", "$(touch x);`id`&.png"),
    ])
  func aComponentHoldsNothingUnsafe(_ text: String, _ name: String) {
    #expect(SafeName.component(text) == name)
  }

  @Test func aLongComponentIsCutBetweenCharacters() {
    #expect(SafeName.component(String(repeating: "a", count: 400)) == String(repeating: "a", count: 200))
    let wide = SafeName.component(String(repeating: "日", count: 100))
    #expect(wide == String(repeating: "日", count: 66))
    let family = SafeName.component(String(repeating: "a", count: 199) + "e\u{301}")
    #expect(family == String(repeating: "a", count: 199))
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("%2e%2E%2f", ""), ("100%", "100%"), ("%zz%+1", "%zz%+1"), ("%FF", ""), ("%E6%97%A5", "日"),
  ])
  func escapesAreUndone(_ text: String, _ name: String) {
    #expect(SafeName.component(escaped: text) == name)
  }
}
