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
  /// - Parameter given: the name that the line asks for; it is taken with its extension, whatever the format.
  mutating func name(for source: NameSource, given: String? = nil) -> OutputName {
    let name: OutputName
    if let given {
      name = OutputName(parts: [.text(given)], ownExtension: nil)
    } else {
      let stem = Stem(segment: source.segment)
      let parts = template?.parts(for: source, stem: stem) ?? [.text(stem.text + "."), .fileExtension]
      name = OutputName(parts: parts, ownExtension: stem.imageExtension)
    }
    return claimed(name, for: source.keyHash)
  }

  private mutating func claimed(_ name: OutputName, for key: ContentHash) -> OutputName {
    if claim(name, key) { return name }
    // Among a million keys that all want one name, eight digits are not enough for a hundred of them.
    let digits = key.hex
    for count in [8, 16] {
      let other = name.with(suffix: "-" + digits.prefix(count))
      if claim(other, key) { return other }
    }
    return name.with(suffix: "-" + digits)
  }

  private mutating func claim(_ name: OutputName, _ key: ContentHash) -> Bool {
    claim.removeAll(keepingCapacity: true)
    name.appendClaim(to: &claim)
    return claims.claim(ContentHash(of: claim.span), for: key)
  }
}
