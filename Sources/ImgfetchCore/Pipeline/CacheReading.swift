/// Whether a stored image is an answer, or only good for its validators: the table of policies as a value.
struct CacheReading {
  let policy: CachePolicy
  /// Under policies that ask the origin once per key and run: whether that is still to be done.
  let isFirstAsking: Bool
  let maximumAge: Double
  /// Whether what is there has turned out to be of no use to who asks.
  var isDistrusted = false

  enum Verdict: Equatable {
    case serve
    /// Ask the origin whether it is still right.
    case revalidate
    /// As if it were not there.
    case ignore
  }

  /// - Parameter age: in seconds since it was stored or revalidated; nil: its time lies in the future, and says nothing.
  func verdict(age: Double?) -> Verdict {
    switch policy {
    case .only, .memory: return .serve
    case .off: return .ignore
    case .reload: return isFirstAsking ? .ignore : .serve
    case .refresh: return isFirstAsking ? .revalidate : .serve
    case .age, .http:
      guard let age, age <= maximumAge else { return .revalidate }
      return .serve
    }
  }

  /// Whether this process's memory is looked at.
  var readsMemory: Bool {
    !isDistrusted && policy != .off && !(isFirstAsking && (policy == .reload || policy == .refresh))
  }
  /// Whether the disk is.
  var readsDisk: Bool { !isDistrusted && policy != .off && policy != .memory && !(isFirstAsking && policy == .reload) }
}
