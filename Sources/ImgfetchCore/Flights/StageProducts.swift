/// The types of the values that the stages of a flight make and pass to one another. They belong to the rooms above
/// ``FlightMachine``, which does not look into them.
protocol StageProducts {
  /// A stored answer.
  associatedtype Copy: Sendable
  /// The place for the answer, if there is one.
  associatedtype ClaimedPlace: Sendable
  /// The place that another process has claimed.
  associatedtype BusyPlace: Sendable
  /// The head of an origin's answer.
  associatedtype Head: Sendable
  /// The answer for the waiters.
  associatedtype FinalAnswer: Sendable
}
