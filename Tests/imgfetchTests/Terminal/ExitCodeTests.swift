import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct ExitCodeTests {
  private func code(_ kinds: FetchError.Kind...) -> Int32 {
    var code = ExitCode()
    for kind in kinds { code.add(FetchError(kind, "x", "y")) }
    return code.value
  }

  @Test func aRunWithoutFailureEndsWithZero() { #expect(code() == 0) }

  @Test(
    arguments: [
      (FetchError.Kind.name, Int32(3)), (.connect, 3), (.tls, 3), (.timeout, 3), (.truncated, 3), (.http, 4),
      (.notImage, 5),
      (.damaged, 5), (.limit, 5), (.checksum, 5), (.offline, 6), (.file, 7), (.refused, 8), (.cancelled, 1),
    ])
  func eachKindHasItsCode(_ kind: FetchError.Kind, _ expected: Int32) { #expect(code(kind, kind) == expected) }

  @Test func kindsOfOneCodeAreOneKind() {
    #expect(code(.name, .tls, .truncated) == 3)
    #expect(code(.notImage, .checksum) == 5)
  }

  @Test func severalKindsAreOne() {
    #expect(code(.http, .name) == 1)
    #expect(code(.offline, .file, .refused) == 1)
  }

  @Test func whatWasBrokenOffDoesNotHideTheReason() {
    #expect(code(.http, .cancelled, .cancelled) == 4)
    #expect(code(.cancelled, .http, .name) == 1)
  }

  @Test func aSignalDecidesAndTheFirstOneCounts() {
    var code = ExitCode()
    code.add(FetchError(.http, "x", "y"))
    code.interrupt(by: 2)
    code.interrupt(by: 15)
    #expect(code.value == 130)
  }

  @Test func aReaderThatHasGoneDecidesToo() {
    var code = ExitCode()
    code.add(FetchError(.http, "x", "y"))
    code.interrupt(with: ExitCode.unheard)
    #expect(code.value == 141)
  }
}
