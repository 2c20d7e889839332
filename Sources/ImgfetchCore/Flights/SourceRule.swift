/// Whether a stored answer came by a way that this run would have gone: its rules about addresses and hosts, asked of what the entry
/// remembers.
enum SourceRule {
  enum Verdict: Equatable {
    case allowed
    /// It came by way of what the rules refuse, and this is why.
    case refused(String)
    /// The entry does not know all that the rules ask, and this is what.
    case unknown(String)
  }

  static func verdict(on metadata: EntryMetadata, _ shared: SharedOptions) -> Verdict {
    verdict(on: metadata.provenance, to: metadata.finalURL, shared)
  }

  /// - Parameter finalURL: the URL that answered.
  static func verdict(on provenance: Provenance, to finalURL: String, _ shared: SharedOptions) -> Verdict {
    let isPublicOnly = shared.values.publicAddressesOnly
    guard shared.hostRule != nil || isPublicOnly else { return .allowed }
    let address = provenance.address
    if isPublicOnly, address == .notPublic {
      return .refused("it came from an address that is not a public one, which --deny-private refuses")
    }
    if let rule = shared.hostRule {
      let verdict = verdict(on: provenance, to: finalURL, rule)
      if verdict != .allowed { return verdict }
    }
    if isPublicOnly, address == .unknown {
      return .unknown("it is not known whether it came from a public address, as --deny-private asks")
    }
    return .allowed
  }

  private static func verdict(on provenance: Provenance, to finalURL: String, _ rule: HostRule) -> Verdict {
    let unknown = Verdict.unknown("it is not known by way of which hosts it came, as --allow-host and --deny-host ask")
    var isUnknown = provenance.otherOrigins == nil
    // The other origins have the form of a URL, too.
    for url in [finalURL] + (provenance.otherOrigins ?? []) {
      guard let origin = (try? WebURL(url))?.origin else {
        isUnknown = true
        continue
      }
      if let reason = rule.objection(to: origin) { return .refused("\(reason), and the image came by way of it") }
    }
    // A file of the user's own came by way of no host, whatever it was given for a URL.
    return isUnknown && provenance.address != .ownFile ? unknown : .allowed
  }
}
