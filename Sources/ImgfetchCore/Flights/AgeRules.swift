/// What a stored image is good for under the policies that go by age: the table of policies as a value.
struct AgeRules: Sendable {
  let policy: CachePolicy
  /// Under policies that ask the origin once per key and run: whether that is still to be done.
  let isFirstAsking: Bool
  let maximumAge: Double
  /// Whether what is there has turned out to be of no use to the asker.
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

// Why, for `-v`.
extension AgeRules {
  /// Why the origin is asked although the disk holds an image that is so old.
  func reasonToAsk(whenStored age: Double?) -> String {
    if policy == .refresh { return "on disk, which under refresh is not enough" }
    guard let age else { return "on disk, with a time that lies ahead" }
    return "on disk, \(Self.words(age)) old, which is more than \(Self.words(maximumAge))"
  }

  /// Why it is asked where nothing was found.
  var reasonToAsk: String {
    if readsDisk { return "not in the cache" }
    return policy == .memory ? "not in memory" : "not looked for in the cache (\(policy.rawValue))"
  }

  /// A length of time in the largest unit of which there are two: `90 s`, `36 h`, `7.5 d`.
  static func words(_ seconds: Double) -> String {
    let units: [(name: String, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
    let unit = units.first { seconds >= 2 * $0.seconds } ?? ("s", 1)
    let tenths = (seconds / unit.seconds * 10).rounded(.down)
    guard tenths < 1e15 else { return "ages" }
    let (whole, rest) = Int64(tenths).quotientAndRemainder(dividingBy: 10)
    return whole < 10 && rest > 0 && unit.seconds > 1 ? "\(whole).\(rest) \(unit.name)" : "\(whole) \(unit.name)"
  }
}
