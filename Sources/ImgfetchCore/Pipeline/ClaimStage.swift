import Synchronization

/// Claims the place where a flight's answer will be kept, so that of several processes that want the
/// same image one asks for it.
struct ClaimStage: Sendable {
  let disk: DiskCache?
  let record: RunRecord
  let resumption: PartResumption
  let gate: ClaimGate
  let log: FlightLog

  /// The state of the place.
  enum Finding {
    case settled(FlightMachine.Event)
    /// Another process is fetching the same image, and is worth waiting for.
    case busy(BusyPart)
  }

  /// True if a flight may claim a place now. If it may not, it is resumed when it may.
  func mayRun(_ flight: Flight) -> Bool {
    guard flight.options.policy.storesOnDisk, disk != nil else { return true }
    return gate.admit(flight, waiting: true)
  }

  /// Claims a part to write to, or the lock on the entry that the origin is asked about.
  func run(_ flight: Flight) -> Finding {
    guard flight.options.policy.storesOnDisk, flight.hop.keepsAnswers, let disk else { return .settled(.claimed) }
    return settle(
      flight.questioned.map(disk.claimEntry) ?? disk.claimPart(flight.hop.place, after: flight.hop.look), flight,
      mayWait: true)
  }

  /// Claims a part of this flight's own, without regard to another process.
  func runAlone(_ flight: Flight) -> FlightMachine.Event {
    guard let disk else { return .claimed }
    if case .settled(let event) = settle(disk.claimPrivatePart(flight.hop.place), flight, mayWait: false) {
      return event
    }
    return .claimed
  }

  /// Takes a part for this flight: its body goes there, and the bytes in it may be the body's beginning.
  func adopt(_ part: Part, _ flight: Flight) {
    flight.claim.part = part
    flight.claim.beginning = resumption.pickUp(part, flight)
  }

  /// Takes over what a claim has found, right away or after another process was waited for.
  func settle(_ claim: PartClaim, _ flight: Flight, mayWait: Bool) -> Finding {
    switch claim {
    case .claimed(let part): adopt(part, flight)
    case .lockedEntry(let lock): flight.claim.lock = lock
    case .unavailable(let warning): flight.claim.warnings.append(warning)
    case .published(let entry):
      flight.storedElsewhere = StoredCopy(entry, isJudged: false)
      if flight.hop.rules.http != nil { flight.hop.noteStoredElsewhere() }
      return .settled(.storedElsewhere)
    case .busy(let busy):
      guard mayWait, resumption.configuration.memories == .ofTime || record.isFirstWaiting(for: flight.hop.place) else {
        return .settled(.busy(mayWait: false))
      }
      log.explain(flight) { "another process is fetching it: this one waits for that" }
      return .busy(busy)
    }
    return .settled(.claimed)
  }
}

/// Bounds how many flights have their place on the cache's disk claimed, since each holds an open file there.
///
/// A program that reads a list stops reading before that (``Fetcher/window``). Tasks that ask by themselves do not: of
/// ten thousand, all but some hundreds wait here, as a list of flights.
///
/// May be called from any thread. Its state is behind one lock.
final class ClaimGate: Sendable {
  /// A flight's leave to hold a claim, for as long as the flight lasts.
  final class Pass: Sendable {
    private let gate: ClaimGate
    fileprivate init(_ gate: ClaimGate) { self.gate = gate }
    deinit { gate.leave() }
  }

  private struct State {
    var inside = 0
    /// The flights that wait, each with its priority.
    var waiting: [UInt64: (flight: Flight, priority: FetchRequest.Priority)] = [:]
    /// Their numbers in line, by priority. One whose priority has changed has left its number in the other line.
    var urgent = Queue<UInt64>()
    var usual = Queue<UInt64>()
    var late = Queue<UInt64>()

    mutating func add(_ flight: Flight, _ priority: FetchRequest.Priority) {
      waiting[flight.id] = (flight, priority)
      append(flight.id, priority)
    }

    mutating func append(_ id: UInt64, _ priority: FetchRequest.Priority) {
      switch priority {
      case .high: urgent.append(id)
      case .normal: usual.append(id)
      case .low: late.append(id)
      }
    }

    mutating func next() -> Flight? {
      while let id = urgent.popFirst() { if let flight = take(id, .high) { return flight } }
      while let id = usual.popFirst() { if let flight = take(id, .normal) { return flight } }
      while let id = late.popFirst() { if let flight = take(id, .low) { return flight } }
      return nil
    }

    private mutating func take(_ id: UInt64, _ priority: FetchRequest.Priority) -> Flight? {
      guard let known = waiting[id], known.priority == priority else { return nil }
      waiting[id] = nil
      return known.flight
    }
  }

  private let limit: Int
  private let state = Guarded(State())
  private let priority: @Sendable (Flight) -> FetchRequest.Priority
  private let resume: @Sendable (Flight) -> Void

  /// - Parameters:
  ///   - limit: how many may hold a claim.
  ///   - priority: a flight's. Called under this gate's lock: one that changes before is seen by it, and one
  ///     that changes after is told.
  ///   - resume: called with a flight whose turn has come, on any thread. Must not block.
  init(
    limit: Int, priority: @escaping @Sendable (Flight) -> FetchRequest.Priority = { $0.request.priority },
    resume: @escaping @Sendable (Flight) -> Void
  ) {
    self.limit = max(1, limit)
    self.priority = priority
    self.resume = resume
  }

  /// Changes the priority of a flight. Without effect on one that does not wait here.
  func setPriority(_ priority: FetchRequest.Priority, of flight: UInt64) {
    state.withLock { state in
      guard let known = state.waiting[flight], known.priority != priority else { return }
      state.waiting[flight]?.priority = priority
      state.append(flight, priority)
    }
  }

  /// True if the flight may claim now. If it may not, and `waiting` is true, it is resumed when its turn has come.
  func admit(_ flight: Flight, waiting: Bool) -> Bool {
    // A flight inside waits for this one. If it had to wait here, both would wait for ever.
    if flight.pass != nil || flight.options.isForAnother { return true }
    let isIn = state.withLock { state in
      if state.inside < limit {
        state.inside += 1
        return true
      }
      if waiting { state.add(flight, priority(flight)) }
      return false
    }
    if isIn { flight.pass = Pass(self) }
    return isIn
  }

  /// Admits all, because nothing will be downloaded any more.
  func open() {
    while let next = state.withLock({ state in
      let next = state.next()
      if next != nil { state.inside += 1 }
      return next
    }) { admitLater(next) }
  }

  private func leave() {
    let next = state.withLock { state in
      let next = state.inside > limit ? nil : state.next()
      if next == nil { state.inside -= 1 }
      return next
    }
    if let next { admitLater(next) }
  }

  private func admitLater(_ flight: Flight) {
    flight.pass = Pass(self)
    resume(flight)
  }
}

/// Resumes what an earlier run left in a part, and records what this one leaves. On disk threads.
struct PartResumption: Sendable {
  let configuration: PipelineConfiguration
  let disk: DiskCache?
  let clock: any Clock
  let log: FlightLog

  /// A shorter part gets no record of how to resume it, which takes two microseconds.
  static let notableLength: Int64 = 256 << 10

  /// Reads the bytes left in a part, or stored as a range, from the first one on, before the origin is asked for the
  /// rest. With nil the whole is asked for, and those bytes are overwritten.
  ///
  /// They are read first so that nothing is asked for that could not be used: bytes that a disk has lost, or that
  /// make no image, show here.
  func pickUp(_ part: Part, _ flight: Flight) -> BodyQueue? {
    guard flight.shared.mayResume, flight.options.policy != .reload else { return nil }
    do {
      let left = try leftover(in: part)
      guard let resumption = try left ?? storedBeginning(part, flight) else { return nil }
      // If the route of the bytes is not known, the rest is asked for under this run's rules, as
      // an entry is asked about.
      let verdict = ProvenanceRule.verdict(on: resumption.provenance, to: resumption.finalURL, flight.shared)
      if case .refused(let reason) = verdict {
        log.explain(flight) { "what is there from an earlier run is not gone on with: \(reason)" }
        return nil
      }
      let writer = bodyWriter(part, flight)
      try writer.readBack()
      let body = BodyQueue(part: part)
      body.writer = writer
      body.resumption = resumption
      body.isNoted = left != nil
      log.explain(flight) { "\(resumption.length) bytes are there from an earlier run: the rest is asked for" }
      return body
    } catch {
      log.explain(flight) { "what an earlier run left cannot be used: \(error)" }
      return nil
    }
  }

  /// A body that an earlier run broke off.
  private func leftover(in part: Part) throws(CacheFailure) -> Resumption? {
    guard part.length > 0, let record = part.resume else { return nil }
    let usable = record.usableLength(of: part.length, boot: configuration.boot())
    guard usable > 0, let resumption = Resumption(record, length: usable, now: clock.wallTime()) else { return nil }
    try part.truncate(to: usable)
    return resumption
  }

  /// The stored answer to a request for the body's first bytes, under HTTP's own rules (RFC 9111 §3.3). Nil if a whole
  /// answer is stored that the origin can be asked about.
  private func storedBeginning(_ part: Part, _ flight: Flight) throws(CacheFailure) -> Resumption? {
    guard let request = flight.hop.rules.http?.request, flight.validators == nil, !flight.options.distrustsCache,
      let entry = disk?.lookup(flight.hop.place.ofPart), let stored = StoredRange(StoredCopy(entry)),
      stored.whole.obstacle == nil, stored.whole.isSelected(by: request.fields),
      let resumption = Resumption(stored, of: flight.hop.url, now: clock.wallTime())
    else { return nil }
    try part.truncate()
    try stored.copy(to: part)
    return resumption
  }

  /// Makes the writer of a flight's body.
  ///
  /// - Parameter length: the length of the whole body, by the answer.
  func bodyWriter(_ part: Part?, _ flight: Flight, length: Int64? = nil) -> BodyWriter {
    var spool = BodyWriter.Spool(folder: configuration.spoolFolder)
    let leader = flight.leader
    // The derived image goes to the sink, and not the received one.
    if leader.request.derivation == nil {
      // The sink is asked whether it lends only when there is something to lend for: the question takes 2 µs,
      // and most bodies are small.
      spool.lend = {
        (leader.request.sink as? any LendingSink)?.lend(for: leader.request, atMost: length)
      }
    }
    return BodyWriter(
      url: leader.request.url, options: leader.request.shared, part: part, spool: spool,
      formats: configuration.ownFormats, stream: leader.request.stream, flight: flight.id, observers: log.observers)
  }

  /// Records beside the part how to resume it, once, so that even a killed process leaves something of use.
  func note(_ body: BodyQueue) {
    guard !body.isNoted, let part = body.part, part.length > 0 else { return }
    body.isNoted = true
    save(body, part, syncedLength: 0)
  }

  /// Keeps the received part of a body that may be good for another run, when the flight is broken off in good order.
  func keep(_ body: BodyQueue, after error: FetchError) {
    guard let part = body.part else { return }
    body.part = nil
    defer { body.writer = nil }
    guard !error.isOfTheBody else { return part.abandon(keepForResume: false) }
    if let writer = body.writer, writer.settle() {
      save(body, part, syncedLength: 0)
      // The disk is waited for only if enough is at stake: a hundred small bodies would take a second.
      if part.length >= Self.notableLength, (try? part.sync()) != nil {
        save(body, part, syncedLength: part.length)
      }
    }
    part.abandon(keepForResume: true)
  }

  private func save(_ body: BodyQueue, _ part: Part, syncedLength: Int64) {
    if body.resumption == nil, body.isNotable {
      body.resumption = body.head.flatMap(Resumption.init)
    }
    guard let boot = configuration.boot(),
      let record = body.resumption?.record(boot: boot, syncedLength: syncedLength)
    else { return }
    part.saveResume(record)
  }
}

/// Counts repetitions of an event from one image to the next, so that the next can be treated in the way that suits it.
///
/// This is a guess only: the result is right either way, and costs a little more if the guess is wrong.
final class Streak: Sendable {
  private let count = Atomic<Int>(0)

  /// The length of a streak after which a list does not count as mixed. A part that is claimed in vain costs two calls
  /// more than it saves, and a body that is read by itself one more.
  private static let usual = 16

  var isUsual: Bool { count.load(ordering: .relaxed) >= Self.usual }

  /// Written only while it matters: it is read for each image, on several threads.
  func note(_ happened: Bool) {
    if happened {
      if !isUsual { count.add(1, ordering: .relaxed) }
    } else if count.load(ordering: .relaxed) != 0 {
      count.store(0, ordering: .relaxed)
    }
  }
}

// The sources and the record of a resumption: the note beside a part, and a stored answer to a
// request for the first bytes.
extension Resumption {
  /// Creates the resumption of a part that an earlier run left, or nil if its rest may not be asked for.
  init?(_ record: ResumeRecord, length: Int64, now: WallTime) {
    guard let url = try? WebURL(record.finalURL), let length = Int(exactly: length) else { return nil }
    let etag = record.etag.map { EntityTag(bytes: Array($0.utf8)) }
    let range = RangeResume(
      length: length, total: record.total.flatMap { Int(exactly: $0) },
      validators: Validators(etag: etag, lastModified: record.lastModified, now: now),
      date: record.date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    self.init(
      range, of: url.origin, finalURL: record.finalURL, date: record.date,
      fields: HeaderFields(encoded: record.fields.span), provenance: record.provenance)
  }

  /// Creates the resumption of a stored range that begins the whole: it is as good as a body that was broken off there.
  init?(_ part: StoredRange, of url: WebURL, now: WallTime) {
    guard part.range.lowerBound == 0, let total = Int(exactly: part.total) else { return nil }
    let fields = part.whole.fields
    let date = fields.first("date")
    let range = RangeResume(
      length: part.range.count, total: total, validators: Validators(fields, now: now),
      date: date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    self.init(
      range, of: url.origin, finalURL: url.requestURL, date: date, fields: fields, provenance: part.provenance)
  }

  /// The note for the part, or nil if the validator cannot be noted as it came.
  func record(boot: String, syncedLength: Int64) -> ResumeRecord? {
    var etag: String?
    if let tag = range.validators.etag {
      guard let text = String(validating: tag.bytes, as: UTF8.self) else { return nil }
      etag = text
    }
    return ResumeRecord(
      boot: boot, finalURL: finalURL, etag: etag, lastModified: range.validators.lastModified, date: date,
      total: range.total.map(Int64.init), syncedLength: syncedLength, fields: fields.encoded(), provenance: provenance)
  }
}
