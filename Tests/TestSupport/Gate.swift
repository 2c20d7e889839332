import CTestSupport
import Glibc
import ImgfetchCore

/// A barrier that a test opens: what waits at it goes on then, and whatever comes later passes.
///
/// It stands where a test would otherwise sleep. A server's answer waits at one without losing sight of its socket, so
/// a client that leaves meanwhile is noticed.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var wakers: [ObjectIdentifier: Waker] = [:]
  }

  private let state = Guarded(State())

  package init() {}

  package var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Lets everybody through, now and later.
  package func open() {
    let wakers = state.withLock { state in
      state.isOpen = true
      return Array(state.wakers.values)
    }
    state.broadcast()
    for waker in wakers { waker.wake() }
  }

  /// Sleeps until the gate is open; false if that took longer than any test may.
  @discardableResult
  package func wait(deadline: Instant.Span = Patience.long) -> Bool {
    state.wait(until: SystemClock().now() + deadline) { $0.isOpen ? true : nil } ?? false
  }

  /// Has `waker` woken at the opening, or at once if that has been.
  func add(_ waker: Waker) {
    let isOpen = state.withLock { state in
      if !state.isOpen { state.wakers[ObjectIdentifier(waker)] = waker }
      return state.isOpen
    }
    if isOpen { waker.wake() }
  }

  func remove(_ waker: Waker) { _ = state.withLock { $0.wakers.removeValue(forKey: ObjectIdentifier(waker)) } }
}

/// The time that tests wait for an event that has to come, before they call it a failure.
package enum Patience {
  /// Long enough for a loaded machine with sanitizers; a test that is right never waits it out.
  package static let long = Instant.Span.seconds(60)
}

/// A pipe that wakes a thread out of `poll`.
final class Waker: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(SocketError) {
    var ends: [Int32] = [-1, -1]
    if test_pipe(&ends) != 0 { throw SocketError("pipe") }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func wake() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Forgets that it was woken.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
