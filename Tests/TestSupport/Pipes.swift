import CTestSupport
import Glibc

/// A pipe that no program of another test inherits.
package enum Pipes {
  package static func open() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    if test_pipe(&ends) != 0 { throw SocketError("pipe") }
    return (ends[0], ends[1])
  }

  /// Returns once the other end of a pipe or socket is closed everywhere: a process that another test starts has a copy
  /// of every descriptor until it runs its program.
  package static func waitForLastReader(of writer: Int32) {
    var waiting = pollfd(fd: writer, events: 0, revents: 0)
    while poll(&waiting, 1, -1) < 1 {}
  }
}
