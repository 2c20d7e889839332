import ImgfetchCore
import Testing

@Suite struct ChallengeTests {
  @Test(
    arguments: [
      "Digest realm=\"r\", nonce=\"n\"", "digest realm=r", "Basic realm=\"a\", Digest realm=\"b\"",
      "Basic realm=\"quoted \\\" , Basic\",Digest nonce=\"x\"", "Negotiate, DIGEST  qop=auth",
    ])
  func offered(value: String) {
    #expect(Challenge.offersDigest(HeaderFields([("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", value)])))
  }

  @Test(
    arguments: [
      "Basic realm=\"x, Digest y\"", "Basic realm=\"Digest\"", "", "Digestive x=1",
      "Basic realm=\"\\\"\", x=\", Digest \"",
      "Basic Digest",
    ])
  func notOffered(value: String) {
    #expect(!Challenge.offersDigest(HeaderFields([("WWW-Authenticate", value), ("X", "Digest realm=r")])))
  }
}
