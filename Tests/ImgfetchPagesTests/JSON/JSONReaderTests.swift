import Testing

@testable import ImgfetchPages

@Suite("JSON as a stream")
struct JSONReaderTests {
  @Test("Events follow the text, however it is cut")
  func events() {
    let text = #"{"a\u00e9":["x\n\ud83d\ude00",-1.5e3,true,null,{}],"b":"\ud83d"}"#
    let expected: [JSONEvent] = [
      .beginObject, .key(Array("aé".utf8)), .beginArray, .string(Array("x\n😀".utf8)), .literal(Array("-1.5e3".utf8)),
      .literal(Array("true".utf8)), .literal(Array("null".utf8)), .beginObject, .endObject, .endArray,
      .key(Array("b".utf8)), .string(Array("\u{FFFD}".utf8)), .endObject,
    ]
    #expect(events(of: text, cutInto: Int.max).events == expected)
    #expect(events(of: text, cutInto: 1).events == expected)
  }

  @Test("What is no JSON ends the reader", arguments: ["{]", "[}", "}", "<html>", #""\uZZZZ""#])
  func failures(_ text: String) {
    #expect(events(of: text, cutInto: 1).hasFailed)
  }

  @Test("Depth is bounded")
  func depth() {
    #expect(events(of: String(repeating: "[", count: 100_000), cutInto: 4_096).hasFailed)
  }

  private func events(of text: String, cutInto size: Int) -> (events: [JSONEvent], hasFailed: Bool) {
    var reader = JSONReader()
    var events: [JSONEvent] = []
    let bytes = Array(text.utf8)
    var at = 0
    while at < bytes.count {
      let end = at + min(size, bytes.count - at)
      reader.feed(bytes[at..<end].span) { events.append($0) }
      at = end
    }
    reader.finish { events.append($0) }
    return (events, reader.hasFailed)
  }
}
