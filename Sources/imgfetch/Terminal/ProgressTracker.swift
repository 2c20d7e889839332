import ImgfetchCore

/// Tracks a run for its progress display, from the fetcher's events.
///
/// A pure value: times are passed in. Totals are never guessed.
struct ProgressTracker {
  /// Speed and remaining time are computed over the last seconds: an average over the whole run would hide a stall.
  fileprivate static let window = Instant.Span.seconds(5)
  fileprivate static let sampleSpacing = Instant.Span.milliseconds(250)

  private struct Sample {
    var time: Instant
    var bytes: Int64
    var done: Int
  }

  /// A flight and how it got on lately.
  private struct Course {
    var flight: ProgressSnapshot.Flight
    var samples: [(time: Instant, bytes: Int64)] = []
    /// The time at which it was first seen, or last seen to have grown.
    var grown: Instant?

    /// Updates the speed over the last seconds, and the time for which nothing has come.
    mutating func look(at now: Instant) {
      if grown == nil || samples.last.map({ flight.received > $0.bytes }) == true { grown = now }
      // After a retry it may have less than before.
      if samples.last.map({ flight.received < $0.bytes }) == true { samples = [] }
      if samples.last.map({ now - $0.time >= ProgressTracker.sampleSpacing }) != false {
        samples.append((now, flight.received))
      }
      while samples.count > 2, now - samples[1].time >= ProgressTracker.window { samples.removeFirst() }
      flight.silentSeconds = grown.map { (now - $0).seconds } ?? 0
      guard let first = samples.first, case let seconds = (now - first.time).seconds, seconds > 0 else { return }
      flight.speed = Double(flight.received - first.bytes) / seconds
    }
  }

  private var courses: [UInt64: Course] = [:]
  /// The facts that are counted; ``snapshot(at:)`` adds those that depend on the time.
  private var counted = ProgressSnapshot()
  private var asked = 0
  private var isAllAsked = false
  /// The number of images in the input, if it was counted in advance.
  private var expected: Int?
  private var samples: [Sample]

  init(begun: Instant) { samples = [Sample(time: begun, bytes: 0, done: 0)] }

  /// True if nothing is in progress: a run that waits for the next line of its list has nothing to show.
  var isIdle: Bool { courses.isEmpty && counted.done >= (total ?? asked) }

  /// The total, which is never less than the finished requests: a list may grow while it is read.
  private var total: Int? {
    if isAllAsked { return max(asked, counted.done) }
    return expected.map { max($0, asked, counted.done) }
  }

  mutating func handle(_ event: FetchEvent) {
    switch event {
    case .started(let id, let url, _): courses[id] = Course(flight: ProgressSnapshot.Flight(url: url))
    case .responded(let id, _, let total, let already):
      courses[id]?.flight.total = total
      courses[id]?.flight.received = already
      courses[id]?.flight.note = nil
    case .progressed(let id, _, let received, _):
      guard let before = courses[id]?.flight.received else { return }
      counted.bytes &+= max(0, received &- before)
      courses[id]?.flight.received = received
    case .redirected(let id, _): courses[id]?.flight.note = "redirected"
    case .retrying(let id, _, let milliseconds):
      courses[id]?.flight.note = "again in \(Amount.duration(milliseconds: Double(milliseconds)))"
    case .ended(let id): courses[id] = nil
    case .explained, .headers: break
    }
  }

  mutating func countRequest() { asked += 1 }

  /// Sets the total in advance.
  mutating func expect(lines: Int) { expected = lines }

  /// Notes that the input has ended, so that the total is known.
  mutating func noteEndOfInput() { isAllAsked = true }

  /// Counts one finished image.
  ///
  /// - Parameter url: the URL that failed, or nil if it is the error's subject.
  mutating func finish(_ error: FetchError?, at url: String? = nil) {
    counted.done += 1
    guard let error else { return }
    counted.failed += 1
    counted.unanswering.add(error, at: url)
  }

  mutating func finishShard() { counted.shards += 1 }

  /// Counts lines of a shard that is there already, which are not requested.
  mutating func pass(_ lines: Int) {
    asked += lines
    counted.done += lines
  }

  /// The current state. To be called a few times a second, since it takes the samples for the speed.
  mutating func snapshot(at now: Instant) -> ProgressSnapshot {
    if let last = samples.last, now - last.time >= Self.sampleSpacing {
      samples.append(Sample(time: now, bytes: counted.bytes, done: counted.done))
      while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    }
    var snapshot = counted
    for id in courses.keys { courses[id]?.look(at: now) }
    snapshot.flights = courses.sorted { $0.key < $1.key }.map(\.value.flight)
    snapshot.total = total
    snapshot.expectedBytes = missing(snapshot).map { snapshot.bytes &+ $0 }
    guard let first = samples.first, case let seconds = (now - first.time).seconds, seconds > 0 else { return snapshot }
    snapshot.speed = Double(snapshot.bytes &- first.bytes) / seconds
    snapshot.secondsLeft = secondsLeft(snapshot, doneEachSecond: Double(snapshot.done - first.done) / seconds)
    return snapshot
  }

  private func secondsLeft(_ snapshot: ProgressSnapshot, doneEachSecond rate: Double) -> Double? {
    guard let total = snapshot.total, total > snapshot.done else { return nil }
    // The time for the last images, or for a single large one, depends on bytes; before that, on the number of images.
    if let missing = missing(snapshot), snapshot.speed > 0 { return Double(missing) / snapshot.speed }
    return rate > 0 ? Double(total - snapshot.done) / rate : nil
  }

  /// The bytes that are still to come; nil if that is unknown.
  private func missing(_ snapshot: ProgressSnapshot) -> Int64? {
    guard let total = snapshot.total, total > snapshot.done, total - snapshot.done <= snapshot.flights.count else {
      return nil
    }
    var sum: Int64 = 0
    for flight in snapshot.flights {
      guard let total = flight.total else { return nil }
      sum &+= max(0, total &- flight.received)
    }
    return sum
  }
}

/// The progress of a run at one moment: what a progress display shows.
struct ProgressSnapshot: Hashable, Sendable {
  struct Flight: Hashable, Sendable {
    var url: String
    var received: Int64 = 0
    /// The body's length; nil if the server does not announce it.
    var total: Int64?
    /// The reason why nothing is being received, if known.
    var note: String?
    /// Bytes a second, over the last seconds.
    var speed: Double = 0
    /// The time for which nothing has come.
    var silentSeconds: Double = 0

    /// The part that is done, from 0 to 1; nil if the total is unknown or wrong.
    var fraction: Double? {
      guard let total, total > 0, received <= total else { return nil }
      return Double(max(0, received)) / Double(total)
    }
  }

  /// The flights in progress, in the order of their start.
  var flights: [Flight] = []
  /// Finished images, including failed ones.
  var done = 0
  var failed = 0
  /// Shards of a data set that are there.
  var shards = 0
  var unanswering = UnansweringHosts()
  /// The total number of images; nil while a list is being read that could not be counted.
  var total: Int?
  /// Bytes received over the network, including those of failed attempts.
  var bytes: Int64 = 0
  /// The final value of `bytes`; nil while an image that is to come has no known length.
  var expectedBytes: Int64?
  /// Bytes a second, over the last seconds.
  var speed: Double = 0
  /// Seconds; nil if unknown.
  var secondsLeft: Double?
}
