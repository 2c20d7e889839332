import ImgfetchCore

/// The word of the owner of one line's image, gathered while the image comes.
package final class ConsentNote: Sendable {
  private let state = Guarded(Consent.silent)

  package init() {}

  package var consent: Consent { state.withLock { $0 } }

  package func add(_ consent: Consent) { state.withLock { $0 = $0.combined(with: consent) } }

  /// Adds the terms in an answer and its image. Returns the reason why the image is kept out; nil if it is not.
  func add(_ image: DeliveredImage, _ rule: ConsentRule) -> String? {
    let fields = image.fields
    let tag = rule.tagConsent(in: fields)
    let others = rule.consent(in: fields).combined(
      with: ImageStatements.consent(in: image.original, image.originalFormat, for: rule.purpose))
    let before = state.withLock { state in
      let before = state
      state = state.combined(with: tag).combined(with: others)
      return before
    }
    if rule.refuses(tag) { return "its answer has \(tag.text ?? "")" }
    let stated = before.combined(with: others)
    guard rule.purpose != .any, stated.verdict == .no else { return nil }
    return Self.refusal(stated, rule.purpose)
  }

  /// The reason why an image is kept out.
  package static func refusal(_ consent: Consent, _ purpose: UsePurpose) -> String {
    "its owner does not agree to that use (\(purpose.rawValue)): \(consent.text ?? "")"
  }
}
