/// The types of what the stages of a flight make and hand on to one another. They belong to the rooms above
/// ``FlightMachine``, which only passes them on.
protocol StageProducts {
  /// A stored answer.
  associatedtype Copy: Sendable
  /// The place for the answer, which may be none.
  associatedtype ClaimedPlace: Sendable
  /// The place that another process has claimed.
  associatedtype BusyPlace: Sendable
  /// The head of an origin's answer.
  associatedtype Head: Sendable
  /// The answer for the waiters.
  associatedtype FinalAnswer: Sendable
}
