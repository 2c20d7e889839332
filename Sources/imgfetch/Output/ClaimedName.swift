import ImgfetchCore

/// The names that one image may have. In this run it may have the `first` and those after it.
///
/// The plain name comes first, followed by the same name with more and more digits of the key's hash. One of them is
/// chosen when the image is written: see ``OutputFile``.
struct ClaimedName: Sendable {
  /// The plain one.
  private(set) var name: OutputName
  /// The hash of the cache key. Its digits distinguish images of the same name.
  private(set) var hash: ContentHash
  private let source: NameSource
  /// The first name that no other image has in this run.
  var first: Int
  /// True if the name is made from the URL only, so that the URL has the same name in every run.
  let isMadeOfURL: Bool
  /// True if the image already had this name earlier in this run.
  var isRepeated: Bool
  /// True if the server may name the image, because neither a line nor a template does.
  var mayBeRenamed = false

  init(_ name: OutputName, _ source: NameSource, first: Int = 0, isMadeOfURL: Bool = false, isRepeated: Bool = false) {
    self.name = name
    hash = source.keyHash
    self.source = source
    self.first = first
    self.isMadeOfURL = isMadeOfURL
    self.isRepeated = isRepeated
  }

  /// The key as it is stored in outputs.
  var key: OutputKey { source.key }

  /// The cache key itself.
  var keyText: String { source.keyText }

  /// The same name with the digits of the key under the other scheme; nil if there is no other scheme.
  var ofOtherScheme: ClaimedName? {
    guard let other = OutputKey.otherScheme(of: keyText) else { return nil }
    var name = self
    name.hash = ContentHash(of: other.utf8Span.span)
    return name
  }

  /// One of the names; without `choice`, the first allowed one.
  func choice(_ choice: Int? = nil) -> OutputName {
    if choice == OutputOptions.nameOfOtherScheme { return (ofOtherScheme ?? self).choice(1) }
    let suffix = Self.suffix(choice ?? first, hash, key)
    return suffix.isEmpty ? name : name.with(suffix: suffix)
  }

  /// The path of an image below `folder`, see ``OutputName/path(for:_:digest:in:)``.
  func path(
    for facts: ImageFacts?, _ details: ImageDetails? = nil, digest: String? = nil, in folder: String = "",
    choice: Int? = nil
  ) -> String {
    self.choice(choice).path(for: facts, details, digest: digest, in: folder)
  }

  /// The names of the image with the name in its answer, if there is one and it may be used (`--content-disposition`).
  func named(by image: DeliveredImage) -> ClaimedName {
    guard mayBeRenamed, let field = image.fields.first("content-disposition"),
      let filename = ContentDisposition(field).filename
    else { return self }
    return renamed(to: filename)
  }

  /// The names of the image with the name that a server suggests, if that may be used. Of a path its last part counts,
  /// as in a URL (RFC 6266 §4.3); some servers send those of Windows.
  func renamed(to filename: String) -> ClaimedName {
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
    guard mayBeRenamed, let last = filename.utf8.split(whereSeparator: isSeparator).last else { return self }
    let stem = Stem(segment: String(Substring(last)))
    var name = self
    name.name = OutputName(parts: [.text(stem.text + "."), .fileExtension], ownExtension: stem.imageExtension)
    name.first = 0
    return name
  }

  /// The suffix that distinguishes images of the same name: `-` and digits. Among a million keys with one name, eight
  /// digits collide for about a hundred of them. Keys with the same hash, which can be constructed, differ in their
  /// SHA-256.
  static func suffix(_ choice: Int, _ hash: ContentHash, _ key: OutputKey) -> String {
    switch choice {
    case 0: ""
    case 1: "-" + hash.hex.prefix(8)
    case 2: "-" + hash.hex.prefix(16)
    case 3: "-" + hash.hex
    default: "-" + key.hex
    }
  }

  /// The name without its extension, if it got a suffix. It is saved with a failed line, so that the next run, in which
  /// the other image may be missing, uses the same name. Nil without a suffix, or if the name depends on the image.
  var stemWithDigits: String? { first == 0 ? nil : choice().stem }
}
