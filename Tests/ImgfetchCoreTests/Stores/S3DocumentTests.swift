import Testing

@testable import ImgfetchCore

@Suite("Documents of S3") struct S3DocumentTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("The code of an error is read, and nothing that is none")
  func codes() {
    let error = bytes("<?xml version=\"1.0\"?>\n<Error><Code>NoSuchBucket</Code><Message>x</Message></Error>")
    #expect(S3Document.errorCode(in: error) == "NoSuchBucket")
    for other in [
      "", "<Code>a</Code>", "<Error><Code></Code></Error>", "<Error><Code>a b\u{1B}[1m</Code></Error>",
      "<Error><Code>a",
    ] {
      #expect(S3Document.errorCode(in: bytes(other)) == nil)
    }
  }

  @Test("Texts lose their entities, and get them")
  func entities() {
    #expect(S3Document.text(of: "UploadId", in: bytes("<a><UploadId>1&amp;lt;&quot;</UploadId></a>")) == "1&lt;\"")
    #expect(
      String(decoding: S3Document.completion(of: ["a&<>"]), as: UTF8.self).contains("<ETag>a&amp;&lt;&gt;</ETag>"))
  }
}
