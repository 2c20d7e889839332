import ImgfetchCore

/// Names the outputs of a run in the order of the input, so that the same list gives the same names whichever image
/// comes first.
///
/// The first key that wants a name gets it; the second gets `-` and eight digits of its hash. Lines with the same key
/// and name share one output. Used by the reading thread only.
struct OutputNames {
  /// The template of names; nil for `{name}.{ext}`.
  private let template: OutputTemplate?
  /// True if names that differ in their case only are one file.
  private let foldsCase: Bool
  private var claims = NameClaims()
  /// The bytes of the current claim, kept to reuse the buffer.
  private var claim: [UInt8] = []

  init(template: OutputTemplate? = nil, foldsCase: Bool = false) {
    self.template = template
    self.foldsCase = foldsCase
  }

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
    // A given name without an extension gets that of its image, with digits or without.
    let isExtended = given.map { OutputName(given: $0, ownExtension: nil).parts.contains(.fileExtension) } ?? true
    func name(_ stem: String) -> OutputName {
      if !isExtended { return OutputName(parts: [.text(tail.map { "\(stem).\($0)" } ?? stem)], ownExtension: nil) }
      return OutputName(parts: [.text(stem + "."), .fileExtension], ownExtension: own.imageExtension)
    }
    for choice in 1..<OutputOptions.nameCount where given == nil {
      let suffix = ClaimedName.suffix(choice, source.keyHash, source.key)
      let length = suffix.utf8.count
      guard stem.utf8.count > length, stem.utf8.suffix(length).elementsEqual(suffix.utf8) else { continue }
      let plain = String(Substring(stem.utf8.dropLast(length)))
      return claimed(ofTemplate(plain, own, source) ?? name(plain), for: source, isMadeOfURL: true, from: choice)
    }
    if given == nil, let ending = fixedEnding(own, source) {
      return claimed(OutputName(parts: [.text(stem + ending)], ownExtension: nil), for: source)
    }
    return claimed(name(stem), for: source)
  }

  /// The ending of all names by a template that depends on the places of lines, so that the list of failures has their
  /// stems: none, or an extension that is part of the template. Nil if names have the extensions of their images.
  private func fixedEnding(_ own: Stem, _ source: NameSource) -> String? {
    guard let template, template.dependsOnPlace else { return nil }
    let parts = template.parts(for: source, stem: own)
    guard parts.count == 1, case .text(let text) = parts[0] else { return nil }
    return Stem.split(text).imageExtension.map { "." + $0 } ?? ""
  }

  /// The name by the template, which may have no extension or one of its own; nil if it has not this stem.
  private func ofTemplate(_ stem: String, _ own: Stem, _ source: NameSource) -> OutputName? {
    guard let parts = template?.parts(for: source, stem: own) else { return nil }
    let name = OutputName(parts: parts, ownExtension: own.imageExtension)
    return name.stem?.hasBytes(of: stem) == true ? name : nil
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
    if foldsCase {
      // In UTF-8, a byte that looks like a capital letter is one.
      for at in claim.indices where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(claim[at]) { claim[at] |= 0x20 }
    }
    return ContentHash(of: claim.span)
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

  mutating func claim(_ name: ContentHash, for key: Claimant) -> Answer {
    if !tables.isEmpty { return claimInTable(name, key) }
    for claim in early where claim.name == name { return claim.key == key ? .own : .taken }
    early.append((name, key))
    if early.count == Self.earlyLimit { moveToTables() }
    return .granted
  }

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
  private static func keyed(_ hash: ContentHash) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(hash.high)
    hasher.combine(hash.low)
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
