/// A list of a data set that could not be read to its end. The lines behind those that were read would have other
/// numbers in the next attempt, so that no shard is made of them.
struct BrokenList: Sendable {
  let name: String
  /// The number of lines that were read before.
  let lines: Int
  let exitCode: Int32

  /// The reason why the shard whose lines were being read is not made.
  var ofShard: String { "its lines are not known before \(name) can be read to its end" }

  /// The message if no shard was open.
  var ofSet: String {
    "the data set is not complete: \(name) cannot be read to its end, and what would follow \(Amount.count(lines, "line")) of the "
      + "list is not known"
  }
}
