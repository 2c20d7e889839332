import Testing

@testable import ImgfetchPages

@Suite("Encodings of texts")
struct TextDecoderTests {
  /// Texts beside their bytes: the ASCII part, and the rest.
  private static let cases: [(String, [UInt8])] = [
    ("<meta charset=utf-8>é", bytes("<meta charset=utf-8>é")),
    ("<meta charset='windows-1251'>\u{44F}", bytes("<meta charset='windows-1251'>", 0xFF)),
    (
      "<meta http-equiv=Content-Type content='text/html; charset=ISO-8859-2'>\u{142}",
      bytes("<meta http-equiv=Content-Type content='text/html; charset=ISO-8859-2'>", 0xB3)
    ),
    ("<?xml version='1.0' encoding='koi8-r'?>\u{42F}", bytes("<?xml version='1.0' encoding='koi8-r'?>", 0xF1)),
    ("é", bytes("é")),
    ("é\u{20AC}", bytes("", 0xE9, 0x80)),
    ("a", bytes("", 0xEF, 0xBB, 0xBF, 0x61)),
    ("aé😀", bytes("", 0xFF, 0xFE, 0x61, 0, 0xE9, 0, 0x3D, 0xD8, 0x00, 0xDE)),
    ("aé", bytes("", 0xFE, 0xFF, 0, 0x61, 0, 0xE9)),
    ("<meta charset=utf-8>\u{FFFD}\u{FFFD}a", bytes("<meta charset=utf-8>", 0xC0, 0xAF, 0x61)),
    ("<meta charset=gbk>\u{FFFD}<", bytes("<meta charset=gbk>", 0xC4, 0xE3, 0x3C)),
    ("<meta charset=ms932>\u{FFFD}<", bytes("<meta charset=ms932>", 0x83, 0x3C)),
    ("<meta charset=iso_8859-2:1987>\u{142}", bytes("<meta charset=iso_8859-2:1987>", 0xB3)),
    ("<meta charset=visual>\u{5D0}", bytes("<meta charset=visual>", 0xE0)),
    ("<meta charset=koi8-u>\u{45E}\u{40E}", bytes("<meta charset=koi8-u>", 0xAE, 0xBE)),
    ("<meta charset=windows-1255>\u{5BA}", bytes("<meta charset=windows-1255>", 0xCA)),
    // Browsers look on in a head that is longer than a kilobyte, and no further.
    ("\(longHead)<meta charset=windows-1251>\u{44F}", bytes("\(longHead)<meta charset=windows-1251>", 0xFF)),
    ("\(longBody)<meta charset=windows-1251>\u{FF}", bytes("\(longBody)<meta charset=windows-1251>", 0xFF)),
  ]
  private static let longHead = "<!doctype html><head><script>\(String(repeating: "a", count: 2_000))</script>"
  private static let longBody = "<!doctype html><body><p>\(String(repeating: "a", count: 2_000))</p>"

  private static func bytes(_ text: String, _ more: UInt8...) -> [UInt8] { Array(text.utf8) + more }

  @Test(
    "A page is read in the encoding that it names",
    arguments: cases)
  func encodings(_ expected: String, _ bytes: [UInt8]) {
    #expect(decoded(bytes, cutInto: Int.max) == expected)
    #expect(decoded(bytes, cutInto: 1) == expected)
  }

  @Test("The header comes before what the page says, and a mark before both")
  func order() {
    let page = Array("<meta charset=utf-8>".utf8)
    #expect(decoded(page + [0xFF], label: "windows-1251") == "<meta charset=utf-8>\u{44F}")
    #expect(decoded([0xEF, 0xBB, 0xBF] + Array("é".utf8), label: "windows-1251") == "é")
    #expect(decoded(page + [0xFF], label: "no-such") == "<meta charset=utf-8>\u{FFFD}")
  }

  @Test("A text that is longer than its beginning is decoded to its end")
  func long() {
    let text = String(repeating: "aé😀", count: 2_000)
    #expect(decoded(Array(text.utf8), cutInto: 7) == text)
  }

  private func decoded(_ bytes: [UInt8], cutInto size: Int = Int.max, label: String? = nil) -> String {
    var decoder = TextDecoder(label: label.map { Array($0.utf8) })
    var text: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let end = at + min(size, bytes.count - at)
      decoder.decode(bytes[at..<end].span, isMarkup: true, into: &text)
      at = end
    }
    decoder.finish(isMarkup: true, into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
