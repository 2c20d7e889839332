import Testing

@testable import ImgfetchCore

@Suite("A content type")
struct ContentTypeTests {
  @Test(
    "is what stands before the parameters, in lower case",
    arguments: [
      ("image/png", "image/png"), ("Text/HTML; charset=\"x;y\"", "text/html"), (" image/svg+xml ;a=b", "image/svg+xml"),
    ])
  func essence(value: String, essence: String) {
    #expect(ContentType(value)?.essence == essence)
  }

  @Test(
    "is none where there is no type",
    arguments: ["", "image", "/png", "image/", "a/b/c", "text html/x", "a/b c", ";a=b"])
  func invalid(value: String) {
    #expect(ContentType(value) == nil)
  }

  @Test("tells pages from images")
  func kinds() {
    #expect(ContentType("text/html;charset=utf-8")?.isHTML == true)
    #expect(ContentType("image/webp")?.isImage == true)
    #expect(ContentType("application/octet-stream")?.isHTML == false)
  }
}
