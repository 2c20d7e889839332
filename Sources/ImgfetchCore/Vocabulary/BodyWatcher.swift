/// Watches the image of a request while it is downloaded, to show the received part.
///
/// Calls come on the fetcher's threads and must not block. Only bodies that are inspected are watched. If the request
/// joins a download, the first call has everything that has come before. Nothing is promised: the image may still be
/// refused.
package protocol BodyWatcher: AnyObject, Sendable {
  /// Reports that a body begins, perhaps anew: earlier bytes are void. Not called for one that has
  /// begun when the request joins.
  func begin()

  /// Reports that the body has grown. The header has been read by then.
  /// - Parameters:
  ///   - body: The bytes that have come so far, from the first one on.
  ///   - facts: The facts in the header.
  func grew(_ body: ImageBody, _ facts: ImageFacts)

  /// Reports that the body has grown, and has a format of the program's own.
  func grew(_ body: ImageBody)
}

extension BodyWatcher {
  package func grew(_ body: ImageBody) {}
}
