import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite("A list while it is downloaded") struct RemoteListTests {
  private func list(limit: Int64 = .max) throws -> (RemoteList, TemporaryFolder) {
    let folder = try TemporaryFolder()
    return (try RemoteList(WebURL("http://example.org/list"), limit: limit, spoolIn: folder.path), folder)
  }

  private func piece(_ number: Int) -> [UInt8] { (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 4096 + number) } }

  @Test func whatIsFarAheadIsHeldUntilItWasRead() throws {
    let (list, folder) = try list()
    defer { _ = folder }
    list.begin()
    var (given, taken) = (0, 0)
    // More than twice the size of the file, so that it is written round and round.
    while taken < 150 {
      while !list.isFull, given < 150 {
        try list.take(piece(given).span)
        given += 1
      }
      #expect(given - taken <= 48)
      var bytes: [UInt8] = []
      while bytes.count < 1 << 20 {
        guard case .bytes = try list.read(into: &bytes, count: (1 << 20) - bytes.count) else { break }
      }
      #expect(bytes == piece(taken))
      taken += 1
    }
    list.end(nil)
    var rest: [UInt8] = []
    guard case .end = try list.read(into: &rest, count: 1) else { return #expect(Bool(false), "it has no end") }
  }

  @Test func aListThatBeginsAnewMustBeTheSame() throws {
    for isSame in [true, false] {
      let (list, folder) = try list()
      defer { _ = folder }
      list.begin()
      try list.take(Array("first\nsecond\n".utf8).span)
      list.begin()
      try list.take(Array("first\n".utf8).span)
      let rest = Array((isSame ? "second\nthird\n" : "secund\nthird\n").utf8)
      do throws(FetchError) {
        try list.take(rest.span)
        #expect(isSame)
      } catch { #expect(!isSame && error.kind == .truncated) }
    }
  }

  @Test func whatIsLongerThanAllowedIsRefused() throws {
    let (list, folder) = try list(limit: 10)
    defer { _ = folder }
    list.begin()
    try list.take(Array("123456".utf8).span)
    #expect(throws: FetchError.self) { try list.take(Array("78901".utf8).span) }
  }
}
