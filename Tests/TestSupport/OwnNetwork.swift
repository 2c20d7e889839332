import CTestSupport
import Glibc
import ImgfetchCore

/// A network of a test's own, in which this machine has a public address: for rules that tell public addresses from
/// others. Servers and programs that are started in it see nothing of the real one.
package enum OwnNetwork {
  /// An address that is reachable from anywhere, and here belongs to this machine.
  package static let publicAddress = "198.41.0.4"

  /// Runs `body` on a thread in such a network and gives back what it found; nil where this user may make none.
  ///
  /// `body` should only gather outcomes: what is expected of them is checked by the test's own thread.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value? {
    let outcome = Guarded<Result<Value?, any Error>?>(nil)
    try startDetachedThread {
      let result = Result { test_enter_own_network(publicAddress) == 0 ? try body() : nil }
      outcome.withLock { $0 = result }
      outcome.broadcast()
    }
    return try outcome.wait(until: nil) { $0 }?.get() ?? nil
  }
}
