/// The changes since earlier rows.
package struct ChangeFindings: Sendable {
  package private(set) var counts: [Change: Int] = [:]
  package private(set) var examples: [Change: [Sample]] = [:]
  /// The name of the rows that they are compared with.
  package let earlier: String

  package static let mostExamples = 10

  package init(earlier: String) { self.earlier = earlier }

  package func count(_ change: Change) -> Int { counts[change] ?? 0 }

  package mutating func add(_ change: Change, _ sample: () -> Sample) {
    counts[change, default: 0] += 1
    guard change != .same, examples[change]?.count ?? 0 < Self.mostExamples else { return }
    examples[change, default: []].append(sample())
  }

  /// Sets the images that are gone, of which some are given.
  package mutating func setGone(_ count: Int, _ samples: [Sample]) {
    counts[.gone] = count
    examples[.gone] = samples
  }
}
