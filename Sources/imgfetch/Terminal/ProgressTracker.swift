import ImgfetchCore

/// Keeps the score of a run for its progress display, from what the fetcher says.
///
/// A pure value: times are handed in. Whatever is not known is said to be: there is no guess at totals.
struct ProgressTracker {
  /// Speed and time left are those of the last seconds: a run's average would hide that it has stalled.
  private static let window = Instant.Span.seconds(5)
  private static let sampleSpacing = Instant.Span.milliseconds(250)

  private struct Sample {
    var time: Instant
    var bytes: Int64
    var done: Int
  }

  private var flights: [UInt64: ProgressSnapshot.Flight] = [:]
  private var done = 0
  private var failed = 0
  private var asked = 0
  private var isAllAsked = false
  /// How many images the input holds, where that was counted before it is read.
  private var expected: Int?
  /// What came, repeats after a failed attempt included: that is what the line carried.
  private var bytes: Int64 = 0
  private var samples: [Sample]

  init(begun: Instant) { samples = [Sample(time: begun, bytes: 0, done: 0)] }

  /// Whether nothing is under way: a run that waits for the next line of its list has nothing to show.
  var isIdle: Bool { flights.isEmpty && done >= (total ?? asked) }

  /// Never less than what was asked for and done: a list may grow while it is read.
  private var total: Int? {
    if isAllAsked { return max(asked, done) }
    return expected.map { max($0, asked, done) }
  }

  mutating func take(_ event: FetchEvent) {
    switch event {
    case .started(let id, let url, _): flights[id] = ProgressSnapshot.Flight(url: url)
    case .responded(let id, _, let total, let already):
      flights[id]?.total = total
      flights[id]?.received = already
      flights[id]?.note = nil
    case .progressed(let id, let received):
      guard let before = flights[id]?.received else { return }
      bytes &+= max(0, received &- before)
      flights[id]?.received = received
    case .redirected(let id, _): flights[id]?.note = "redirected"
    case .retrying(let id, _, let milliseconds):
      flights[id]?.note = "again in \(Amount.duration(milliseconds: Double(milliseconds)))"
    case .ended(let id): flights[id] = nil
    case .explained, .headers, .warned: break
    }
  }

  /// One more image is asked for.
  mutating func ask() { asked += 1 }

  /// The input holds so many images: the total is known before they are asked for.
  mutating func expect(lines: Int) { expected = lines }

  /// The input is at its end: now the total is known, whatever was expected.
  mutating func noteEndOfInput() { isAllAsked = true }

  /// One image is done with.
  mutating func finish(isFailure: Bool) {
    done += 1
    if isFailure { failed += 1 }
  }

  /// How things stand; ask it a few times a second, since it takes its samples then.
  mutating func snapshot(at now: Instant) -> ProgressSnapshot {
    if let last = samples.last, now - last.time >= Self.sampleSpacing {
      samples.append(Sample(time: now, bytes: bytes, done: done))
      while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }
    var snapshot = ProgressSnapshot()
    snapshot.flights = flights.sorted { $0.key < $1.key }.map(\.value)
    snapshot.done = done
    snapshot.failed = failed
    snapshot.total = total
    snapshot.bytes = bytes
    guard let first = samples.first, case let seconds = (now - first.time).seconds, seconds > 0 else { return snapshot }
    snapshot.speed = Double(bytes &- first.bytes) / seconds
    snapshot.secondsLeft = secondsLeft(snapshot, doneEachSecond: Double(done - first.done) / seconds)
    return snapshot
  }

  private func secondsLeft(_ snapshot: ProgressSnapshot, doneEachSecond rate: Double) -> Double? {
    guard let total = snapshot.total, total > snapshot.done else { return nil }
    let left = total - snapshot.done
    // The last ones are a matter of bytes, as is a single large one; before that, of images.
    let missing = snapshot.flights.compactMap { flight in flight.total.map { max(0, $0 &- flight.received) } }
    if left <= snapshot.flights.count, missing.count == snapshot.flights.count, snapshot.speed > 0 {
      return missing.reduce(0) { $0 + Double($1) } / snapshot.speed
    }
    return rate > 0 ? Double(left) / rate : nil
  }
}

/// How far a run has come at one moment: all that a progress display shows.
struct ProgressSnapshot: Hashable, Sendable {
  struct Flight: Hashable, Sendable {
    var url: String
    var received: Int64 = 0
    /// Nil where the server does not say.
    var total: Int64?
    /// Why nothing comes, where that is known.
    var note: String?

    /// From 0 to 1; nil where the total is not known, or is no more than what came.
    var fraction: Double? {
      guard let total, total > 0, received <= total else { return nil }
      return Double(max(0, received)) / Double(total)
    }
  }

  /// In the order in which they began.
  var flights: [Flight] = []
  /// Images that are done with, failed ones included.
  var done = 0
  var failed = 0
  /// How many images there are; nil while a list that could not be counted is being read.
  var total: Int?
  /// Bytes that came over the network.
  var bytes: Int64 = 0
  /// Bytes a second, over the last seconds.
  var speed: Double = 0
  /// Seconds; nil where nobody can tell.
  var secondsLeft: Double?
}
