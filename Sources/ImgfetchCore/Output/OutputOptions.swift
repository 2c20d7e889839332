/// The options for writing an image.
package struct OutputOptions: Sendable {
  /// Identifies the image. With nil the file gets no mark.
  package var key: OutputKey?
  /// The key itself. With its other scheme (http, https) it is the same image's.
  package var keyText: String
  /// The first of its names that no other image of this run has, see ``NameSearch``.
  package var first = 0
  /// The files that the image may replace.
  package var replaces = Replaceable.any
  /// True if the user has given the name for this very file. Then a device or pipe of any owner is written to, and
  /// its reader has two seconds to come.
  package var isNamed = false
  package var nature = OutputMark.Nature.image
  /// True if a file that has the bytes already is marked as this image's.
  package var adopts = false
  /// True if the name is made of the bytes. A file that has the name and the bytes is the output then, whichever image
  /// it was written for.
  package var isNamedByContent = false
  /// True if an existing file is kept.
  package var keepsExisting = false
  /// True if an existing file is compared byte by byte, even if its mark describes its contents.
  package var readsAll = false
  /// The modification time for the file, or nil for now. A file of this image that already has the bytes gets it too.
  package var modified: WallTime?
  /// Further attributes of the file, by their names.
  package var attributes: [(name: String, value: [UInt8])] = []
  /// Hashes of earlier bodies of this image, the last one first. Where a file system keeps no marks, they
  /// tell which file is its own.
  package var earlier: [ContentHash] = []

  /// The defaults, for an image with this key.
  package init(key: OutputKey? = nil, keyText: String = "") {
    self.key = key
    self.keyText = keyText
  }

  /// The number of names that an image may get.
  package static let nameCount = NameSearch.count
  /// The number of the name that the image may have got under the other scheme.
  package static let nameOfOtherScheme = NameSearch.ofOtherScheme
}

extension OutputOptions {
  /// The search for the image's name. Any key that begins with an h is taken for one with another scheme: one
  /// look too many finds nothing.
  var search: NameSearch { NameSearch(replaces, first: first, hasOtherScheme: keyText.utf8.first == UInt8(ascii: "h")) }

  /// True if a mark's key is this image's. The key of the other scheme is only computed if the first does not match.
  func isOwn(_ found: OutputKey) -> Bool {
    if found == key { return true }
    guard let other = OutputKey.otherScheme(of: keyText) else { return false }
    return found == OutputKey(of: other)
  }
}
