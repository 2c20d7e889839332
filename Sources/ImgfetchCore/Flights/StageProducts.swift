/// The types of the values that the stages of a flight make and pass to one another. They belong to the rooms above
/// ``FlightMachine``, which does not look into them.
protocol StageProducts {
  /// A stored answer.
  associatedtype Copy: Sendable
  /// The part that a flight has claimed for its answer, if it has one.
  associatedtype ClaimedPart: Sendable
  /// The part that another process holds.
  associatedtype HeldPart: Sendable
  /// The head of an origin's answer.
  associatedtype Head: Sendable
  /// The answer for the waiters.
  associatedtype FinalAnswer: Sendable
}
