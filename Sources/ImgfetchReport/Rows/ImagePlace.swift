/// The place of an image that lies in a shard, as the reader of its row counts: in the row itself there is none.
package struct ImagePlace: Sendable, Hashable {
  /// The number of the input.
  package let input: Int
  /// The number of the shard in the input.
  package let shard: Int
  package let offset: Int64
  package let size: Int64

  package init(input: Int, shard: Int, offset: Int64, size: Int64) {
    (self.input, self.shard, self.offset, self.size) = (input, shard, offset, size)
  }
}
