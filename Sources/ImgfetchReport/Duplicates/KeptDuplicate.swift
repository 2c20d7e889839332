/// The image of a group that counts as the one; the others are its duplicates.
package enum KeptDuplicate: String, Sendable, CaseIterable {
  /// The first by its line in the list, then by its row.
  case first
  /// The one with the most pixels, then the most bytes.
  case largest
}
