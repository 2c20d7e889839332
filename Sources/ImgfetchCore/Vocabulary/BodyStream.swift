/// Takes the bytes of a body that is no image, but a list of images, as they come. Nothing of it is inspected or kept.
///
/// For requests with ``Verification/none`` and ``CachePolicy/off``. It is called on the fetcher's disk threads,
/// by one thread at a time.
package protocol BodyStream: BodyWatcher {
  /// Takes the next bytes after ``BodyWatcher/begin()``. An error ends the request with it.
  func take(_ piece: borrowing Span<UInt8>) throws(FetchError)

  /// True if the stream wants no more for now. Some pieces that are on their way are taken all the same.
  var isFull: Bool { get }
}

extension BodyStream {
  package func grew(_ body: ImageBody, _ facts: ImageFacts) {}
}
