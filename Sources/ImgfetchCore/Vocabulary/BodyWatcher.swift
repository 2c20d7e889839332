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

/// Takes the bytes of a body as they come, of what is no image: a list of images. Nothing of it is inspected or kept.
///
/// For requests with ``Verification/none`` and ``CachePolicy/off``. It is called on the fetcher's disk threads, by one at a time.
package protocol BodyStream: BodyWatcher {
  /// The next bytes after ``BodyWatcher/begin()``. An error ends the request with it.
  func take(_ piece: borrowing Span<UInt8>) throws(FetchError)
}

extension BodyStream {
  package func grew(_ body: ImageBody, _ facts: ImageFacts) {}
}

extension FetchRequest {
  /// What takes the body instead of the caches and the sink; nil for an image.
  var stream: (any BodyStream)? { watcher == nil ? nil : watcher as? any BodyStream }

  /// Whether it wants to see its image come.
  var isWatched: Bool { watcher != nil && stream == nil }
}
