/// Medians and other quantiles of any number of values: exact for the first ten thousand, then within half a percent. A
/// pure value of bounded size.
package struct Quantiles: Sendable {
  package private(set) var count = 0
  package private(set) var least = Double.infinity
  package private(set) var most = 0.0
  package private(set) var sum = 0.0
  private var exact: [Double] = []
  /// Counts by powers of two, each in ``steps`` steps; empty as long as ``exact`` has all.
  private var counts: [UInt32] = []

  private static let mostExact = 10_000
  private static let steps = 128
  private static let doublings = 60
  /// Values below 1 have room, too.
  private static let scale = 1_024.0

  package init() {}

  package mutating func add(_ value: Double) {
    guard value >= 0, value.isFinite else { return }
    count += 1
    sum += value
    least = min(least, value)
    most = max(most, value)
    if count <= Self.mostExact { return exact.append(value) }
    if counts.isEmpty {
      counts = [UInt32](repeating: 0, count: Self.steps * Self.doublings)
      for value in exact { counts[Self.place(value)] &+= 1 }
      exact = []
    }
    counts[Self.place(value)] &+= 1
  }

  private static func place(_ value: Double) -> Int {
    let scaled = max(1, value * scale)
    let step = Int((scaled.significand - 1) * Double(steps))
    return min(Int(scaled.exponent) * steps + step, steps * doublings - 1)
  }

  /// The value that a part of all values do not exceed; nil where there are none. The median of an even number is
  /// between the two.
  package func value(at part: Double) -> Double? {
    guard count > 0 else { return nil }
    let rank = max(1, Int((part * Double(count)).rounded(.up)))
    guard counts.isEmpty else { return approximate(rank) }
    let sorted = exact.sorted()
    if part == 0.5, count.isMultiple(of: 2) { return (sorted[count / 2 - 1] + sorted[count / 2]) / 2 }
    return sorted[min(rank, count) - 1]
  }

  private func approximate(_ rank: Int) -> Double {
    var passed = 0
    for (place, count) in counts.enumerated() where count > 0 {
      passed += Int(count)
      guard passed >= rank else { continue }
      let middle = 1 + (Double(place % Self.steps) + 0.5) / Double(Self.steps)
      let value = middle * Double(sign: .plus, exponent: place / Self.steps, significand: 1) / Self.scale
      return min(max(value, least), most)
    }
    return most
  }
}
