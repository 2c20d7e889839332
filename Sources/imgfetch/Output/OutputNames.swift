import ImgfetchCore

/// Names the outputs of a run, in the order of the input, so that the same list gives the same names whatever comes first.
///
/// The first key that wants a name gets it; the second gets `-` and eight digits of its hash. Lines with one key and
/// one name share one output. Used by the thread that reads the input.
struct OutputNames {
  /// Nil: `{name}.{ext}`.
  private let template: OutputTemplate?
  private var claims = NameClaims()
  /// What is being claimed; kept for its room.
  private var claim: [UInt8] = []

  init(template: OutputTemplate? = nil) { self.template = template }

  /// The name for one line.
  ///
  /// - Parameters:
  ///   - given: the name that the line asks for; it is taken with its extension, whatever the format.
  ///   - stem: the same without its extension, which follows the bytes where there is no name.
  mutating func name(for source: NameSource, given: String? = nil, stem: String? = nil) -> ClaimedName {
    let own = Stem(segment: source.segment)
    if let stem { return named(stem, given: given, own, source) }
    if let given {
      return claimed(OutputName(parts: [.text(given)], ownExtension: nil), for: source)
    }
    let parts = template?.parts(for: source, stem: own) ?? [.text(own.text + "."), .fileExtension]
    let name = OutputName(parts: parts, ownExtension: own.imageExtension)
    return claimed(name, for: source, isMadeOfURL: template?.isMadeOfURL ?? true)
  }

  /// A stem that a line gives. The list of those that failed gives one that an image got beside another of its name: that is still made
  /// of the URL, so that an image that has its plain name from an earlier run is not written a second time.
  private mutating func named(
    _ stem: String, given: String?, _ own: Stem, _ source: NameSource
  ) -> ClaimedName {
    let tail = given.flatMap { Stem.split($0).imageExtension }
    func name(_ stem: String) -> OutputName {
      if given != nil {
        return OutputName(parts: [.text(tail.map { "\(stem).\($0)" } ?? stem)], ownExtension: nil)
      }
      return OutputName(parts: [.text(stem + "."), .fileExtension], ownExtension: own.imageExtension)
    }
    for choice in 1..<OutputWish.nameCount where given == nil {
      let suffix = ClaimedName.suffix(choice, source.keyHash, source.key)
      guard stem.hasSuffix(suffix), stem.utf8.count > suffix.utf8.count else { continue }
      let plain = name(String(stem.dropLast(suffix.count)))
      return claimed(plain, for: source, isMadeOfURL: true, from: choice)
    }
    return claimed(name(stem), for: source)
  }

  private mutating func claimed(
    _ name: OutputName, for source: NameSource, isMadeOfURL: Bool = false, from first: Int = 0
  ) -> ClaimedName {
    let last = OutputWish.nameCount - 1
    for choice in first...last {
      let suffix = ClaimedName.suffix(choice, source.keyHash, source.key)
      let answer = claim(suffix.isEmpty ? name : name.with(suffix: suffix), source.key)
      if answer == .taken && choice < last { continue }
      return ClaimedName(
        name, hash: source.keyHash, key: source.key, first: choice, isMadeOfURL: isMadeOfURL, isRepeated: answer == .own
      )
    }
    return ClaimedName(name, hash: source.keyHash, key: source.key, first: last, isMadeOfURL: isMadeOfURL)
  }

  private mutating func claim(_ name: OutputName, _ key: OutputKey) -> NameClaims.Answer {
    claim.removeAll(keepingCapacity: true)
    name.appendClaim(to: &claim)
    return claims.claim(ContentHash(of: claim.span), for: key)
  }
}

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

/// What an output's name can be made of before the image is here.
struct NameSource: Sendable {
  /// The URL's last path segment, percent-decoded.
  let segment: String
  let host: String
  /// The URL's path, percent-encoded. Most runs name no output by it, and then it is never made.
  var path: String { url?.path ?? ownPath }
  private let url: WebURL?
  private let ownPath: String
  /// The hash of the cache key.
  let keyHash: ContentHash
  /// The key itself, as outputs carry it.
  let key: OutputKey
  /// Which line of the run it is, from 1.
  let index: Int

  init(segment: String, host: String, path: String, key: String, index: Int) {
    self.segment = segment
    self.host = host
    ownPath = path
    url = nil
    keyHash = ContentHash(of: key)
    self.key = OutputKey(of: key)
    self.index = index
  }

  init(_ url: WebURL, keyHash: ContentHash, key: OutputKey, index: Int) {
    segment = url.lastPathSegment
    host = url.host
    self.url = url
    ownPath = ""
    self.keyHash = keyHash
    self.key = key
    self.index = index
  }
}
