/// How far a run has come at one moment: all that a progress display shows.
struct ProgressSnapshot: Hashable, Sendable {
  struct Flight: Hashable, Sendable {
    var url: String
    var received: Int64 = 0
    /// Nil where the server does not say.
    var total: Int64?
    /// Why nothing comes, where that is known.
    var note: String?

    /// From 0 to 1; nil where the total is not known, or is no more than what came.
    var fraction: Double? {
      guard let total, total > 0, received <= total else { return nil }
      return Double(max(0, received)) / Double(total)
    }
  }

  /// In the order in which they began.
  var flights: [Flight] = []
  /// Images that are done with, failed ones included.
  var done = 0
  var failed = 0
  /// How many images there are; nil while a list that could not be counted is being read.
  var total: Int?
  /// Bytes that came over the network.
  var bytes: Int64 = 0
  /// Bytes a second, over the last seconds.
  var speed: Double = 0
  /// Seconds; nil where nobody can tell.
  var secondsLeft: Double?
}
