import ImgfetchCore
import Testing
import TestSupport

/// Bodies that are no accepted image, and what their messages must contain.
let foreignBodies: [(bytes: [UInt8], found: String)] = [
  ([], "empty"),
  (TestImages.html(title: "Please log in"), "not an image but an HTML page (\"<!DOCTYPE html> <html lang=\"en\">"),
  (text("\r\n  <HTML><body>Gone</body>"), "an HTML page"),
  (text("<!DOCTYPE html><p>Ring \u{7}"), "an HTML page"),
  (text("<!-- cached -->\n<html><p>Gone"), "an HTML page"),
  (text("<Error><Code>AccessDenied</Code></Error>"), "HTML or XML (\"<Error><Code>AccessDenied"),
  (text("<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>"), "HTML or XML"),
  (text("{\"error\": \"no such image\"}"), "JSON (\"{\"error\": \"no such image\"}\")"),
  (text("[1, 2, 3]"), "JSON"),
  (text("Not Found"), "text (\"Not Found\")"),
  (text("\u{FEFF}Zugriff verweigert, bitte melden Sie sich an"), "text (\"Zugriff verweigert"),
  (text("GI"), "text (\"GI\")"),
  (text("BM is short for bitmap, but this is a sentence"), "text"),
  (text("   \n"), "nothing but white space"),
  ([0xFF, 0xFE, 0x41, 0, 0x42, 0], "text (UTF-16)"),
  ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0], "compressed data (gzip)"),
  ([0x50, 0x4B, 3, 4, 20, 0, 0, 0], "an archive (ZIP)"),
  (text("RIFF") + [0x24, 0, 0, 0] + text("WAVEfmt "), "a RIFF file that is not WebP"),
  ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "data of an unknown kind, beginning with 00 01 02 03 04 05 06 07"),
  (box("isom", "mp42"), "a video (MP4)"),
  (text("%PDF-1.7\n"), "PDF"),
  ([0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0], "a Windows cursor (CUR)"),
  ([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 0, 32, 0, 24, 0x20, 9, 9], "a TGA image"),
  ([3, 1, 9, 0, 0, 4, 0, 24, 0, 0, 0, 0, 16, 0, 16, 0, 8, 0, 1, 2], "a TGA image"),
]

private func text(_ words: String) -> [UInt8] { Array(words.utf8) }

private func box(_ brand: String, _ others: String) -> [UInt8] {
  let content = text("ftyp" + brand) + [0, 0, 0, 0] + text(others)
  return [0, 0, 0, UInt8(content.count + 4)] + content + [0, 0, 0, 8] + text("meta")
}

@Suite("A body that is no image is named")
struct ForeignBodiesTests {
  @Test func byItsFirstBytes() {
    for body in foreignBodies {
      let message = refusal(body.bytes)?.description ?? "taken for an image"
      #expect(message.contains(body.found), "\(message)")
    }
  }

  @Test func beforeAllOfItHasArrived() {
    for body in foreignBodies where !body.found.contains("empty") && !body.found.contains("white space") {
      var inspector = Inspector()
      #expect(refusal(body.bytes + [UInt8](repeating: 0x20, count: 300), feeding: &inspector) != nil, "\(body.found)")
    }
  }

  @Test func aShortBeginningIsNotJudgedYet() throws {
    var inspector = Inspector()
    let image = TestImages.gif()
    for byte in image { try inspector.feed([byte].span) }
    #expect(try inspector.finish().format == .gif)
  }

  @Test func damagedSignatures() {
    var png = TestImages.png()
    png.remove(at: 4)  // as a transfer in text mode does with line ends
    #expect(refusal(png)?.description.contains("damaged PNG: its signature is altered") == true)
    var gif = TestImages.gif()
    gif[4] = 0x38
    #expect(refusal(gif)?.description.contains("damaged GIF: a version that does not exist") == true)
    #expect(refusal([0xFF, 0xD8] + [UInt8](repeating: 0, count: 20))?.description.contains("damaged JPEG") == true)
  }

  @Test func quotedTextIsSafeToPrint() throws {
    let nasty = "\u{1B}]0;owned\u{7}\u{1B}[31mre\u{202E}d\u{200B}\tand\r\nmore\u{0}"
    let message = try #require(refusal(Array(nasty.dropLast().replacing("\u{7}", with: "").utf8))?.description)
    #expect(message == "not an image but text (\"]0;owned[31mred and more\")")
    for scalar in message.unicodeScalars { #expect(scalar.value >= 0x20 && scalar.value != 0x202E) }
    let long = try #require(refusal(Array(String(repeating: "word ", count: 100).utf8))?.description)
    #expect(long.count < 120)
    let latin = try #require(refusal(Array("Acc".utf8) + [0xE8, 0x73] + Array(" refuse".utf8))?.description)
    #expect(latin.contains("text (\"Accs refuse\")"))
  }
}
