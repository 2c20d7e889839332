/// The reason why a file could not be added to the cache.
package enum AddingFailure: Error, Sendable {
  /// The file could not be read.
  case unreadable(SystemError)
  /// The file is not an image, or not a complete one.
  case refused(InspectionFailure)
  /// The caller's check of the pixels failed.
  case damaged(FetchError)
  case cache(CacheFailure)
}
