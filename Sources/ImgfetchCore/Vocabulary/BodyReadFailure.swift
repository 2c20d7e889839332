/// The reason why a body could not be read.
package enum BodyReadFailure: Error {
  /// The stored bytes are damaged.
  case damaged
  /// They could not be read.
  case source(SystemError)
  /// The consumer of the bytes failed.
  case sink(SystemError)
}
