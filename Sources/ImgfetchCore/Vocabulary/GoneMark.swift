/// That the origin of a stored image had it no more when it was asked last: it answered 404 or 410, or with something that is no image.
///
/// The image is kept, for those who ask no origin. For others it is not fresh until its origin confirms it or sends another. Its file's time
/// is 1970, so that programs that do not know the mark ask as well.
///
/// The entry of a cache that is only read is marked by one of this cache's own, which has the mark and no image (`CachedEntry.isMarkOnly`).
package struct GoneMark: Hashable, Sendable {
  /// What the origin answered.
  package let status: Int
  /// When it first did.
  package let since: WallTime

  package init(status: Int, since: WallTime) {
    self.status = status
    self.since = since
  }
}

extension GoneMark {
  /// The mark that a failure makes; nil: the image may still be there.
  init?(_ error: FetchError, at time: WallTime) {
    let status = error.status ?? 200
    switch error.kind {
    case .http where status == 404 || status == 410: break
    // The page of a failure that the user takes for an answer says nothing of the image.
    case .notImage where status < 300: break
    default: return nil
    }
    self.init(status: status, since: time)
  }

  /// What the origin said, as a clause.
  package var reason: String {
    [404, 410].contains(status) ? "its origin answered \(status)" : "its origin sent something that is no image"
  }
}
