import ImgfetchCore

/// Part `index` (from 1) of `count` of a list, which one of as many machines takes (`--shard`).
package struct ListPart: Hashable, Sendable {
  package var index: Int
  package var count: Int

  package init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  /// The list as one part.
  package static let whole = ListPart(index: 1, count: 1)

  /// True if a key falls into this part. Every machine gives the same answer, for any order of the list, and each key
  /// is in exactly one part.
  package func contains(_ key: ContentHash) -> Bool {
    // The low half, because the high one selects the entry's folder, and each part should fill all folders evenly.
    count <= 1 || Int(key.low % UInt64(count)) == index - 1
  }
}
