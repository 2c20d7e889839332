/// A sink that lends the file in which an image will be, so that a body that is not cached is written once.
///
/// A large body goes straight into that file, and is inspected and counted on the way. The file has no name until
/// ``receive(_:for:)`` gives it one. The sink recognises its file by ``ImageBody/lent``.
package protocol LendingSink: ImageSink {
  /// Returns a place for a body, or nil if there is none. Called on a disk thread.
  ///
  /// - Parameter length: the most bytes that the body has, or nil if that is not known.
  func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile?
}
