/// The policies that go by age, as a value: the use of a stored image under each.
struct AgeRules: Sendable {
  let policy: CachePolicy
  /// True if the origin is still to be asked, under policies that ask once per key and run.
  let isFirstAsking: Bool
  let maximumAge: Double
  /// True if the stored answer has turned out to be useless for the request.
  var isDistrusted = false
  /// True if an answer is revalidated sooner if its server says that it is valid for a shorter time.
  var believesServers = true
  /// The least time for which an answer of this run stays fresh, whatever the maximum age is.
  var leastAge: Double = 0

  /// The least time for which an answer of this run stays fresh, however strict its server is. Otherwise each line of a
  /// list would ask.
  static let leastStatedAge: Double = 60

  enum Verdict: Equatable {
    case serve
    /// Ask the origin whether it is still right.
    case revalidate
    case ignore
  }

  /// The verdict on a stored copy.
  ///
  /// - Parameters:
  ///   - age: the seconds since it was stored or revalidated. Nil means that its time lies in the
  ///     future, and says nothing.
  ///   - isOfThisRun: true if this run has fetched it.
  ///   - isExpired: true if its origin has answered otherwise since, which could not be stored.
  ///   - stated: the age that its server states.
  func verdict(
    age: Double?, isOfThisRun: Bool = false, isExpired: Bool = false, stated: @autoclosure () -> StatedAge = .nothing
  ) -> Verdict {
    switch policy {
    case .only, .memory: return .serve
    case .off: return .ignore
    case .reload where isFirstAsking: return .ignore
    case .reload, .refresh: return isFirstAsking || isExpired ? .revalidate : .serve
    case .age, .http:
      guard !isExpired, let age else { return .revalidate }
      if isOfThisRun, age <= leastAge { return .serve }
      guard age <= maximumAge else { return .revalidate }
      guard believesServers, !(isOfThisRun && age <= Self.leastStatedAge), let seconds = stated().seconds else {
        return .serve
      }
      return age <= Double(seconds) ? .serve : .revalidate
    }
  }

  /// True if this process's memory is searched.
  var readsMemory: Bool {
    !isDistrusted && policy != .off && !(isFirstAsking && (policy == .reload || policy == .refresh))
  }
  /// True if the disk is searched.
  var readsDisk: Bool { !isDistrusted && policy != .off && policy != .memory && !(isFirstAsking && policy == .reload) }
}

// Why, for `-v`.
extension AgeRules {
  /// The reason why the origin is asked although the disk holds an image of that age.
  func reasonToAsk(whenStored age: Double?, isExpired: Bool, stated: StatedAge, gone: GoneMark?) -> String {
    if let gone { return "on disk, but gone since \(HTTPDate.format(gone.since)): \(gone.reason)" }
    if isExpired { return "on disk, but the last answer of its origin could not be stored" }
    if policy == .refresh { return "on disk, which under refresh is not enough" }
    guard let age else { return "on disk, with a time that lies ahead" }
    if age <= maximumAge, believesServers, stated != .nothing {
      return "on disk, \(Self.words(age)) old, and its server says \(stated)"
    }
    return "on disk, \(Self.words(age)) old, which is more than \(Self.words(maximumAge))"
  }

  /// The reason why the origin is asked if nothing was found.
  var reasonToAsk: String {
    if readsDisk { return "not in the cache" }
    return policy == .memory ? "not in memory" : "not looked for in the cache (\(policy.rawValue))"
  }

  /// A length of time, in the largest unit of which it has at least two: `90 s`, `36 h`, `7.5 d`.
  static func words(_ seconds: Double) -> String {
    let units: [(name: String, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
    let unit = units.first { seconds >= 2 * $0.seconds } ?? ("s", 1)
    let tenths = (seconds / unit.seconds * 10).rounded(.down)
    guard tenths < 1e15 else { return "ages" }
    let (whole, rest) = Int64(tenths).quotientAndRemainder(dividingBy: 10)
    return whole < 10 && rest > 0 && unit.seconds > 1 ? "\(whole).\(rest) \(unit.name)" : "\(whole) \(unit.name)"
  }
}
