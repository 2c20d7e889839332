import ImgfetchCore
import ImgfetchDataSet

/// The events of making a data set that the run handles.
struct PackEvents: Sendable {
  var report: @Sendable (ShardReport) -> Void
  /// A shard is not made. ``fail`` or ``end`` follows.
  var refuse: @Sendable (ShardReport.Refusal) -> Void
  /// A shard is not made, for this reason and with this exit code.
  var fail: @Sendable (String, Int32) -> Void
  /// Ends the packing, because no further shard can be made.
  var end: @Sendable (String, Int32) -> Void
  var warn: @Sendable (String) -> Void
  /// A shard is no longer open.
  var whenClosed: @Sendable (OpenShard) -> Void
}
