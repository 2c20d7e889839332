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
