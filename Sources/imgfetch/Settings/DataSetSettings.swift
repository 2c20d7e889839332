import ImgfetchCore
import ImgfetchDataSet

/// The contents of a data set.
struct DataSetSettings: Sendable {
  /// Lines of a shard.
  var perShard = 10_000
  var shardBy = Choices.Sharding.lines
  /// The part of a shard's lines that may fail for a passing reason.
  var mostTransient = 0.05
  /// The part of the lines that may make no sense.
  var mostInvalid = 0.01
  var obeysRobotsTag = true
  /// True if a last shard that has fewer records than its list has now is made anew.
  var extends = false
  /// True if counts are put beside each shard.
  var hasStatistics = false
  /// The use that the images are for.
  var purpose = UsePurpose.any
  /// True if `noindex` and `noimageindex` keep an image out, too.
  var refusesNoIndex = false
  var printsRows = false
  /// True if the failed lines of existing shards are tried once more.
  var isAgain = false
  /// Hosts that several parts share.
  var splitHosts: [String] = []
  /// The extension of all images; nil for that of each one's format.
  var memberExtension: String?
}
