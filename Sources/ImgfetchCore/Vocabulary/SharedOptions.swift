/// Options that many requests have, in one place: a list's lines differ in their URL, and need no copy of all the rest.
package final class SharedOptions: Sendable {
  package let values: FetchOptions
  /// The same for options under which one download can answer both askers.
  package let signature: Int
  /// Which hosts may be asked; nil: all.
  let hostRule: HostRule?

  package init(_ values: FetchOptions) {
    self.values = values
    signature = values.signature
    hostRule = HostRule(values)
  }
}

extension FetchOptions {
  /// A number over all that decides what is taken as an answer. It holds in one process only.
  fileprivate var signature: Int {
    var hasher = Hasher()
    hasher.combine(policy)
    hasher.combine(maximumAge)
    hasher.combine(verification)
    hasher.combine(maximumPixels)
    hasher.combine(maximumBytes)
    hasher.combine(acceptedStatuses)
    hasher.combine(maximumRedirects)
    hasher.combine(filter)
    hasher.combine(servesStale)
    hasher.combine(retriesFailed)
    hasher.combine(skipsFailedFor)
    hasher.combine(isRefresh)
    for header in headers {
      hasher.combine(header.name)
      hasher.combine(header.value)
    }
    hasher.combine(allowedHosts)
    hasher.combine(deniedHosts)
    hasher.combine(publicAddressesOnly)
    hasher.combine(distrustsCache)
    return hasher.finalize()
  }
}
