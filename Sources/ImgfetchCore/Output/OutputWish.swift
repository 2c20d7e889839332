/// How an image is to be written.
package struct OutputWish: Sendable {
  /// Whose image it is; nil: the file carries no mark.
  package var key: OutputKey?
  /// The first of its names that no other image has in this run, see ``NameSearch``.
  package var first = 0
  /// Whether the name is made of the URL alone, and so holds across runs; else what has it is replaced.
  package var holds = false
  /// Whether this run has written an image of the key under this name already.
  package var isRepeated = false
  /// Whether what is there stays.
  package var keepsExisting = false
  /// The time that the file is to have; nil: now. A file with the same bytes gets it too.
  package var modified: WallTime?

  package init(key: OutputKey? = nil) { self.key = key }

  /// How many names an image may have.
  package static let nameCount = NameSearch.count
}
