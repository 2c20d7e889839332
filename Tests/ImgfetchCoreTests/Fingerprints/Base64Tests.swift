import ImgfetchCore
import Testing

@Suite("Base64") struct Base64Tests {
  @Test("Is that of RFC 4648")
  func known() {
    for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
      #expect(Base64.bytes(Array(plain.utf8)) == Array(coded.utf8))
    }
  }
}
