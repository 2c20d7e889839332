import ImgfetchCore

/// Names the outputs of a run in the order of the input, so that the same list gives the same names whichever image
/// comes first.
///
/// The first key that wants a name gets it; the second gets `-` and eight digits of its hash. Lines with the same key
/// and name share one output. Used by the reading thread only.
struct OutputNames {
  /// The template of names; nil for `{name}.{ext}`.
  private let template: OutputTemplate?
  private var claims = NameClaims()
  /// The bytes of the current claim, kept to reuse the buffer.
  private var claim: [UInt8] = []

  init(template: OutputTemplate? = nil) { self.template = template }

  /// The name for one line.
  ///
  /// - Parameters:
  ///   - given: The name in the line, used with its extension, even one of another format.
  ///   - stem: A name without extension, which depends on the bytes unless `given` has one.
  mutating func name(for source: NameSource, given: String? = nil, stem: String? = nil) -> ClaimedName {
    let own = Stem(segment: source.segment)
    if let stem { return named(stem, given: given, own, source) }
    if let given { return claimed(OutputName(given: given, ownExtension: own.imageExtension), for: source) }
    let parts = template?.parts(for: source, stem: own) ?? [.text(own.text + "."), .fileExtension]
    let name = OutputName(parts: parts, ownExtension: own.imageExtension)
    var claimed = claimed(name, for: source, isMadeOfURL: template?.isMadeOfURL ?? true)
    claimed.mayBeRenamed = template == nil
    return claimed
  }

  /// A name from a stem in the line. The list of failed lines may contain a stem with a suffix. Such a name still
  /// counts as made from the URL, so that an image that has its plain name from an earlier run is not written twice.
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
    for choice in 1..<OutputOptions.nameCount where given == nil {
      let suffix = ClaimedName.suffix(choice, source.keyHash, source.key)
      let length = suffix.utf8.count
      guard stem.utf8.count > length, stem.utf8.suffix(length).elementsEqual(suffix.utf8) else { continue }
      let plain = name(String(Substring(stem.utf8.dropLast(length))))
      return claimed(plain, for: source, isMadeOfURL: true, from: choice)
    }
    return claimed(name(stem), for: source)
  }

  private mutating func claimed(
    _ name: OutputName, for source: NameSource, isMadeOfURL: Bool = false, from first: Int = 0
  ) -> ClaimedName {
    let last = OutputOptions.nameCount - 1
    let claimant = NameClaims.Claimant(of: source.keyText)
    var claimed = ClaimedName(name, source, isMadeOfURL: isMadeOfURL)
    // Images with the same bytes share such a name, and others never meet in it.
    if name.needsDigest { return claimed }
    for choice in first...last {
      if choice > 0, let other = ofOtherScheme(claimed, choice, claimant) { return other }
      let answer = claims.claim(hash(of: claimed.choice(choice)), for: claimant)
      claimed.first = choice
      claimed.isRepeated = answer == .own
      if answer != .taken { return claimed }
    }
    return claimed
  }

  /// The name with digits that the image has in this run under its other scheme; nil if it has none.
  private mutating func ofOtherScheme(
    _ name: ClaimedName, _ choice: Int, _ claimant: NameClaims.Claimant
  ) -> ClaimedName? {
    guard var other = name.ofOtherScheme else { return nil }
    guard claims.isOwn(hash(of: other.choice(choice)), of: claimant) else { return nil }
    other.first = choice
    other.isRepeated = true
    return other
  }

  private mutating func hash(of name: OutputName) -> ContentHash {
    claim.removeAll(keepingCapacity: true)
    name.appendClaim(to: &claim)
    return ContentHash(of: claim.span)
  }
}

/// The names that one image may have. In this run it may have the `first` and those after it.
///
/// The plain name comes first, followed by the same name with more and more digits of the key's hash. One of them is
/// chosen when the image is written: see ``OutputFile``.
struct ClaimedName: Hashable, Sendable {
  /// The plain one.
  private(set) var name: OutputName
  /// The hash of the cache key. Its digits distinguish images of the same name.
  private(set) var hash: ContentHash
  let key: OutputKey
  /// The cache key itself.
  let keyText: String
  /// The first name that no other image has in this run.
  fileprivate(set) var first: Int
  /// True if the name is made from the URL only, so that the URL has the same name in every run.
  let isMadeOfURL: Bool
  /// True if the image already had this name earlier in this run.
  var isRepeated: Bool
  /// True if the server may name the image, because neither a line nor a template does.
  fileprivate(set) var mayBeRenamed = false

  init(_ name: OutputName, _ source: NameSource, first: Int = 0, isMadeOfURL: Bool = false, isRepeated: Bool = false) {
    self.name = name
    hash = source.keyHash
    key = source.key
    keyText = source.keyText
    self.first = first
    self.isMadeOfURL = isMadeOfURL
    self.isRepeated = isRepeated
  }

  /// The same name with the digits of the key under the other scheme; nil if there is no other scheme.
  fileprivate var ofOtherScheme: ClaimedName? {
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

  /// The path of an image below `folder`, see ``OutputName/path(for:in:)``.
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

  /// The names of the image with the name that a server suggests, if that may be used.
  func renamed(to filename: String) -> ClaimedName {
    guard mayBeRenamed else { return self }
    let stem = Stem(segment: filename)
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

/// The facts from which an output's name can be made before the image is known.
struct NameSource: Sendable {
  /// The URL's last path segment, percent-decoded.
  let segment: String
  let host: String
  /// The URL's path, percent-encoded. It is computed on demand, since most runs do not use it.
  var path: String { url?.path ?? ownPath }
  private let url: WebURL?
  private let ownPath: String
  /// The hash of the cache key.
  let keyHash: ContentHash
  /// The key as it is stored in outputs.
  let key: OutputKey
  let keyText: String
  /// The number of the line in the run, from 1.
  let index: Int
  /// The number of the line in its list; nil for an operand.
  var line: Int?
  /// The text of the line's field `id=`.
  var id: String?
  /// The day on which the run began.
  var date = ""
  /// The URL's query, percent-encoded.
  var query: String { url?.query ?? "" }

  init(segment: String, host: String, path: String, key: String, index: Int) {
    self.segment = segment
    self.host = host
    ownPath = path
    url = nil
    keyHash = ContentHash(of: key)
    self.key = OutputKey(of: key)
    keyText = key
    self.index = index
  }

  init(_ url: WebURL, key: String, keyHash: ContentHash, index: Int) {
    segment = url.lastPathSegment
    host = url.host
    self.url = url
    ownPath = ""
    self.keyHash = keyHash
    self.key = OutputKey(of: key)
    keyText = key
    self.index = index
  }
}

/// The owners of names: the key that owns each name in this run, for a list of any length.
///
/// A claim takes twelve bytes: 44 bits of the name's hash and 51 of the key's, in 4,096 small open-addressed tables,
/// selected by 12 more bits of the name's hash (a single table would need twice its memory whenever it grows). The
/// hashes are keyed with a random key of the process; otherwise colliding URLs could be prepared: a collision of 35
/// bits of an unkeyed hash was found in 228 s. In a list of a million different names, the probability that some claim
/// collides with another is 1 in 130,000; the name then gets a suffix without need. The probability that two keys share
/// a file is one in two billion, if all of them want the same name.
struct NameClaims {
  enum Answer {
    case granted
    /// The key owns it already.
    case own
    /// Another key owns it.
    case taken
  }

  /// A key, whichever of http and https it has.
  struct Claimant: Hashable {
    fileprivate let hash: UInt64

    init(of key: String) {
      let bytes = key.utf8Span.span
      var hasher = Hasher()
      hasher.combine(bytes, OutputKey.schemeEnd(of: key)..<bytes.count)
      hash = UInt64(bitPattern: Int64(hasher.finalize()))
    }
  }

  struct Table {
    private(set) var slots: [Slot] = []
    private var used = 0
  }

  struct Slot {
    /// 32 bits of the name's hash.
    fileprivate var name: UInt32 = 0
    /// 12 more bits of it, then 20 of the key's hash with the last bit set, so that 0 is a free slot.
    fileprivate var both: UInt32 = 0
    /// 32 more of the key's.
    fileprivate var key: UInt32 = 0
  }

  private(set) var tables: [Table] = []
  /// The claims of a short list. Most runs fetch one image, and creating and freeing all tables took as long as a cache
  /// lookup.
  private var early: [(name: ContentHash, key: Claimant)] = []

  /// Few enough for a linear search.
  private static let earlyLimit = 32

  /// Claims a name for a key.
  mutating func claim(_ name: ContentHash, for key: Claimant) -> Answer {
    if !tables.isEmpty { return claimInTable(name, key) }
    for claim in early where claim.name == name { return claim.key == key ? .own : .taken }
    early.append((name, key))
    if early.count == Self.earlyLimit { moveToTables() }
    return .granted
  }

  /// True if the key owns the name.
  func isOwn(_ name: ContentHash, of key: Claimant) -> Bool {
    if tables.isEmpty { return early.contains { $0.name == name && $0.key == key } }
    let name = Self.keyed(name)
    return tables[Int(name & 0xFFF)].isOwn(NameClaims.Slot(name: name, key: key.hash))
  }

  private mutating func moveToTables() {
    tables = Array(repeating: Table(), count: 1 << 12)
    for claim in early { _ = claimInTable(claim.name, claim.key) }
    early = []
  }

  private mutating func claimInTable(_ name: ContentHash, _ key: Claimant) -> Answer {
    let name = Self.keyed(name)
    return tables[Int(name & 0xFFF)].claim(Slot(name: name, key: key.hash))
  }

  /// The runtime's hash: SipHash with a random key of the process.
  private static func keyed(_ value: some Hashable) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(value)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension NameClaims.Slot {
  fileprivate init(name hash: UInt64, key: UInt64) {
    name = UInt32(truncatingIfNeeded: hash >> 32)
    both = UInt32(truncatingIfNeeded: hash >> 12) << 20 | UInt32(truncatingIfNeeded: key >> 44) | 1
    self.key = UInt32(truncatingIfNeeded: key)
  }

  fileprivate var isFree: Bool { both == 0 }
  fileprivate func hasName(of other: Self) -> Bool { name == other.name && both >> 20 == other.both >> 20 }
  fileprivate func hasKey(of other: Self) -> Bool { key == other.key && both == other.both }
}

extension NameClaims.Table {
  fileprivate mutating func claim(_ slot: NameClaims.Slot) -> NameClaims.Answer {
    // At most seven eighths full, and grown by an eighth: 14 to 16 bytes a claim.
    if (used + 1) * 8 > slots.count * 7 { grow() }
    var at = home(slot)
    while !slots[at].isFree {
      if slots[at].hasName(of: slot) { return slots[at].hasKey(of: slot) ? .own : .taken }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    slots[at] = slot
    used += 1
    return .granted
  }

  fileprivate func isOwn(_ slot: NameClaims.Slot) -> Bool {
    if slots.isEmpty { return false }
    var at = home(slot)
    while !slots[at].isFree {
      if slots[at].hasName(of: slot) { return slots[at].hasKey(of: slot) }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    return false
  }

  /// The slot's position: the hash scaled to the table's size, which may be any number.
  private func home(_ slot: NameClaims.Slot) -> Int { Int((UInt64(slot.name) * UInt64(slots.count)) >> 32) }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: NameClaims.Slot(), count: max(8, old.count + old.count / 8))
    for slot in old where !slot.isFree {
      var at = home(slot)
      while !slots[at].isFree { at = at + 1 == slots.count ? 0 : at + 1 }
      slots[at] = slot
    }
  }
}
