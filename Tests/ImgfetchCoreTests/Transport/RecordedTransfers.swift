import ImgfetchCore
import TestSupport

/// The decisions of a loop's client, and the events that it received, shared between the loop's thread and the test's.
final class TransferRecords: Sendable {
  /// The events of one transfer.
  struct Record: Sendable, CustomStringConvertible {
    var head: ResponseHead?
    var heads = 0
    var pieces: [[UInt8]] = []
    var lastMarks = 0
    var received: Int64 = 0
    var peeks: [[UInt8]] = []
    var end: TransferEnd?
    var ends = 0
    var body: [UInt8] { pieces.reduce(into: []) { $0 += $1 } }

    var description: String { "status \(head?.status ?? 0), \(body.count) bytes, \(end.map { "\($0)" } ?? "no end")" }

    var failure: TransportFailure? { if case .failed(let failure) = end { failure } else { nil } }
    var isComplete: Bool { if case .complete = end { true } else { false } }
    var isStopped: Bool { if case .stopped = end { true } else { false } }
  }

  struct State {
    var records: [UInt64: Record] = [:]
    var turns = 0
    var decide: @Sendable (ResponseHead) -> HeadDecision = { _ in .receive }
    var judge: @Sendable ([UInt8]) -> Bool = { _ in true }
    var isBackedUp = false
    var whenPiece: (@Sendable (TransferID) -> Void)?
  }

  let state = Guarded(State())

  func change(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    state.broadcast()
  }

  /// Waits until a transfer has reached a state.
  func wait(for id: UInt64, _ condition: @escaping (Record) -> Bool) throws -> Record {
    let deadline = SystemClock().now() + Patience.long
    let record = state.wait(until: deadline) { state in
      state.records[id].flatMap { condition($0) ? $0 : nil }
    }
    guard let record else { throw NeverCame(state: "\(state.withLock { $0.records[id] } as Any)") }
    return record
  }

  struct NeverCame: Error { let state: String }
}

/// A client that records its events.
final class RecordingClient: TransportClient {
  let transport: any Transport
  private let records: TransferRecords
  init(_ transport: any Transport, _ records: TransferRecords) {
    self.transport = transport
    self.records = records
  }

  private func note(_ id: TransferID, _ change: (inout TransferRecords.Record) -> Void) {
    records.change { change(&$0.records[id.number, default: .init()]) }
  }

  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision {
    note(id) {
      $0.head = head
      $0.heads += 1
    }
    return records.state.withLock { $0.decide }(head)
  }

  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool) {
    note(id) {
      $0.pieces.append(bytes)
      if isLast { $0.lastMarks += 1 }
    }
    records.state.withLock { $0.whenPiece }?(id)
  }

  func transfer(_ id: TransferID, hasReceived count: Int64) { note(id) { $0.received = count } }

  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    note(id) { $0.peeks.append(copy) }
    return records.state.withLock { $0.judge }(copy)
  }

  func transfer(_ id: TransferID, didEnd end: TransferEnd) {
    note(id) {
      $0.end = end
      $0.ends += 1
    }
  }

  func turnDidEnd(at now: Instant) -> Instant? {
    records.change { $0.turns += 1 }
    return nil
  }
}

/// A network loop with a client that records its events.
final class RecordedLoop: Sendable {
  let loop: NetworkLoop<RecordingClient>
  let records: TransferRecords
  private let numbers = Guarded<UInt64>(0)

  init(_ options: NetworkOptions = NetworkOptions(), clock: any Clock = SystemClock()) throws {
    let records = TransferRecords()
    self.records = records
    loop = try NetworkLoop(
      options: options, clock: clock, isBackedUp: { records.state.withLock { $0.isBackedUp } },
      makeClient: { RecordingClient($0, records) })
  }

  deinit { loop.shutdown() }

  func start(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> UInt64 {
    let number = numbers.withLock { number in
      number += 1
      return number
    }
    var request = TransferRequest(id: TransferID(number: number), url: url)
    change(&request)
    loop.post { [request] in $0.transport.start(request) }
    return number
  }

  /// Starts a transfer and waits for its end.
  func fetch(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) throws -> TransferRecords.Record {
    try records.wait(for: start(url, change)) { $0.end != nil }
  }

  func wait(for id: UInt64, _ condition: @escaping (TransferRecords.Record) -> Bool) throws -> TransferRecords.Record {
    try records.wait(for: id, condition)
  }

  /// Waits until the loop has taken another turn.
  func waitForTurn(after turns: Int) throws {
    let deadline = SystemClock().now() + Patience.long
    let isOver = records.state.wait(until: deadline) { $0.turns > turns ? true : nil }
    if isOver == nil { throw TransferRecords.NeverCame(state: "no turn after \(turns)") }
  }
}

extension NetworkOptions {
  /// Sets one proxy for both schemes.
  mutating func useProxy(_ proxy: String?) {
    httpProxy = proxy
    httpsProxy = proxy
  }
}
