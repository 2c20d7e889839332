/// How an image is to be written.
package struct OutputOptions: Sendable {
  /// Identifies the image; nil: the file gets no mark.
  package var key: OutputKey?
  /// The key itself. With its other scheme (http, https) it is the same image's.
  package var keyText: String
  /// The first of its names that no other image of this run has, see ``NameSearch``.
  package var first = 0
  /// Which files it may replace.
  package var replaces = Replaceable.any
  /// Whether the name is the user's for this very file. A device or pipe is then written to whosever it is, and its reader is waited for.
  package var isNamed = false
  /// What the mark says of the bytes.
  package var nature = OutputMark.Nature.image
  /// Whether a file that has the bytes already is marked as this image's.
  package var adopts = false
  /// Whether an existing file is kept.
  package var keepsExisting = false
  /// Whether an existing file is compared byte by byte, even where its mark says what it has.
  package var readsAll = false
  /// The modification time for the file; nil: now. A file of this image that already has the bytes gets it too.
  package var modified: WallTime?
  /// Further attributes of the file, by their names.
  package var attributes: [(name: String, value: [UInt8])] = []
  /// Hashes of earlier bodies of this image, the last one first. Where a file system keeps no marks, they tell which file is its own.
  package var earlier: [ContentHash] = []

  /// The defaults, for an image with this key.
  package init(key: OutputKey? = nil, keyText: String = "") {
    self.key = key
    self.keyText = keyText
  }

  /// How many names an image may get.
  package static let nameCount = NameSearch.count
  /// The number of the name that the image may have got under the other scheme.
  package static let nameOfOtherScheme = NameSearch.ofOtherScheme
}

extension OutputOptions {
  /// What else may begin with an h has no other scheme, and one look too many finds nothing.
  var search: NameSearch {
    NameSearch(replaces, first: first, hasOtherScheme: keyText.utf8.first == UInt8(ascii: "h"))
  }

  /// Whether a mark's key is this image's. That of the other scheme is only worked out where the first is not.
  func isOwn(_ found: OutputKey) -> Bool {
    if found == key { return true }
    guard let other = OutputKey.otherScheme(of: keyText) else { return false }
    return found == OutputKey(of: other)
  }
}
