/// The reason why there is no cache in this run: a warning for the user. Everything else goes on without one.
package struct CacheUnavailable: Error, Hashable, Sendable {
  /// A full sentence with the folder's name and what can be done.
  package let message: String

  package init(_ message: String) { self.message = message }
}
