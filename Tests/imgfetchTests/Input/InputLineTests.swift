import Testing

@testable import imgfetch

@Suite struct InputLineTests {
  private func line(_ text: String) throws(InputLine.Flaw) -> InputLine? { try InputLine(ArraySlice(text.utf8)) }

  @Test(arguments: ["", "   ", "# comment", "  # comment", "\t\t", "\r", "#"])
  func commentsAndBlankLinesArePassedOver(_ text: String) throws { #expect(try line(text) == nil) }

  @Test func aLineIsAURLAndPerhapsAName() throws {
    #expect(try line(" https://a/b \r")?.url.display == "https://a/b")
    let named = try #require(try line("a.org/x\tdir/cat one.png"))
    #expect(named.url.display == "a.org/x")
    #expect(named.name == "dir/cat one.png")
    #expect(named.text == "a.org/x\tdir/cat one.png")
  }

  @Test func furtherFieldsComeInAnyOrder() throws {
    let digest = String(repeating: "aB", count: 32)
    for text in [
      "u/\tn\tsha256=\(digest)\tpriority=high\tmirror=m1/\tmirror=m2/",
      "u/\tn\tmirror=m1/\t\tmirror=m2/\tpriority=high\tsha256=\(digest)",
    ] {
      let line = try #require(try line(text))
      #expect(line.name == "n")
      #expect(line.priority == .high)
      #expect(line.sha256 == Array(repeating: 0xAB, count: 32))
      #expect(line.mirrors.map(\.display) == ["m1/", "m2/"])
    }
  }

  @Test func anIDComesAlongAndIsNoName() throws {
    #expect(try line("u/\tn\tid= 7=a ")?.tag.id == " 7=a")
    #expect(try line("u/\tid=7")?.tag.id == "7")
    #expect(try line("u/\tid=7")?.name == nil)
    #expect(try line("u/\tid=")?.tag.id == nil)
  }

  @Test func aStemIsANameWithoutItsExtension() throws {
    #expect(try line("u/\tstem=a/b.c")?.stem == "a/b.c")
    #expect(try line("u/\tstem=a/b.c")?.name == nil)
    #expect(try line("u/\tn.png\tstem=m")?.name == "n.png")
  }

  @Test func theNameMayBeLeftOut() throws {
    #expect(try line("u/\t\tpriority=low")?.priority == .low)
    #expect(try line("u/\tpriority=low")?.priority == .low)
    #expect(try line("u/\tpriority=low")?.name == nil)
  }

  @Test(
    arguments: [
      (
        "u/\thttps://me:pw@e.org/b.png",
        "the name 'https://***@e.org/b.png' is a URL; mirror=URL is another one of the same image"
      ),
      ("u/\t/etc/passwd", "the name '/etc/passwd' leads out of the output folder"),
      ("u/\ta/../../b", "the name 'a/../../b' leads out of the output folder"),
      ("u/\t..", "the name '..' leads out of the output folder"),
      ("u/\tdir/", "the name 'dir/' is a folder's"),
      ("u/\tstem=../x", "the name '../x' leads out of the output folder"),
      ("u/\tstem=", "a name is wanted behind stem="),
      ("u/\tn\tpriority=urgent", "'priority=urgent': high or low is wanted"),
      ("u/\tn\tsha256=12", "'sha256=12': 64 hex digits are wanted"),
      ("u/\tn\tmirror=", "mirror=: the URL is empty"),
      ("u/\tn\tmirror=ftp://m/", "mirror=ftp://m/: the scheme ftp is not supported, only http and https are"),
      ("u:1x/", "u:1x/: the port is not a number from 1 to 65535"),
      (
        "u/\tn\tmiror=http://u:p@h/",
        "'miror=' is no field; behind the name there may be priority=, sha256=, mirror=, id=, stem= and referer="
      ),
      (
        "u/\tn\tother",
        "'other' is no field; behind the name there may be priority=, sha256=, mirror=, id=, stem= and referer="
      ),
      ("\tname", "the URL is missing before the first TAB"),
    ])
  func mistakesAreExplained(_ text: String, _ reason: String) {
    #expect(throws: InputLine.Flaw(reason: reason)) { _ = try line(text) }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect(throws: InputLine.Flaw(reason: "the line is not UTF-8")) { _ = try InputLine([0x61, 0xFF, 0x62]) }
  }

  @Test func anEndlessURLIsNamedByItsBeginning() {
    let long = "https://h/" + String(repeating: "x", count: 70_000)
    let flaw = #expect(throws: InputLine.Flaw.self) { _ = try line(long) }
    #expect(flaw?.reason == long.prefix(100) + "…: the URL is longer than 65536 bytes")
    #expect(InvalidLine(operand: long, .tooLong).error.message.utf8.count < 200)
  }
}
