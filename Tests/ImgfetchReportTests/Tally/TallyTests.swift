import Testing

@testable import ImgfetchReport

@Suite("Counts of any number of rows")
struct TallyTests {
  private func tally(_ rows: [String]) -> ReportTally {
    var (tally, scanner, row) = (ReportTally(), RowScanner(), Row())
    for text in rows {
      let bytes = Array(text.utf8)
      if scanner.scan(bytes.span, &row) { tally.add(row, in: bytes.span) } else { tally.addStrange() }
    }
    return tally
  }

  @Test("Quantiles are exact at first, and within half a percent of any number")
  func quantiles() throws {
    var quantiles = Quantiles()
    for value in [4.0, 1, 3, 2] { quantiles.add(value) }
    #expect(quantiles.value(at: 0.5) == 2.5 && quantiles.value(at: 0.99) == 4)
    var many = Quantiles()
    for value in 1...100_000 { many.add(Double(value)) }
    for part in [0.5, 0.95, 0.99] {
      let value = try #require(many.value(at: part))
      #expect(abs(value - part * 100_000) < part * 600, "\(part): \(value)")
    }
    #expect(many.value(at: 1) == 100_000 && Quantiles().value(at: 0.5) == nil)
  }

  @Test("Spans of time double until all rows are within 240 of them")
  func timeline() {
    var timeline = Timeline()
    for time in [1_000, 1_001, 1_001, 90_000, 10] as [Int64] { timeline.add(time, failed: time == 10, bytes: 5) }
    #expect(timeline.spans.count <= Timeline.most && timeline.start <= 10 && timeline.end > 90_000)
    #expect(timeline.spans.reduce(0) { $0 + $1.images } == 4 && timeline.spans.reduce(0) { $0 + $1.failed } == 1)
  }

  @Test("Hosts are told without user, in lower case, with a port that is not the scheme's")
  func hosts() {
    let urls = [
      "https://u:p@A.example:443/x", "https://a.example/y", "http://a.example:81/", "https://b.example?z", "file",
    ]
    let tally = tally(urls.map { #"{"url":"\#($0)","error":{"kind":"timeout","message":"no"}}"# })
    #expect(
      tally.hosts.failing(most: 9).map { "\($0.host.name) \($0.host.failed)" } == [
        "a.example 2", "a.example:81 1", "b.example 1",
      ])
    #expect(tally.hosts.isExact)
  }

  @Test("A host with failures has its causes, the most frequent first")
  func causesOfAHost() {
    let row = { (kind: String, status: String) in
      #"{"url":"http://a.example/1","status":\#(status),"error":{"kind":"\#(kind)","message":"no"}}"#
    }
    let rows = [row("http", "404"), row("timeout", "null"), row("http", "503"), row("http", "503")]
    let causes = tally(rows).hosts.failing(most: 9).map { $0.causes.map { "\($0.word) \($0.value)" } }
    #expect(causes == [["http:503 2", "http:404 1", "timeout 1"]])
  }

  @Test("Of more than 100,000 hosts those with the most failures stay, and the table says that it is approximate")
  func manyHosts() {
    let rows = (0..<100_500).map { number in
      #"{"url":"http://h\#(number % 100_400).example/","error":\#(number < 100 ? #"{"kind":"http","message":"m"}"# : "null")}"#
    }
    let hosts = tally(rows).hosts
    #expect(!hosts.isExact && hosts.failing == 100 && hosts.count <= 100_000)
  }

  @Test("Words from outside take no memory without end")
  func words() {
    let tally = tally((0..<500).map { #"{"url":"u","format":"f\#($0)","bytes":1,"error":null}"# })
    #expect(tally.formats.sorted { $0.count }.count == 65)
    #expect(tally.formats["other"]?.count == 436)
  }

  @Test("The same seed chooses the same rows, and the largest come first")
  func samples() {
    let rows = (1...500).map { #"{"url":"u\#($0)","bytes":\#($0 * 7 % 501),"error":null}"# }
    let (one, other) = (tally(rows), tally(rows))
    #expect(one.any.samples.map(\.url) == other.any.samples.map(\.url) && one.any.samples.count == 72)
    #expect(one.largest.samples.first?.bytes == 500 && one.smallest.samples.first?.bytes == 1)
  }
}
