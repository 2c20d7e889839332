/// Options that many requests share. The lines of a list differ in their URLs only and need no copies of the rest.
package final class SharedOptions: Sendable {
  package let values: FetchOptions
  /// Equal if one download can answer requests with either options.
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
  /// A hash of everything that decides what is accepted as an answer. Valid within one process.
  ///
  /// The compiler includes every option in the hash, except for those that are reset here. So a new option cannot be
  /// forgotten, which would let unlike requests share a download.
  fileprivate var signature: Int {
    var options = self
    // The key already contains its effect.
    options.keyFilter = .none
    // These only concern what is done with the answer.
    options.reportsChecksum = false
    options.cachesDerived = false
    return options.hashValue
  }
}
