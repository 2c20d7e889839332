/// Takes the answer to one request: its head, the pieces of its body, and its end or its failure, in this order.
///
/// May be called from any thread; no call blocks. Calls after the end, or for a request that is no longer wanted, have
/// no effect.
public final class TransportAnswer: Sendable {
  /// The reason why there is no answer, or only a part of one.
  public enum Failure: Sendable, Hashable {
    /// There was no connection, or it was lost. The request is tried again.
    case lost(String)
    /// There is no such host. The request is not tried again.
    case noHost(String)
    /// The connection is not secure. The request is not tried again.
    case insecure(String)
    /// The request failed for any other reason, and is not tried again.
    case refused(String)
  }

  enum Event: Sendable {
    case head(status: Int, fields: [(name: String, value: String)], length: Int64?, address: String?)
    case piece([UInt8])
    case end
    case failure(Failure)
    case ready(@Sendable () -> Void)
    case later(Instant.Span, @Sendable () -> Void)
  }

  private struct State {
    var isOver = false
    var whenCancelled: (@Sendable () -> Void)?
    /// The transport's closures that wait for room, by numbers.
    var waiting: [Int: @Sendable () -> Void] = [:]
    var count = 0
  }

  private let state = Guarded(State())
  private let tell: @Sendable (Event) -> Void

  init(_ tell: @escaping @Sendable (Event) -> Void) { self.tell = tell }

  /// Begins the answer.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - fields: the header fields, in order.
  ///   - length: the length of the body, if it is known. If the body ends earlier, it counts as broken off, and bytes
  ///     beyond it are dropped. With nil the body ends with ``end()``.
  ///   - address: the numeric address of the host that answers, if there is one.
  public func head(
    status: Int, fields: [(name: String, value: String)] = [], length: Int64? = nil, address: String? = nil
  ) {
    tell(.head(status: status, fields: fields, length: length, address: address))
  }

  /// Delivers a piece of the body. Pieces of some 64 KB are the most efficient.
  public func piece(_ bytes: [UInt8]) { tell(.piece(bytes)) }

  /// Ends the body, which is complete.
  public func end() { tell(.end) }

  /// Reports that there will be no answer, or no more of it.
  public func fail(_ failure: Failure) { tell(.failure(failure)) }

  /// Calls `go` once when more of the body can be taken: at once, or when the fetcher has caught up. It is also called
  /// when the request is over, so that a waiting task continues. A transport that does not ask may fill the memory with
  /// a large body.
  public func whenReady(_ go: @escaping @Sendable () -> Void) {
    let number: Int? = state.withLock { state in
      if state.isOver { return nil }
      state.count += 1
      state.waiting[state.count] = go
      return state.count
    }
    guard let number else { return go() }
    tell(.ready { [self] in state.withLock { $0.waiting.removeValue(forKey: number) }?() })
  }

  /// Calls `act` once after that time, unless the request is over by then: for a transport that is deliberately slow.
  public func after(_ time: Duration, _ act: @escaping @Sendable () -> Void) { tell(.later(Instant.Span(time), act)) }

  /// True if nothing is wanted any more.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Calls `act` once when the request is over before the transport has ended it: it was cancelled, or its body is not
  /// wanted. At once if that has happened already.
  public func onCancel(_ act: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.whenCancelled = act }
      return state.isOver
    }
    if isOver { act() }
  }

  /// Ends the request.
  ///
  /// - Parameter isCancelled: true if the transport has to be told.
  func finish(isCancelled: Bool) {
    let (act, waiting) = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [:] }
      return (state.whenCancelled.take(), state.waiting)
    }
    if isCancelled { act?() }
    for go in waiting.values { go() }
  }
}
