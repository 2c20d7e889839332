import ImgfetchCore
import ImgfetchShow

/// Shows the progress of a run on standard error. It draws, gives way to other output, and leaves no trace at the end.
///
/// Events may arrive on any thread. A separate thread draws. It starts with the first download, so that a cache hit
/// does not pay for it. At most ten redraws a second.
final class ProgressDisplay: Sendable {
  struct Appearance: Sendable {
    var mode: ProgressMode
    var style: Style
    var isUnicode: Bool
    /// The current size of the window, which may change at any time.
    var window: @Sendable () -> (columns: Int, rows: Int)
    /// True while another job has the terminal. Bars would be drawn over its lines then, and over a command that is
    /// typed.
    var isInBackground: @Sendable () -> Bool = { false }
    /// The lines above the bars; nil if there are never any.
    var preview: Preview?
  }

  private struct Screen {
    var drawn = DrawnLines()
    var lastWrite: Instant
  }

  private struct Ticker {
    var thread: Box?
    /// True if something is to be printed before the interval is over; nil once it has been printed.
    var isDue: Bool? = false
    var isEnded = false
  }

  /// Holds a noncopyable handle in a copyable value.
  private final class Box: Sendable {
    let handle: Threads.Handle
    init(_ handle: consuming sending Threads.Handle) { self.handle = handle }
  }

  private let appearance: Appearance
  private let clock: any Clock
  private let stream: SharedDescriptor
  // Three locks, so that events never wait for the terminal. No two are held at once, so their order does not matter.
  private let tracker: Guarded<ProgressTracker>
  private let screen: Guarded<Screen>
  private let ticker = Guarded(Ticker())

  /// Nil if nothing is to be shown: then no events are needed.
  init?(_ appearance: Appearance, on stream: SharedDescriptor, clock: any Clock = SystemClock()) {
    guard appearance.mode != .none else { return nil }
    self.appearance = appearance
    self.stream = stream
    self.clock = clock
    let now = clock.now()
    tracker = Guarded(ProgressTracker(begun: now))
    screen = Guarded(Screen(lastWrite: now))
  }

  /// The lines above the bars; nil if there are never any.
  var preview: Preview? { appearance.preview }

  func handle(_ event: FetchEvent) {
    tracker.withLock { $0.handle(event) }
    switch event {
    case .started: startTicking()
    case .responded where appearance.mode == .json: tellFirstAnswer()
    default: break
    }
  }

  /// Reports the head of the first answer, so that a program that reads the rows learns that an
  /// image comes, and its length.
  private func tellFirstAnswer() {
    let isNews = ticker.withLock { ticker in
      guard ticker.isDue == false else { return false }
      ticker.isDue = true
      return true
    }
    if isNews { ticker.broadcast() }
  }

  func countRequest() { tracker.withLock { $0.countRequest() } }

  /// Counts a shard of a data set that is there.
  func finishShard() { tracker.withLock { $0.finishShard() } }

  /// Counts lines that belong to a shard that is there already.
  func pass(_ lines: Int) { if lines > 0 { tracker.withLock { $0.pass(lines) } } }

  /// Sets the number of images in the whole input. To be called at most once, before the first request, and only if
  /// everything could be counted.
  func expect(lines: Int) { tracker.withLock { $0.expect(lines: lines) } }

  /// Everything was requested.
  func noteEndOfInput() { tracker.withLock { $0.noteEndOfInput() } }

  /// Counts one finished image.
  func finish(_ error: FetchError?, at url: String? = nil) { tracker.withLock { $0.finish(error, at: url) } }

  /// Writes to a stream on the terminal of the bars: the text above the bars, and the bars again, in one write. With
  /// two writes, the terminal had no bars until the next redraw: 61 % of the time in a run with many rows.
  func print(_ text: [UInt8], on stream: SharedDescriptor) throws(SystemError) {
    try screen.withLock { (screen) throws(SystemError) in
      forgetIfStopped(&screen)
      if screen.drawn.isEmpty {
        try stream.file.write(text.span)
        screen.drawn.note(text)
      } else {
        try stream.file.write(screen.drawn.print(text, columns: appearance.window().columns).span)
      }
      screen.lastWrite = clock.now()
    }
  }

  /// Runs `body` with the bars removed; the next redraw restores them.
  func whileCleared(_ body: () -> Void) {
    screen.withLock { screen in
      clear(&screen)
      body()
    }
  }

  /// Removes the bars, or prints the last JSON object. Further calls have no effect.
  func end() {
    let (thread, isFirst) = ticker.withLock { ticker in
      defer {
        ticker.isEnded = true
        ticker.thread = nil
      }
      return (ticker.thread, !ticker.isEnded)
    }
    ticker.broadcast()
    appearance.preview?.end()
    thread?.handle.join()
    if appearance.mode == .json && isFirst { tick() }
    screen.withLock { clear(&$0) }
  }

  // MARK: - Drawing

  private func startTicking() {
    ticker.withLock { ticker in
      guard ticker.thread == nil, !ticker.isEnded else { return }
      guard let handle = try? Threads.start(name: "imgfetch-bars", { [self] in run() }) else { return }
      ticker.thread = Box(handle)
    }
  }

  private func run() {
    var next = clock.now() + appearance.mode.patience
    while !hasEnded(until: next) {
      tick()
      next = clock.now() + appearance.mode.interval
    }
  }

  private func hasEnded(until deadline: Instant) -> Bool {
    ticker.wait(until: deadline) { ticker in
      if ticker.isEnded { return true }
      guard ticker.isDue == true else { return nil }
      ticker.isDue = nil
      return false
    } ?? false
  }

  private func tick() {
    let now = clock.now()
    let (snapshot, isIdle) = tracker.withLock { ($0.snapshot(at: now), $0.isIdle) }
    screen.withLock { screen in
      var buffer: [UInt8] = []
      switch appearance.mode {
      case .none: return
      case .plain, .sparse: if !isIdle { buffer.append(text: "imgfetch: \(ProgressText.plain(snapshot))\n") }
      case .json: ProgressText.appendJSON(snapshot, to: &buffer)
      case .bars:
        forgetIfStopped(&screen)
        let window = appearance.window()
        // One column less: some terminals break the line in the last one.
        let drawing = ProgressScreen(
          columns: window.columns - 1, rows: min(Self.mostRows, window.rows - 1), style: appearance.style,
          isUnicode: appearance.isUnicode)
        var lines = isIdle || appearance.isInBackground() ? [] : drawing.lines(snapshot)
        // Both have to fit into the window, or they could not be replaced.
        if !lines.isEmpty, let above = appearance.preview?.lines, above.count + lines.count < window.rows {
          lines = above + lines
        }
        if lines.isEmpty && screen.drawn.isEmpty { break }
        buffer.append(text: screen.drawn.replace(with: lines, columns: window.columns))
      }
      write(buffer)
      screen.lastWrite = clock.now()
    }
  }

  /// The maximum number of lines; results need room, too.
  private static let mostRows = 10

  private func clear(_ screen: inout Screen) {
    forgetIfStopped(&screen)
    if screen.drawn.isEmpty { return }
    write(Array(screen.drawn.clear(columns: appearance.window().columns).utf8))
  }

  /// Forgets the drawn lines after a pause of two seconds: the process was stopped (SIGSTOP). A shell has written
  /// since, and its lines must not be overwritten.
  private func forgetIfStopped(_ screen: inout Screen) {
    if clock.now() - screen.lastWrite > .seconds(2) { screen.drawn.forget() }
  }

  private func write(_ bytes: [UInt8]) {
    // A terminal that has gone does not end the run.
    if !bytes.isEmpty { try? stream.file.write(bytes.span) }
  }
}
