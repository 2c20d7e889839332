import CTestSupport
import Glibc

/// A terminal that nothing runs at.
package final class OpenTerminal: Sendable {
  /// The end that programs have.
  package let descriptor: Int32
  private let master: Int32

  /// - Parameter inSetOfItsOwn: whether it is the first one of a devpts of its own. Where none may be mounted
  ///   it is one of the system's.
  package init(inSetOfItsOwn: Bool = false) throws {
    var peer: Int32 = -1
    master = test_open_terminal(80, 24, inSetOfItsOwn, &peer)
    if master < 0 { throw SocketError("posix_openpt") }
    descriptor = peer
  }

  deinit {
    close(descriptor)
    close(master)
  }
}
