/// Watches the body of a request while it is downloaded, to show what there is of it.
///
/// It is called on the fetcher's threads and must not block. Only bodies that are inspected are watched. One whose
/// request joins a download is told of the next piece, with all that came before. What it is told is no promise: the image may still be refused.
package protocol BodyWatcher: AnyObject, Sendable {
  /// A body begins, perhaps anew: what came before is void. Not called for one that has begun when the request joins.
  func begin()

  /// The body has grown. The header has been read by then.
  /// - Parameters:
  ///   - body: All that has come so far, from the first byte on.
  ///   - facts: What the header says.
  func grew(_ body: ImageBody, _ facts: ImageFacts)
}
