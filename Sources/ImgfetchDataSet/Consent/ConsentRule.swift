import ImgfetchCore

/// The rule of a run for statements of owners: those that count, and those that keep an image out. A pure value.
package struct ConsentRule: Sendable {
  package let purpose: UsePurpose
  /// True if `noai` and `noimageai` keep it out.
  let obeysRobotsTag: Bool
  /// True if `noindex` and `noimageindex` do, too.
  let refusesNoIndex: Bool

  package init(purpose: UsePurpose, obeysRobotsTag: Bool, refusesNoIndex: Bool) {
    self.purpose = purpose
    self.obeysRobotsTag = obeysRobotsTag
    self.refusesNoIndex = refusesNoIndex
  }

  /// Returns the word of an answer's fields.
  func consent(in fields: HeaderFields) -> Consent {
    var consent = Consent.silent
    if let value = fields.combined("content-usage") {
      consent = Consent(StatedUse.contentUsage(value), for: purpose, .contentUsage, "Content-Usage: \(value)")
    }
    if let value = fields.first("tdm-reservation"), let use = StatedUse.reservation(value) {
      consent = consent.combined(
        with: Consent([use], for: purpose, .reservationField, "tdm-reservation: \(value)"))
    }
    return consent
  }

  /// Returns the word of its X-Robots-Tag.
  func tagConsent(in fields: HeaderFields) -> Consent {
    let tags = fields.all("x-robots-tag")
    if tags.isEmpty { return .silent }
    var consent = Consent.silent
    // Not to be trained on says nothing of an index.
    for (directives, kind) in [(indexDirectives, StatedUse.Kind.everything), (["noai", "noimageai"], .training)] {
      guard let directive = RobotsTag(tags, robot: ImgfetchVersion.productToken, directives: directives).refusal else {
        continue
      }
      consent = consent.combined(
        with: Consent([StatedUse(kind, allows: false)], for: purpose, .robotsTag, "X-Robots-Tag: \(directive)"))
    }
    return consent
  }

  private var indexDirectives: [String] { refusesNoIndex ? ["noindex", "noimageindex"] : [] }

  /// Returns whether a "no" of an X-Robots-Tag keeps the image out.
  func refuses(_ tag: Consent) -> Bool {
    guard tag.verdict == .no else { return false }
    return obeysRobotsTag || indexDirectives.contains { tag.text == "X-Robots-Tag: \($0)" }
  }
}
