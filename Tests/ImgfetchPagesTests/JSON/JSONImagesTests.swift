import Testing

@testable import ImgfetchPages

@Suite("Pictures of a JSON text")
struct JSONImagesTests {
  @Test(
    "Addresses of pictures are found by their endings and by their keys",
    arguments: [
      (#"{"a": "https://e.org/a.png", "b": "https://e.org/b"}"#, ["feed https://e.org/a.png"]),
      (#"{"image": "https://e.org/b", "name": "a.png"}"#, ["feed https://e.org/b"]),
      (#"{"images": [{"url": "https://e.org/b", "alt": "x"}]}"#, ["feed https://e.org/b"]),
      (#"{"images": ["/a", "/b"]}"#, ["feed /a", "feed /b"]),
      (#"{"author": {"avatar": "https://e.org/a", "url": "https://e.org"}}"#, ["icon https://e.org/a"]),
      (#"{"image": "data:image/png;base64,AA", "image": "two words.png"}"#, ["feed data:image/png;base64,AA"]),
      (
        #"{"image": {"large": {"url": "/l"}, "640": "/n", "author": {"url": "/p"}, "small": "/s"}}"#,
        ["feed /l", "feed /n", "feed /s"]
      ),
      (
        #"{"image": "/a?w=1&amp;h=2&amp;", "images": ["/b?x=&copy=1&#38;y", "/c?&amp;amp;"]}"#,
        ["feed /a?w=1&h=2&", "feed /b?x=&copy=1&#38;y", "feed /c?&amp;"]
      ),
      (
        #"[{"content": {"rendered": "<p><img src=\"/a\"></p>"}, "title": {"rendered": "A < b"}, "html": "<img src=b>"}]"#,
        ["feed /a", "feed b"]
      ),
      (
        #"{"images": [{"thumb": "/t@jpeg", "fullsize": "/f@jpeg"}], "pictures": {"sizes": [{"link": "https://e.org/v"}]}}"#,
        ["feed /t@jpeg", "feed /f@jpeg", "feed https://e.org/v"]
      ),
      (
        #"{"url": "http://e.org/repos/o/contents/a.png", "html_url": "http://e.org/a.png", "download_url": "/a.png"}"#,
        ["feed /a.png"]
      ),
      (#"{"self": "/a.png", "_links": {"html": "/a.png", "raw": "/repos/b.png"}}"#, ["feed /repos/b.png"]),
      (#"{"content": "https://e.org/a.png", "html": "https://e.org/p"}"#, ["feed https://e.org/a.png"]),
      (#"[{"attachments": [{"url": "https://e.org/p.jpg"}]}]"#, ["feed https://e.org/p.jpg"]),
      (
        #"{"attachment": [{"mediaType": "image/jpeg", "url": "https://e.org/a"}, {"type": "Image", "url": "/b"}]}"#,
        ["feed https://e.org/a", "feed /b"]
      ),
      (
        #"{"urls": {"raw": "https://e.org/a?w=0", "thumb": "https://e.org/a?w=1", "html": "https://e.org/p"}}"#,
        ["feed https://e.org/a?w=0", "feed https://e.org/a?w=1"]
      ),
      (#"{"entities": {"urls": [{"url": "https://e.org/p"}]}}"#, []),
      (
        #"{"webImage": {"url": "https://e.org/a"}, "primaryimageurl": "/b", "vm_image": "e.org/c:1", "hasPhoto": "y/n"}"#,
        ["feed https://e.org/a", "feed /b"]
      ),
      (#"{"url": "https://e.org/a", "mediaType": "video/mp4", "type": "Document"}"#, []),
      (
        #"{"url": "https://u.org/a.jpg", "descriptionurl": "https://e.org/wiki/File:a.jpg"}"#,
        ["feed https://u.org/a.jpg"]
      ),
      (
        #"{"icons": [{"src": "192.png", "type": "image/png"}, {"src": "/i.svg"}], "icon": {"url": "/a"}}"#,
        ["icon 192.png", "icon /i.svg", "icon /a"]
      ),
    ])
  func pictures(_ text: String, _ expected: [String]) {
    var json = JSONImages()
    for byte in text.utf8 { json.feed([byte].span) }
    let found = json.takeFound().map {
      "\($0.kind) \(String(decoding: $0.largest?.reference ?? [], as: UTF8.self))"
    }
    #expect(found == expected)
  }
}
