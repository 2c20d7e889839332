import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite struct AdviceTests {
  @Test func aHostThatIsAFileIsPerhapsAList() throws {
    let place = try TemporaryFolder()
    let file = try place.write("list.txt", "https://example.org/a.jpg\n")
    let unknown = FetchError(.name, "list.txt", "the host name could not be resolved")
    #expect(
      Advice.completing(unknown, given: file, .none).reason
        == "the host name could not be resolved; there is a file of that name: -i \(file) reads URLs from it, "
        + "--from \(file) takes images out of it, imgfetch show \(file) shows it"
    )
    #expect(Advice.completing(unknown, given: place.path, .none).reason.contains("imgfetch inspect -r \(place.path)"))
    for given in [place.path("none.txt"), "https://\(file)", ""] {
      #expect(Advice.completing(unknown, given: given, .none) == unknown)
    }
    #expect(Advice.completing(unknown, given: "-", .none).reason.hasSuffix("; -i - reads URLs from standard input"))
    let other = FetchError(.timeout, "list.txt", "no answer came")
    #expect(Advice.completing(other, given: file, .none) == other)
  }

  @Test(arguments: ["https://h:1/a.png", "//h:1/a.png", "h:1/a.png"])
  func theSameURLWithoutTLSIsNamed(_ subject: String) {
    let error = FetchError(.tls, subject, "no TLS", remedy: .askWithoutTLS)
    #expect(Advice.completing(error).reason == "no TLS; http://h:1/a.png asks without it")
  }

  @Test func aPageInPlaceOfAnImageIsASource() {
    let page = FetchError(.notImage, "e.org/a", "not an image but an HTML page (\"Title\")")
    #expect(Advice.completing(page, given: "e.org/a").reason.hasSuffix("; --from fetches the images that it names"))
    #expect(Advice.completing(page) == page)
  }

  @Test(arguments: [(401, "-u NAME:PASSWORD"), (407, "--proxy http://NAME:PASSWORD@")])
  func credentialsThatAreWantedCanBeGiven(_ status: Int, _ option: String) {
    let error = FetchError(.http, "e.org/a", "the server said no", status: status)
    #expect(Advice.completing(error, given: "e.org/a").reason.hasPrefix("the server said no; \(option)"))
    #expect(Advice.completing(error) == error)
  }

  @Test(arguments: [
    (FetchError.Remedy.allowMoreBytes, "--max-bytes"), (.allowMorePixels, "--max-pixels"),
    (.allowMoreRedirects, "--max-redirects"), (.allowMoreTime, "--max-time"), (.askAgain, "--retry-failed"),
    (.decodeUnprotected, "--no-sandbox"),
    (.trustAuthority, "--cacert"), (.nameAuthorities, "--cacert"), (.changeProxy, "--no-proxy"),
    (.showCertificate, "--cert"),
  ])
  func theOptionThatHelpsIsNamed(_ remedy: FetchError.Remedy, _ option: String) {
    let error = FetchError(.limit, "a.png", "too much", remedy: remedy)
    let reason = Advice.completing(error).reason
    #expect(reason.hasPrefix("too much; ") && reason.contains(option), "\(reason)")
  }
}
