/// The options and the purpose that many requests share. The lines of a list differ in their URLs only and need no
/// copies of the rest.
package final class SharedOptions: Sendable {
  package let values: FetchOptions
  package let purpose: RequestPurpose
  /// True if the origin is asked even if there is an entry, because that has turned out not to fit the request.
  let distrustsCaches: Bool
  /// Equal if one download can answer requests with either options, for either purpose.
  package let signature: Int
  /// The same for remembered failures, which also count for requests that retry them.
  var demands: Int {
    values.retriesFailed ? Self.signature(values.failureSignature, purpose, distrustsCaches) : signature
  }
  /// The rule for hosts that may be asked, or nil for all hosts.
  let hostRule: HostRule?
  /// True if the request's own fields ask for a part of the body.
  let asksForPart: Bool
  /// True if an incomplete body may be resumed.
  let mayResume: Bool

  package init(_ values: FetchOptions, for purpose: RequestPurpose = .image, distrustsCaches: Bool = false) {
    self.values = values
    self.purpose = purpose
    self.distrustsCaches = distrustsCaches
    signature = Self.signature(values.signature, purpose, distrustsCaches)
    hostRule = HostRule(values)
    asksForPart = values.asksForPart
    mayResume = values.mayResume
  }

  private static func signature(_ options: Int, _ purpose: RequestPurpose, _ distrustsCaches: Bool) -> Int {
    let signature = purpose.signature(with: options)
    return distrustsCaches ? ~signature : signature
  }

  /// True if the remote cache may answer: only under policies that use stored images and may ask the origin.
  var mayComeFromRemoteCache: Bool {
    let usesStored =
      switch values.policy {
      case .age, .http, .refresh: true
      case .reload, .only, .memory, .off: false
      }
    return usesStored && !distrustsCaches && !purpose.asksRemoteCache
  }
}
