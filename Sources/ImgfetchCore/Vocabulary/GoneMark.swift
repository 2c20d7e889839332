/// The mark of a stored image that its origin did not have when it was last asked: the origin answered 404 or 410, or
/// with something that is not an image.
///
/// The image is kept for requests that do not ask the origin. For others it is not fresh until its origin confirms it
/// or sends another. The time of its file is 1970, so that programs that do not know the mark ask as well.
///
/// An entry of a read-only cache is marked by an entry in this cache, which has the mark and no image
/// (`CachedEntry.isMarkOnly`).
package struct GoneMark: Hashable, Sendable {
  /// The status of the origin's answer.
  package let status: Int
  /// The time of the first such answer.
  package let since: WallTime
}

extension GoneMark {
  /// The mark for a failure, or nil if the image may still be there.
  init?(_ error: FetchError, at time: WallTime) {
    let status = error.status ?? 200
    switch error.kind {
    case .http where status == 404 || status == 410: break
    // A page that comes with a status which the user accepts as an answer says nothing about the image.
    case .notImage where status < 300: break
    default: return nil
    }
    self.init(status: status, since: time)
  }

  /// The origin's answer, as a clause.
  package var reason: String {
    [404, 410].contains(status) ? "its origin answered \(status)" : "its origin sent something that is no image"
  }
}
