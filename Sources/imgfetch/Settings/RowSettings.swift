import ImgfetchReport

/// Settings of `report`, and of what finds duplicates.
struct RowSettings: Sendable {
  /// Earlier rows to compare with.
  var against: String?
  /// The page to write.
  var page: String?
  /// The number of pictures on it that are made from files.
  var pictures = 0
  var list: Choices.RowList?
  /// The rule for the list of duplicates; nil if they are only counted.
  var duplicates: DuplicateRule?
  var kept = KeptDuplicate.first
  /// The rule by which an image that was delivered already is not delivered again.
  var unique: DuplicateRule?
  /// The rule by which two files are compared.
  var same: DuplicateRule?
}

extension Choices {
  enum RowList: String, Choice {
    case failed, duplicates, changed
  }
}

extension KeptDuplicate: Choice {}
