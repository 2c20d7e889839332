/// The outcome of an attempt to give an object or a file its name.
package enum CommitOutcome: Sendable {
  case done
  /// The name is there, but nothing could have kept the attempt from replacing that of a simultaneous one.
  case doneUnguarded
  /// Another attempt was first.
  case lost
}
