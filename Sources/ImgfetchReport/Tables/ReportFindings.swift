/// All that a report tells.
package struct ReportFindings: Sendable {
  package var tally: ReportTally
  package var duplicates: [DuplicateFindings] = []
  package var changes: ChangeFindings?

  package init(tally: ReportTally) { self.tally = tally }
}
