/// The changes since earlier rows.
package struct ChangeFindings: Sendable {
  package private(set) var counts: [Change: Int] = [:]
  package private(set) var examples: [Change: [Sample]] = [:]
  /// The name of the rows that they are compared with.
  package let earlier: String
  /// The numbers of rows there that tell of an image, and of a failure.
  package let before: (images: Int, failed: Int)
  /// The number of images that were compared without checksums.
  package private(set) var inexact = 0

  package static let mostExamples = 10

  package init(earlier: String, before: (images: Int, failed: Int)) {
    self.earlier = earlier
    self.before = before
  }

  package func count(_ change: Change) -> Int { counts[change] ?? 0 }

  package mutating func add(_ change: Change, _ sample: () -> Sample) {
    counts[change, default: 0] += 1
    guard change != .same, examples[change]?.count ?? 0 < Self.mostExamples else { return }
    examples[change, default: []].append(sample())
  }

  /// Ends the comparison: sets the images that are gone, of which some are given.
  package mutating func end(gone count: Int, _ samples: [Sample], inexact: Int) {
    counts[.gone] = count
    examples[.gone] = samples
    self.inexact = inexact
  }
}
