/// The remains of a download that has brought no image. A reference, because few downloads have any, and each item of a
/// ``BodyQueue`` would have room for them.
final class DownloadRemains: Sendable {
  /// The part that was claimed for the image.
  let claim: Claim
  /// The answer that came instead, which may be kept.
  let sideAnswer: SideAnswer?
  /// The mirrors that have not been asked.
  let mirrors: ArraySlice<WebURL>

  init(claim: Claim = Claim(), sideAnswer: SideAnswer? = nil, mirrors: ArraySlice<WebURL> = []) {
    self.claim = claim
    self.sideAnswer = sideAnswer
    self.mirrors = mirrors
  }
}
