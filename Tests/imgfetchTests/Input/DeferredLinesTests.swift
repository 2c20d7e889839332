import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite("Lines that wait for their hosts") struct DeferredLinesTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  @Test("A line is read again from its own list, also if no line of an earlier list waits any more")
  func lists() throws {
    var waiting = DeferredLines(operands: [], isNullEnded: false, folder: place.path("spool"))
    for name in ["one", "two", "three"] {
      let url = "https://example.org/\(name)"
      var list = InputList(operands: [], lists: [try place.write(name, "\(url)\n\(url)\n")])
      guard case .line(let line)? = try list.next(),
        let kept = waiting.keep(line, at: list.place, index: 1, isRepeated: false),
        case .line(let again) = waiting.remove(kept)
      else {
        Issue.record("the line of \(name) is lost")
        return
      }
      #expect(again.text == url && again.tag.number == 1)
    }
  }
}
