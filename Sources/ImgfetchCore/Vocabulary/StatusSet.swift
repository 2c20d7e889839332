/// A set of HTTP statuses, as ranges.
public struct StatusSet: Hashable, Sendable {
  /// First and last of each range in turn. With an array of ranges, the runtime looks up the conformance of their
  /// bounds at the first use, which takes a thirtieth of a cache hit.
  private var bounds: [Int]

  /// The ranges, in the given order.
  public var ranges: [ClosedRange<Int>] { stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]...bounds[$0 + 1] } }

  /// Creates a set of these ranges.
  public init(_ ranges: [ClosedRange<Int>]) { bounds = ranges.flatMap { [$0.lowerBound, $0.upperBound] } }

  /// Creates a set from the first and last of each range in turn. Their number must be even.
  package init(bounds: [Int]) { self.bounds = bounds.count.isMultiple(of: 2) ? bounds : [] }

  /// 200 to 299.
  public static let success = StatusSet(bounds: [200, 299])

  /// True if the set contains a status.
  public func contains(_ status: Int) -> Bool {
    var at = 0
    while at < bounds.count {
      if status >= bounds[at], status <= bounds[at + 1] { return true }
      at += 2
    }
    return false
  }
}
