import Testing

@testable import ImgfetchReport

@Suite("Rows beside those of an earlier run")
struct EarlierRowsTests {
  private var scanner = RowScanner()
  private var row = Row()

  private mutating func changes(_ old: [String], _ new: [String]) -> [Change?] {
    var earlier = EarlierRows()
    for (place, text) in old.enumerated() {
      let bytes = Array(text.utf8)
      _ = scanner.scan(bytes.span, &row)
      earlier.add(row, in: bytes.span, place: UInt64(place))
    }
    earlier.sort()
    var changes: [Change?] = []
    for text in new {
      let bytes = Array(text.utf8)
      _ = scanner.scan(bytes.span, &row)
      changes.append(earlier.change(row, in: bytes.span))
    }
    changes += earlier.gone.map { _ in Change.gone }
    return changes
  }

  private static func had(_ url: String, _ bytes: Int, _ sum: String? = nil) -> String {
    let sum = sum.map { #","sha256":"\#($0)""# } ?? ""
    return #"{"url":"\#(url)","bytes":\#(bytes),"format":"jpeg"\#(sum),"error":null}"#
  }
  private static func failed(_ url: String) -> String { #"{"url":"\#(url)","error":{"kind":"http"}}"# }

  @Test("Each image has become one thing")
  mutating func each() {
    let changes = changes(
      [
        Self.had("same", 1), Self.had("other", 1), Self.had("lost", 1), Self.failed("back"), Self.failed("dead"),
        Self.had("off", 1),
      ],
      [
        Self.had("same", 1), Self.had("other", 2), Self.failed("lost"), Self.had("back", 1), Self.failed("dead"),
        Self.had("on", 1),
      ])
    #expect(changes == [.same, .changed, .failing, .fixed, .stillFailing, .new, .gone])
  }

  @Test("Checksums decide where both rows have one, and sizes where one has none")
  mutating func checksums() {
    #expect(changes([Self.had("a", 1, "aa")], [Self.had("a", 1, "ab")]) == [.changed])
    #expect(changes([Self.had("a", 1, "aa")], [Self.had("a", 1)]) == [.same])
    #expect(changes([Self.had("a", 1, "aa")], [Self.had("a", 2)]) == [.changed])
  }

  @Test("Of several rows of one image the last old one counts, and the first new one")
  mutating func repeated() {
    #expect(changes([Self.failed("a"), Self.had("a", 1)], [Self.had("a", 1), Self.had("a", 2)]) == [.same, nil])
  }
}
