/// The reason why an operation on the cache failed. The image is still delivered.
package enum CacheFailure: Error, Hashable, Sendable {
  /// A system call failed, mostly because of a full or read-only disk.
  case system(SystemError)
  /// A file could not be removed, or a folder not read. All others that were meant are removed.
  case notRemoved(SystemError)
  /// The folder cannot be trusted.
  case unavailable(CacheUnavailable)
  /// The response's header is longer than an entry can hold.
  case headerTooLong
  /// The stored bytes are damaged.
  case damaged
  /// A newer version of this program wrote the entry.
  case newer(version: UInt32)
  case beingCleaned

  /// The event, for the user, as a clause to follow "the cache".
  package var message: String {
    switch self {
    case .system(let error): "cannot be written: \(error)"
    case .notRemoved(let error): "holds what cannot be removed: \(error)"
    case .unavailable(let reason): reason.message
    case .headerTooLong: "does not keep answers with so long a header"
    case .damaged: "holds damaged bytes"
    case .newer(let version): "holds an entry that a newer imgfetch wrote (format \(version)); it is left alone"
    case .beingCleaned: "is being cleaned by another process; nothing was done"
    }
  }
}

extension CacheFailure {
  /// The failure of the cache in that folder, as a sentence.
  package func sentence(of folder: String) -> String {
    switch self {
    case .unavailable(let reason): reason.message
    case .system(let error): "\(folder): the cache cannot be used: \(error.path == nil ? "\(error.code)" : "\(error)")"
    default: "\(folder): the cache \(message)"
    }
  }
}

extension CacheFailure: CustomStringConvertible {
  /// The message as a sentence.
  package var description: String {
    if case .unavailable(let reason) = self { reason.message } else { "the cache \(message)" }
  }
}

extension CacheFailure {
  /// Runs system calls and converts their failure.
  @inline(__always)
  static func wrapping<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(CacheFailure) -> Value {
    do { return try body() } catch { throw .system(error) }
  }

  /// The system's error, if there was one.
  package var code: Errno? {
    switch self {
    case .system(let error), .notRemoved(let error): error.code
    default: nil
    }
  }

  /// The objection to a folder that is not used as a cache.
  static func refusal(of folder: String, _ objection: String) -> CacheFailure {
    .unavailable(CacheUnavailable("\(folder): not used as a cache: \(objection)"))
  }
}
