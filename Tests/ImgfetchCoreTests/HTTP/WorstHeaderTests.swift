import Glibc
import Testing

@testable import ImgfetchCore

/// The cost of the worst header that is accepted. Optimised, it is under 5 ms of processor time. Tests are not
/// optimised, but a quadratic algorithm would still take ten times the limit here.
@Suite("The worst header that is accepted") struct WorstHeaderTests {
  private static let now = WallTime(seconds: 1_800_000_000)

  /// The greatest number of fields, whose names differ only at their end.
  private static func block(_ value: String) -> HeaderFields {
    HeaderFields((0..<1000).map { (name: String(repeating: "x", count: 200) + String(100_000 + $0), value: value) })
  }

  private static func list(_ name: String, _ member: String) -> HeaderFields {
    var fields = block("1")
    fields.replace(name, with: "")
    fields.remove(name)
    var line = "\(name): "
    while line.utf8.count < 4000 { line += member }
    let first = HeaderFields([(name: name, value: String(line.dropFirst(name.utf8.count + 2)))])
    return HeaderFields(first.map { ($0.name, $0.value) } + fields.dropLast(50).map { ($0.name, $0.value) })
  }

  private func milliseconds(_ work: () -> Void) -> Int {
    func time() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
    let start = time()
    work()
    return time() - start
  }

  @Test("is merged with another one like it", arguments: ["1", "2"])
  func merging(value: String) {
    let (stored, answer) = (Self.block("1"), Self.block(value))
    var merged = stored
    var isNoteworthy = false
    let spent = milliseconds { isNoteworthy = !merged.isKept(by: answer) && merged.update(from: answer) }
    #expect(isNoteworthy == (value == "2") && merged == answer)
    #expect(spent < 1000, "\(spent) ms")
  }

  @Test("loses the fields that its lists name", arguments: ["Connection", "Cache-Control"])
  func lists(name: String) {
    let fields = Self.list(name, name == "Connection" ? "a,b, " : "no-cache=\"a,b\", ")
    var answer = StoredAnswer(status: 200, fields: fields, requestTime: Self.now, responseTime: Self.now)
    let spent = milliseconds { answer.makeStorable() }
    #expect(answer.fields.count > 900)
    #expect(spent < 1000, "\(spent) ms")
  }

  @Test("lists the fields it varies by")
  func varying() {
    var line = ""
    for number in 0..<1200 { line += "\(String(number, radix: 36))," }
    let fields = HeaderFields([(name: "Vary", value: line)])
    let request = HeaderFields([(name: "a", value: "1"), (name: "b", value: "2")])
    let spent = milliseconds { _ = Variance(fields).selecting(from: request) }
    #expect(spent < 1000, "\(spent) ms")
  }

  @Test("fills a jar with cookies")
  func cookies() throws {
    let url = try WebURL("http://a.test/")
    var jar = CookieJar((0..<2900).map { "b.test\tFALSE\t/\tFALSE\t0\tname\($0)\tv" }.joined(separator: "\n"))
    let answer = HeaderFields((0..<1000).map { (name: "Set-Cookie", value: "name\($0)=w") })
    let spent = milliseconds { jar.take(answer, from: url, at: Self.now) }
    #expect(jar.field(for: url, at: Self.now)?.split(separator: ";").count == 50)
    #expect(spent < 2000, "\(spent) ms")
  }
}
