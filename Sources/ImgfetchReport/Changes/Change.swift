/// The change of an image since an earlier run.
package enum Change: String, Sendable, CaseIterable {
  case new, changed, gone, failing, fixed, same
  case stillFailing = "still_failing"
}
