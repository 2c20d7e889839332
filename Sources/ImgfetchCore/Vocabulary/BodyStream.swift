/// Takes the bytes of a body that is not an image as they come: a list, or a page. They are neither inspected nor kept.
///
/// For requests with ``Verification/none`` and ``CachePolicy/off``. It is called on the fetcher's disk threads, by one
/// thread at a time.
package protocol BodyStream: AnyObject, Sendable {
  /// Reports that a body begins, perhaps anew: earlier bytes are void.
  func begin()

  /// Takes the next bytes after ``begin()``. An error ends the request with it.
  func take(_ piece: borrowing Span<UInt8>) throws(FetchError)

  /// True if the stream wants no more for now. Some pieces that are already on their way are passed all the same.
  var isFull: Bool { get }
}
