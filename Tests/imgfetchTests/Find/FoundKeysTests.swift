import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct FoundKeysTests {
  @Test func eachKeyIsNewOnce() {
    var keys = FoundKeys()
    let hashes = (0..<50_000).map { ContentHash(of: "http://a/\($0)") }
    let first = hashes.count { keys.insert($0) }
    let again = hashes.count { keys.insert($0) }
    let another = keys.insert(ContentHash(of: "http://a/50000"))
    #expect(first == 50_000 && again == 0 && another)
  }
}
