package enum ShardOutcome: Sendable {
  case done
  /// The shard has its name, but another attempt's file of the same moment may have been replaced.
  case doneUnguarded
  /// Another attempt was first.
  case lost
}
