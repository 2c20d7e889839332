import Testing

@testable import ImgfetchCore

@Suite("The nature of request fields") struct FieldNatureTests {
  @Test(
    "A field is shown, shared or sent on only if it is known not to be a token",
    arguments: [
      ("Authorization", FieldNature.credential), ("COOKIE", .credential), ("proxy-authorization", .credential),
      ("Accept", [.shown, .sameImage, .travelling]), ("Referer", [.shown, .sameImage]), ("Range", .shown),
      ("Accept-Encoding", .shown), ("If-None-Match", .shown), ("X-Request-ID", [.shown, .sameImage, .tracing]),
      ("X-Api-Key", []), ("Accep", []), ("", []),
    ] as [(String, FieldNature)])
  func table(name: String, nature: FieldNature) { #expect(FieldNature.of(name) == nature) }
}
