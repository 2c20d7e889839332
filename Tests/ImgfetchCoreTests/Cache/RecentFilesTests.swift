import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("The last open files of memory") struct RecentFilesTests {
  @Test("Each that counts is found, however many have made room", arguments: [1, 3, 128])
  func found(most: Int) throws {
    var files = RecentFiles(most: most)
    var keys: [CacheKey] = []
    for number in 0..<2000 {
      let key = CacheKey(url: "https://example.org/\(number % 700).jpg")
      let entry = MemoryCache.Entry(
        SharedMetadata(.sample(key)), image: ImageBody(.bytes([])), stored: WallTime(seconds: 1))
      _ = files.keep(entry, cost: 1)
      keys.append(key)
      #expect(files.entry(of: key) === entry)
      #expect(files.count == files.cost && files.count <= most)
    }
    let there = Set(keys).filter { files.entry(of: $0) != nil }
    #expect(there.count == files.count && there.isSubset(of: keys.suffix(most + 1)))
    for key in there { #expect(files.remove(key) != nil && files.entry(of: key) == nil) }
    #expect(files.count == 0 && files.cost == 0)
  }
}
