/// All that a report tells.
package struct ReportFindings: Sendable {
  package var tally: ReportTally
  package var duplicates: [DuplicateFindings] = []
  package var changes: ChangeFindings?

  package init(tally: ReportTally) { self.tally = tally }

  /// True if there are images, and no row has the small picture of its own that a thumbhash is.
  package var hasNoPictures: Bool { tally.images > 0 && tally.any.samples.allSatisfy { $0.thumbhash.isEmpty } }
}
