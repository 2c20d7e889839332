import ImgfetchCore
import ImgfetchDataSet

/// Writes complete shards, one after another on a thread of its own, since that takes seconds and the fetcher's threads
/// have images to look at meanwhile.
final class ShardCommitter: Sendable {
  private struct State {
    var waiting: [OpenShard] = []
    var isRunning = false
    var isStopped = false
    /// The moments at which the set was compared with that of others.
    var compared: Set<Moment> = []
  }

  /// The moments at which a process that began at the same time, with other options, may have been faster, or as fast.
  /// Of two that have seen nothing of each other before their first shards, at least one sees the other's afterwards.
  private enum Moment {
    case beforeFirst, afterFirst
  }

  private let folder: any ShardStore
  private let mostTransient: Double
  private let form: ShardWriter.Form
  private let hasStatistics: Bool
  /// The duplicates among a shard's images; nil if each image is kept.
  private let unique: UniqueRecords?
  private let job: @Sendable (OpenShard) -> ShardJob
  private let other: @Sendable () throws(ShardFailure) -> StandingShard?
  private let events: PackEvents
  private let state = Guarded(State())

  /// - Parameters:
  ///   - mostTransient: The part of a shard's lines that may have failed for a passing reason.
  ///   - form: The form of the shards. One of images only is not made if there are none.
  ///   - hasStatistics: True if counts are put beside each shard.
  ///   - unique: The duplicates among a shard's images; nil if each image is kept.
  ///   - job: Returns the job that a shard states.
  ///   - other: Returns a shard of the set that was made with other options.
  init(
    _ folder: any ShardStore, mostTransient: Double, _ form: ShardWriter.Form, hasStatistics: Bool,
    unique: UniqueRecords?, events: PackEvents,
    job: @escaping @Sendable (OpenShard) -> ShardJob,
    other: @escaping @Sendable () throws(ShardFailure) -> StandingShard?
  ) {
    self.folder = folder
    self.mostTransient = form.imagesOnly ? 1 : mostTransient
    self.form = form
    self.hasStatistics = hasStatistics
    self.unique = unique
    self.events = events
    self.job = job
    self.other = other
  }

  /// Takes a shard whose lines all have their ends.
  func add(_ shard: OpenShard) {
    let begins = state.withLock { state in
      if state.isStopped { return false }
      state.waiting.append(shard)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard begins else { return }
    // Without a thread the caller does the work.
    do throws(SystemError) { try Threads.start(name: "imgfetch-shards") { [self] in run() } } catch { run() }
  }

  /// Waits until all shards that were added are there, or will not be.
  func finish(atMost time: Instant.Span? = nil) {
    _ = state.wait(until: time.map { SystemClock().now() + $0 }) { $0.isRunning ? nil : () }
  }

  /// Begins no further shard, and leaves the one that is being written.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.waiting = []
    }
  }

  private func run() {
    while let shard = next() {
      commit(shard)
      events.whenClosed(shard)
    }
  }

  private func next() -> OpenShard? {
    let shard = state.withLock { state in
      if state.waiting.isEmpty {
        state.isRunning = false
        return OpenShard?.none
      }
      return state.waiting.removeFirst()
    }
    if shard == nil { state.broadcast() }
    return shard
  }

  private func commit(_ shard: OpenShard) {
    let tally = shard.tally
    if let objection = tally.objection(mostTransient: mostTransient) { return refuse(shard, tally, objection) }
    if form.imagesOnly, tally.images == 0 { return }
    let job = job(shard)
    if let failure = otherSet(than: job, .beforeFirst) { return giveUp(shard, tally, failure.message, failure.code) }
    let duplicates = form.imagesOnly ? [:] : unique?.duplicates(of: shard.name) ?? [:]
    var outcome = ShardReport.Outcome.made
    do throws(ShardFailure) {
      let made = try folder.make(shard.name, inPlaceOf: shard.former) { (file) throws(ShardFailure) in
        _ = try ShardWriter.write(shard, job, form, without: duplicates, to: file) { [state] in
          state.withLock { $0.isStopped }
        }
      }
      switch made {
      case .done: break
      case .doneUnguarded:
        events.warn("\(folder.path): nothing there keeps two attempts at one shard from replacing each other's file")
      case .lost: outcome = .lost
      }
    } catch {
      if case .stopped = error { return }
      if case .place(let error) = error, error.kind == .cancelled { return }
      let message = error.message(of: folder.path(of: shard.name), "the shard cannot be written")
      let code = error.exitCode()
      // Further images could not be kept either.
      if error.concernsAll { return giveUp(shard, tally, message, code) }
      events.refuse(refusal(shard, tally, message))
      return events.fail(message, code)
    }
    report(shard, job, outcome, tally)
    guard outcome == .made, let failure = otherSet(than: job, .afterFirst) else { return }
    stop()
    events.end("\(failure.message) (\(folder.path(of: shard.name)) is of this run)", failure.code)
  }

  /// The reason why the set is not this run's, or nil if there is none, or if that was asked at this moment before.
  private func otherSet(than job: ShardJob, _ moment: Moment) -> (message: String, code: Int32)? {
    let isFirst = state.withLock { $0.compared.insert(moment).inserted }
    // Repetitions were compared with their shards.
    guard isFirst, !form.imagesOnly else { return nil }
    do throws(ShardFailure) {
      return try other().map { (Packing.objection(to: $0, job.rules), ExitCode.usage) }
    } catch { return (error.message, error.exitCode()) }
  }

  /// Ends the run: no further shard can be made.
  private func giveUp(_ shard: OpenShard, _ tally: ShardTally, _ message: String, _ code: Int32) {
    events.refuse(refusal(shard, tally, message))
    stop()
    events.end(message, code)
  }

  private func report(_ shard: OpenShard, _ job: ShardJob, _ outcome: ShardReport.Outcome, _ tally: ShardTally) {
    do throws(ShardFailure) {
      guard let standing = try folder.standing(shard.name) else {
        return events.fail("\(folder.path(of: shard.name)): the shard was removed meanwhile", ExitCode.file)
      }
      guard standing.job == job else { return events.fail(Packing.objection(to: standing, job.rules), ExitCode.usage) }
      if hasStatistics { try folder.addStatistics(of: standing, isNew: outcome == .made) }
      events.report(
        ShardReport(
          outcome: outcome, shard: standing, tally: tally,
          elapsedMilliseconds: shard.elapsedMilliseconds(at: SystemClock().now())))
    } catch {
      events.fail(error.message, error.exitCode())
    }
  }

  private func refuse(_ shard: OpenShard, _ tally: ShardTally, _ objection: ShardTally.Objection) {
    let reason: String
    let code: Int32
    switch objection {
    case .cancelled: return
    case .file(let message): (reason, code) = (message, ExitCode.file)
    case .unreachable(let message): (reason, code) = ("nothing could be reached: \(message)", ExitCode.network)
    case .transient(let count, let lines):
      reason =
        "\(count) of its \(lines) lines failed for a reason that may pass; another run has more luck, or "
        + "--max-transient allows more"
      code = ExitCode.network
    }
    events.refuse(refusal(shard, tally, reason))
    events.fail("shard \(shard.name.text) is not made: \(reason)", code)
  }

  /// The object about a shard that is not made.
  func refusal(of shard: OpenShard, _ reason: String) -> ShardReport.Refusal { refusal(shard, shard.tally, reason) }

  private func refusal(_ shard: OpenShard, _ tally: ShardTally, _ reason: String) -> ShardReport.Refusal {
    ShardReport.Refusal(
      shard: shard.name, path: folder.path(of: shard.name), tally: tally,
      elapsedMilliseconds: shard.elapsedMilliseconds(at: SystemClock().now()), reason: reason)
  }
}
