/// The duplicates among the images of a report.
package struct DuplicateFindings: Sendable {
  /// The rule by which they are the same.
  package let rule: DuplicateRule
  /// The number of images that could be compared.
  package let compared: Int
  package var groups = 0
  /// The images beyond the one of each group, and their bytes.
  package var extra = 0
  package var bytes: Int64 = 0
  /// Some groups, the one that counts first.
  package var shown: [[Sample]] = []

  package init(rule: DuplicateRule, compared: Int) {
    self.rule = rule
    self.compared = compared
  }
}

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

/// All that a report tells.
package struct ReportFindings: Sendable {
  package var tally: ReportTally
  package var duplicates: [DuplicateFindings] = []
  package var changes: ChangeFindings?

  package init(tally: ReportTally) { self.tally = tally }
}
