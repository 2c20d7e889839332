import Testing

@testable import ImgfetchPages

@Suite("Pictures of a Markdown text")
struct MarkdownImagesTests {
  @Test(
    "Pictures are found as CommonMark has them",
    arguments: [
      ("![a](b.png)", ["b.png"]),
      ("x ![a [b] c](<d e.png> \"t\") y", ["d e.png"]),
      ("![a](b_(1).png)![c](d.png)", ["b_(1).png", "d.png"]),
      ("![a][n]\n\n[N]: b.png", ["b.png"]),
      ("[n]: b.png\n![n]\n![a][n]", ["b.png", "b.png"]),
      ("![a][n] ![b](c.png) ![d][none]\n\n![e](f.png)\n\n[n]: g.png\n[n]: h.png", ["g.png", "c.png", "f.png"]),
      ("`![a](b.png)` ![c](d.png)", ["d.png"]),
      ("```\n![a](b.png)\n```\n![c](d.png)", ["d.png"]),
      ("    ![a](b.png)", []),
      ("\\![a](b.html) \\[a](b.png)", []),
      ("[a](b.png) [c](d.html)", ["b.png"]),
      ("<img src=a.png>\n\n<picture>\n<source srcset=b.png>\n<img src=c.png></picture>", ["a.png", "c.png"]),
      ("[![a](b.png)](c.html)", ["b.png"]),
      ("x ``` ![a](b.png) `` ![c](d.png) ``` ![e](f.png)", ["f.png"]), ("`` ` ![a](b.png)", ["b.png"]),
      ("![a](<b.png ![c](<d.png>)", ["d.png"]), ("[ ![a](b.png) [ ]", ["b.png"]), (#"![a\]b](c.png)"#, ["c.png"]),
      ("![multi\nline](ml.jpg) and ![a](\n  b.png)", ["ml.jpg", "b.png"]),
      ("text [link\ntext](l.png)\nmore ![a\r\n   b][the\nname]\n\n[The name]: n.png", ["l.png", "n.png"]),
      ("> ![a\n> b](q.png)", ["q.png"]), ("- ![a\n  b](i.png)\n- ![c](d.png)", ["i.png", "d.png"]),
      ("[open `\n\n![a](b.png)`\n", ["b.png"]), ("[open\n- ![a](b.png)\n[n]: c.png\n![n]", ["b.png", "c.png"]),
      ("[open\n```\n![a](b.png)\n```\n![c](d.png)", ["d.png"]),
      ("<!-- ![a](b.png) -->![c](d.png)<!-- <img src=e.png> -->", ["d.png"]),
      ("<!--\n![a](b.png)\n\n```\n[c](d.png)\n<img src=e.png>\n--> ![f](g.png)\n![h](i.png)", ["g.png", "i.png"]),
      ("`<!--` ![a](b.png) <!--> ![c](d.png)", ["b.png", "d.png"]), ("<!-- [ -->\n![a](b.png)", ["b.png"]),
    ])
  func pictures(_ text: String, _ expected: [String]) {
    #expect(found(in: text, cutInto: Int.max) == expected)
    #expect(found(in: text, cutInto: 1) == expected)
  }

  @Test(
    "Lists, quotes, paragraphs and HTML decide what is code",
    arguments: [
      ("1. x\n\n    ![a](b.png)\n\n2. x\n\n   - y\n\n     ![c](d.png)\n\n![e](f.png)", ["b.png", "d.png", "f.png"]),
      ("- x\n\n        ![a](b.png)\n\n![c](d.png)", ["d.png"]), ("* x\n    * y\n\n        ![a](b.png)", ["b.png"]),
      ("- ```\n  ![a](b.png)\n  ```\n\n![c](d.png)", ["d.png"]), ("- ```\n  ![a](b.png)\n![c](d.png)", ["d.png"]),
      ("1. x\n\n    ```\n    ![a](b.png)\n    ```\n\n    ![c](d.png)", ["d.png"]),
      ("> ```\n> ![a](b.png)\n> ```\n\n![c](d.png)", ["d.png"]),
      ("> > ![a\nb](c.png)\n> [n]: d.png\n\n![n]", ["c.png", "d.png"]),
      ("\t![a](b.png)\n\n![c](d.png)", ["d.png"]), ("-\tx\n\n\t![a](b.png)\n\n\t\t![c](d.png)", ["b.png"]),
      ("x\n    ![a](b.png)", ["b.png"]), ("# x\n    ![a](b.png)", []), ("```x``` ![a](b.png)", ["b.png"]),
      ("<div>\n    <img src=\"a.png\">\n        <p><img src=b.png></p>\n</div>", ["a.png", "b.png"]),
      ("* * *\n\n    ![a](b.png)", []), ("x\n2. ![a\n    b](c.png)", ["c.png"]),
      (
        "x\n    | ![a](b.png) |\n    # ![c](d.png)\n    ---\n    ![e](f.png)\n     \n    ![g](h.png)",
        ["b.png", "d.png", "f.png"]
      ),
    ])
  func blocks(_ text: String, _ expected: [String]) {
    #expect(found(in: text, cutInto: Int.max) == expected)
    #expect(found(in: text, cutInto: 1) == expected)
  }

  @Test(
    "Addresses have references and escapes, and end as CommonMark has it",
    arguments: [
      ("![a](b.png?x=1&amp;y=2)", ["b.png?x=1&y=2"]), ("![a](<b&#46;png> 't')", ["b.png"]),
      ("![n]\n\n[n]: b.png?x&amp;y", ["b.png?x&y"]), ("![a](b.png?x=1&copy=2&none;)", ["b.png?x=1&copy=2&none;"]),
      (#"![a](<b\>c.png>) ![d](e\_\(.png) ![f](g\&amp;.png)"#, ["b>c.png", "e_(.png", "g&amp;.png"]),
      ("![a](b c.png)\n\n![d](e.png =10x20) ![f](g.png (t))", ["e.png", "g.png"]),
      ("[n]:\n  b.png\n\n![n]", ["b.png"]), ("[n]:\n\n![a](b.png)", ["b.png"]), ("[n]: x ![a](b.png)", ["b.png"]),
      ("[^n]: ![a](b.png)", ["b.png"]), ("![![a](b.png)][none]", []),
      ("![![a](b.png)] ![c ![d](e.png)", ["b.png", "e.png"]),
    ])
  func targets(_ text: String, _ expected: [String]) {
    #expect(found(in: text, cutInto: Int.max) == expected)
    #expect(found(in: text, cutInto: 1) == expected)
  }

  @Test(
    "HTML in code is none, and that of the text comes in its order",
    arguments: [
      ("`<img src=a.png>` ![b](c.png)", ["c.png"]), (#"\<img src=a.png> <img src=b.png>"#, ["b.png"]),
      ("![a](b.png) <img src=c.png> ![d](e.png) <img src=f.png>", ["b.png", "c.png", "e.png", "f.png"]),
      (
        "![a](b.png) <img src=http://e.org/c.png alt=d> [e](f.png) ![g](h.png)",
        ["b.png", "http://e.org/c.png", "f.png", "h.png"]
      ),
      ("`<!--`\n\n<img src=a.png>", ["a.png"]), ("<img alt='`'\n  src=a.png>", ["a.png"]),
      ("<img src=\"a.png\" alt=\"`\"> <img src='b.png' alt = '![`]'> `c`", ["a.png", "b.png"]),
      ("x <b and ![a](b.png) c> <https://e.org/d.png> `e`", ["b.png", "https://e.org/d.png"]),
    ])
  func html(_ text: String, _ expected: [String]) {
    #expect(found(in: text, cutInto: Int.max) == expected)
    #expect(found(in: text, cutInto: 1) == expected)
  }

  @Test(
    "Code that spans lines has no pictures, and a mark without a second one begins none",
    arguments: [
      ("x `y ![a](b.png)\nz` ![c](d.png)", ["d.png"]), ("``x\n` ![a](b.png)\n<img src=c.png>`` ![d](e.png)", ["e.png"]),
      ("x ` y ![a](b.png)\n![c](d.png)", ["b.png", "d.png"]),
      ("x ` y ![a](b.png)\n\n` ![c](d.png)", ["b.png", "d.png"]),
      ("x \\` y\n![a](b.png) ` z", ["b.png"]), ("> x `y\n> ![a](b.png)` ![c](d.png)", ["d.png"]),
      ("<p>it`s <img src=a.png>\n<p>it`s <img src=b.png>", ["a.png", "b.png"]),
      ("x\n<p>it`s <img src=a.png>\nit`s", ["a.png"]),
      ("x `y\n# z ![a](b.png)` ![c](d.png)", ["b.png", "d.png"]), ("`x`\n![a](b.png)", ["b.png"]),
    ])
  func codeOverLines(_ text: String, _ expected: [String]) {
    #expect(found(in: text, cutInto: Int.max) == expected)
    #expect(found(in: text, cutInto: 1) == expected)
  }

  @Test("A text over several lines is one line")
  func alt() {
    var markdown = MarkdownImages()
    markdown.feed(Array("![multi\n  line](a.png)".utf8).span)
    markdown.finish()
    #expect(markdown.takeFound().first?.alt == Array("multi line".utf8))
  }

  @Test("A definition has a title, and no end of pictures waits for it")
  func definitions() {
    let waiting = String(repeating: "![x](x.png)\n\n", count: 5_000)
    var markdown = MarkdownImages()
    markdown.feed(Array(("![a][n]\n\n" + waiting).utf8).span)
    #expect(markdown.takeFound().count > 2_000)
    markdown.feed(Array("[n]: a.png \"T\"\n".utf8).span)
    markdown.finish()
    let last = markdown.takeFound().last
    #expect(last?.alt == Array("a".utf8) && last?.title == Array("T".utf8))
  }

  @Test("Thousands of long references lead to one definition, or to one each, before them or behind them")
  func references() {
    let text = String(repeating: "x", count: 1_000)
    let same = String(repeating: "![\(text)][n]\n\n", count: 4_500)
    #expect(found(in: "[n]: a.png\n\n" + same, cutInto: 1 << 16).count == 4_500)
    let names = (0..<4_000).map { "\(text.prefix(500))\($0)" }
    let definitions = names.indices.map { "[\(names[$0])]: \($0).png\n" }.joined()
    let references = names.map { "![a][\($0)]\n\n" }.joined()
    let expected = names.indices.map { "\($0).png" }
    #expect(found(in: definitions + "\n" + references, cutInto: 1 << 16) == expected)
    #expect(found(in: references + definitions, cutInto: 1 << 16) == expected)
  }

  private func found(in text: String, cutInto size: Int) -> [String] {
    var markdown = MarkdownImages()
    let bytes = Array(text.utf8)
    var at = 0
    while at < bytes.count {
      let end = at + min(size, bytes.count - at)
      markdown.feed(bytes[at..<end].span)
      at = end
    }
    markdown.finish()
    return markdown.takeFound().map { String(decoding: $0.largest?.reference ?? [], as: UTF8.self) }
  }
}
