import ImgfetchCore

/// The parts of a list's line that are repeated in its row, so that programs can match rows with their records.
struct LineTag: Hashable, Sendable {
  /// The line's number in its list, from 1, including comments and blank lines; nil for an operand.
  var number: Int?
  /// The text of its field `id=`.
  var id: String?
}
