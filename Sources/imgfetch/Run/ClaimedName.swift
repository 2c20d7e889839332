import ImgfetchCore

/// The names that one image may have, of which this run lets it have the `first` and those after it.
///
/// The plain name comes first, then the same with more and more digits of the key's hash. Which of them it is shows when the image is
/// written: see ``OutputFile``.
struct ClaimedName: Hashable, Sendable {
  /// The plain one.
  let name: OutputName
  /// The hash of the cache key, whose digits tell the image from others of its name.
  let hash: ContentHash
  let key: OutputKey
  /// Which of the names no other image has in this run.
  let first: Int
  /// Whether it is made of the URL alone, so that the same URL has it in every run.
  let isMadeOfURL: Bool
  /// Whether the image had this name in this run before.
  var isRepeated: Bool

  init(
    _ name: OutputName, hash: ContentHash, key: OutputKey, first: Int = 0, isMadeOfURL: Bool = false,
    isRepeated: Bool = false
  ) {
    self.name = name
    self.hash = hash
    self.key = key
    self.first = first
    self.isMadeOfURL = isMadeOfURL
    self.isRepeated = isRepeated
  }

  /// One of the names; without `choice` the first that it may have.
  func choice(_ choice: Int? = nil) -> OutputName {
    let suffix = Self.suffix(choice ?? first, hash, key)
    return suffix.isEmpty ? name : name.with(suffix: suffix)
  }

  /// The path of an image below `folder`, see ``OutputName/path(for:in:)``.
  func path(for facts: ImageFacts?, in folder: String = "", choice: Int? = nil) -> String {
    self.choice(choice).path(for: facts, in: folder)
  }

  /// What tells an image from others of its name: `-` and digits. Among a million keys that all want one name, eight digits are not
  /// enough for a hundred of them; two keys with the same hash, which can be made, differ in their SHA-256.
  static func suffix(_ choice: Int, _ hash: ContentHash, _ key: OutputKey) -> String {
    switch choice {
    case 0: ""
    case 1: "-" + hash.hex.prefix(8)
    case 2: "-" + hash.hex.prefix(16)
    case 3: "-" + hash.hex
    default: "-" + key.hex
    }
  }

  /// The name without its extension, where it got digits: what a failed line takes along, so that the next run, in which the other
  /// image may be missing, calls it the same. Nil: it has none, or only the image can tell.
  var stemWithDigits: String? { first == 0 ? nil : choice().stem }
}
