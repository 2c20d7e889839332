/// Options that many requests share. The lines of a list differ in their URLs only and need no copies of the rest.
package final class SharedOptions: Sendable {
  package let values: FetchOptions
  /// Equal if one download can answer requests with either options.
  package let signature: Int
  /// The same for remembered failures, which count also for requests that retry them.
  var demands: Int { values.retriesFailed ? values.failureSignature : signature }
  /// The rule for hosts that may be asked, or nil for all hosts.
  let hostRule: HostRule?
  /// True if the asker itself wants only a part of the body.
  let asksForPart: Bool
  /// True if an incomplete body may be resumed.
  let mayResume: Bool

  package init(_ values: FetchOptions) {
    self.values = values
    signature = values.signature
    hostRule = HostRule(values)
    asksForPart = values.asksForPart
    mayResume = values.mayResume
  }
}
