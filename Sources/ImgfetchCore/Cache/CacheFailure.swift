/// Why something could not be done in the cache. It costs the cache, never the image.
package enum CacheFailure: Error, Hashable, Sendable {
  /// A call failed: a full or read-only disk, mostly.
  case system(SystemError)
  /// The folder is not one to trust.
  case unavailable(CacheUnavailable)
  /// The answer's header is longer than entries hold.
  case headerTooLong
  /// The stored bytes are not those that were stored.
  case damaged
  /// A newer version of this program wrote what is there.
  case newer(version: UInt32)
  /// Another process is cleaning it.
  case beingCleaned

  /// What happened, for the user, as a clause after "the cache".
  package var message: String {
    switch self {
    case .system(let error): "cannot be written: \(error)"
    case .unavailable(let reason): reason.message
    case .headerTooLong: "does not keep answers with so long a header"
    case .damaged: "holds damaged bytes"
    case .newer(let version): "holds an entry that a newer imgfetch wrote (format \(version)); it is left alone"
    case .beingCleaned: "is being cleaned by another process; nothing was done"
    }
  }
}

extension CacheFailure: CustomStringConvertible {
  /// The message as a sentence.
  package var description: String {
    if case .unavailable(let reason) = self { reason.message } else { "the cache \(message)" }
  }
}

/// Why there is no cache in this run. A warning for the user; everything else goes on without one.
package struct CacheUnavailable: Error, Hashable, Sendable {
  /// The whole sentence, with the folder's name and what can be done.
  package let message: String

  package init(_ message: String) { self.message = message }
}

extension CacheFailure {
  /// Runs system calls, and has their failure as one of the cache's.
  @inline(__always)
  static func wrapping<Value: ~Copyable>(
    _ body: () throws(SystemError) -> Value
  ) throws(CacheFailure) -> Value {
    do { return try body() } catch { throw .system(error) }
  }

  /// What the failed call said, where it was one.
  var code: Errno? {
    if case .system(let error) = self { error.code } else { nil }
  }
}
