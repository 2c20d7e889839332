/// The reason why an image could not be kept in the cache, for the user. The image itself is delivered.
package struct CacheWarning: Sendable, Hashable {
  /// The sentence.
  package let text: String
  /// The system's error behind it, if there is one.
  package let code: Errno?

  init(_ text: String, _ code: Errno? = nil) {
    self.text = text
    self.code = code
  }
}
