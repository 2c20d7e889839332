import Testing

@testable import ImgfetchReport

@Suite("Images with the same bytes")
struct ChecksumTableTests {
  private func groups(_ table: ChecksumTable) -> [[UInt64]] {
    var groups: [[UInt64]] = []
    table.forEachGroup { groups.append($0) }
    return groups
  }

  @Test("The first of a group is the first by line, whatever the order in which rows came")
  func order() {
    var table = ChecksumTable()
    table.add(1, 1, place: 10, line: 9, key: 1)
    table.add(2, 2, place: 11, line: 1, key: 2)
    table.add(1, 1, place: 12, line: 3, key: 3)
    table.add(1, 2, place: 13, line: 2, key: 4)
    table.add(1, 1, place: 14, line: nil, key: 5)
    #expect(groups(table) == [[12, 10, 14]])
  }

  @Test("Rows of one image in several runs are no duplicates of each other")
  func keys() {
    var table = ChecksumTable()
    for place in 0..<3 { table.add(1, 1, place: UInt64(place), line: place, key: 7, run: UInt32(place)) }
    table.add(1, 1, place: 3, line: 0, key: 7)
    #expect(groups(table).isEmpty)
    table.add(1, 1, place: 9, line: 9, key: 8)
    #expect(groups(table) == [[0, 9]])
  }

  @Test("Lines of one run that name one address are duplicates, and those of the run with most of them count")
  func lines() {
    var table = ChecksumTable()
    table.add(1, 1, place: 1, line: 4, key: 7, run: 1)
    table.add(1, 1, place: 2, line: 2, key: 7, run: 2)
    table.add(1, 1, place: 3, line: 3, key: 7, run: 2)
    table.add(1, 1, place: 4, line: 1, key: 7, run: 3)
    table.add(1, 1, place: 5, line: 9, key: 8, run: 3)
    #expect(groups(table) == [[2, 3, 5]])
  }

  @Test("Looks are grouped by line as well, and rows need both hashes")
  func looks() {
    var rows = LooksRows()
    var (scanner, row) = (RowScanner(), Row())
    func add(_ dhash: String, _ line: Int, _ place: UInt64) -> Bool {
      let text =
        #"{"url":"\#(place)","line":\#(line),"width":40,"height":30,"fingerprints":{"phash":"f0f0f0f00f0f0f0f","dhash":"\#(dhash)"}}"#
      let bytes = Array(text.utf8)
      _ = scanner.scan(bytes.span, &row)
      return rows.add(row, in: bytes.span, place: place, key: UInt32(place))
    }
    #expect(add("00ff00ff00ff00ff", 5, 1))
    #expect(add("00ff00ff00ff00fe", 2, 2))
    #expect(!add("00ff", 1, 3))
    #expect(add("ffffff0000ffff00", 1, 4))
    var groups: [[UInt64]] = []
    rows.forEachGroup { groups.append($0) }
    #expect(groups == [[2, 1]])
  }

  @Test("Rules have words", arguments: ["bytes", "looks", "looks:0", "looks:8"])
  func rules(_ word: String) { #expect(DuplicateRule(word)?.text == word) }

  @Test("Other words are no rules", arguments: ["", "look", "looks:", "looks:9", "looks:+4", "looks:04", "BYTES"])
  func otherWords(_ word: String) { #expect(DuplicateRule(word) == nil) }
}
