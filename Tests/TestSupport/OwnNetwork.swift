import CTestSupport
import Glibc
import ImgfetchCore

/// A network of a test's own, in which this machine has a public address: for rules that tell public addresses from
/// others. Servers and programs that are started in it see nothing of the real one.
package enum OwnNetwork {
  /// An address that is reachable from anywhere, and here belongs to this machine.
  package static let publicAddress = "198.41.0.4"

  /// Runs `body` on a thread in such a network and returns its result. Where ``Need/network`` is not met it fails.
  ///
  /// `body` should only gather outcomes: the test's own thread checks them.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let outcome = Guarded<Result<Value, any Error>?>(nil)
    try startDetachedThread {
      let result = Result {
        if test_enter_own_network(publicAddress) != 0 { throw SocketError("unshare") }
        return try body()
      }
      outcome.withLock { $0 = result }
      outcome.broadcast()
    }
    guard let result = outcome.wait({ $0 }) else { throw CommandError("the thread has ended without a result") }
    return try result.get()
  }
}
