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
  ///
  /// Every option is part of it, as the compiler makes the hash, but for those that are left out here: so two requests never share a
  /// download because an option was forgotten.
  fileprivate var signature: Int {
    var options = self
    // The key says what it has made of the URL.
    options.keyFilter = .none
    // What is done with an answer that both may have.
    options.reportsChecksum = false
    options.cachesDerived = false
    return options.hashValue
  }
}
