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
  /// Some groups, each with the image that counts first.
  package var shown: [[Sample]] = []

  /// True if only the first images were compared, so that more may have duplicates.
  package let isOfFirst: Bool

  package init(rule: DuplicateRule, compared: Int, isOfFirst: Bool = false) {
    self.rule = rule
    self.compared = compared
    self.isOfFirst = isOfFirst
  }
}
