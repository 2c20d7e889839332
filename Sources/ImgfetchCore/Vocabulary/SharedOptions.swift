/// The options and the purpose that many requests share. The lines of a list differ in their URLs only and need no
/// copies of the rest.
package final class SharedOptions: Sendable {
  package let values: FetchOptions
  /// The purpose of the requests.
  package let purpose: RequestPurpose
  /// Equal if one download can answer requests with either options, for either purpose.
  package let signature: Int
  /// The same for remembered failures, which count also for requests that retry them.
  var demands: Int { values.retriesFailed ? purpose.signature(with: values.failureSignature) : signature }
  /// The rule for hosts that may be asked, or nil for all hosts.
  let hostRule: HostRule?
  /// True if the asker itself wants only a part of the body.
  let asksForPart: Bool
  /// True if an incomplete body may be resumed.
  let mayResume: Bool

  package init(_ values: FetchOptions, for purpose: RequestPurpose = .image) {
    self.values = values
    self.purpose = purpose
    signature = purpose.signature(with: values.signature)
    hostRule = HostRule(values)
    asksForPart = values.asksForPart
    mayResume = values.mayResume
  }

  /// True if the remote cache may answer, which it may only under policies that use stored images and may ask the
  /// origin.
  var mayComeFromRemoteCache: Bool {
    (values.policy == .age || values.policy == .http) && !values.distrustsCache && !purpose.asksRemoteCache
  }
}
