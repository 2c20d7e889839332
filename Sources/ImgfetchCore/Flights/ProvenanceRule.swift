/// Judges the way by which a stored answer came, as if this run had taken that way. The run's rules about addresses and
/// hosts are applied to the facts in the entry.
enum ProvenanceRule {
  enum Verdict: Equatable {
    case allowed
    /// The answer came by way of what the rules refuse, for this reason.
    case refused(String)
    /// The entry lacks a fact that the rules need, which is named.
    case unknown(String)
  }

  /// Judges a provenance.
  ///
  /// - Parameter finalURL: the URL that answered.
  static func verdict(on provenance: Provenance, to finalURL: String, _ shared: SharedOptions) -> Verdict {
    let isPublicOnly = shared.values.publicAddressesOnly
    guard shared.hostRule != nil || isPublicOnly else { return .allowed }
    let address = provenance.address
    if isPublicOnly, address == .notPublic {
      return .refused("it came from an address that is not public, and such addresses are refused")
    }
    if let rule = shared.hostRule {
      let verdict = verdict(on: provenance, to: finalURL, rule)
      if verdict != .allowed { return verdict }
    }
    if isPublicOnly, address == .unknown {
      return .unknown("it is not known whether it came from a public address, and others are refused")
    }
    return .allowed
  }

  private static func verdict(on provenance: Provenance, to finalURL: String, _ rule: HostRule) -> Verdict {
    let unknown = Verdict.unknown("it is not known by way of which hosts it came, and some hosts are refused")
    var isUnknown = provenance.otherOrigins == nil
    // The other origins have the form of a URL, too.
    for url in [finalURL] + (provenance.otherOrigins ?? []) {
      guard let origin = (try? WebURL(url))?.origin else {
        isUnknown = true
        continue
      }
      if let reason = rule.objection(to: origin) { return .refused("\(reason), and the image came by way of it") }
    }
    // A file of the user's own came from no host, whatever URL it was given.
    return isUnknown && provenance.address != .ownFile ? unknown : .allowed
  }

  /// The use of a stored copy under this verdict, if the rules of caching allow it. A copy from a refused address or
  /// host is not used, and one whose way is not known is revalidated.
  static func permitted(_ use: CachingRules.Use, _ verdict: Verdict) -> CachingRules.Use {
    switch (verdict, use) {
    case (.allowed, _), (.unknown, .ignore), (.unknown, .ask): use
    case (.refused, _): .ignore
    case (.unknown, .serve): .ask(.none)
    }
  }
}
