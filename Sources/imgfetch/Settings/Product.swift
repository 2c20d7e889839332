/// The product of a command that fetches the images of a list: what becomes of them.
enum Product: Sendable {
  /// Each image is an output by itself.
  case outputs
  /// Images fill the caches, and are delivered nowhere.
  case entries
  /// Images become the rows of a data set.
  case dataSet
}
