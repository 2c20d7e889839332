/// The requests of a list that have not been made yet.
///
/// A type of its own: a closure that is read out of a generic box is wrapped once more each time.
struct LinesAhead: Sendable {
  /// True if some of them go to an origin.
  let isThere: @Sendable (Origin) -> Bool
}
