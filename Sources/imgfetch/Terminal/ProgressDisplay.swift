import ImgfetchCore

/// Shows on standard error how far a run has come: draws, clears itself for other output, and ends without a trace.
///
/// Told of events on any thread; draws on one of its own, which starts with the first download: an answer from the cache
/// pays nothing. At most ten redraws a second, whatever happens.
final class ProgressDisplay: Sendable {
  /// How it looks.
  struct Look: Sendable {
    var mode: ProgressMode
    var style: Style
    var isUnicode: Bool
    /// The window's size now: it may change at any time.
    var window: @Sendable () -> (columns: Int, rows: Int)
  }

  private struct Screen {
    var drawn = DrawnLines()
    var lastWrite: Instant
  }

  private struct Ticker {
    var thread: Box?
    var isEnded = false
  }

  /// Holds a handle, which cannot be copied, in a value that is.
  private final class Box: Sendable {
    let handle: Threads.Handle
    init(_ handle: consuming sending Threads.Handle) { self.handle = handle }
  }

  private let look: Look
  private let clock: any Clock
  private let stream: SharedDescriptor
  // Three locks, so that no event ever waits for the terminal. They are taken in no order, since never two at a time.
  private let board: Guarded<ProgressTracker>
  private let screen: Guarded<Screen>
  private let ticker = Guarded(Ticker())

  /// Nil where nothing is to be shown: then no event need be made.
  init?(_ look: Look, on stream: SharedDescriptor, clock: any Clock = SystemClock()) {
    guard look.mode != .none else { return nil }
    self.look = look
    self.stream = stream
    self.clock = clock
    let now = clock.now()
    board = Guarded(ProgressTracker(begun: now))
    screen = Guarded(Screen(lastWrite: now))
  }

  func take(_ event: FetchEvent) {
    board.withLock { $0.take(event) }
    if case .started = event { startTicking() }
  }

  /// One more image is asked for.
  func ask() { board.withLock { $0.ask() } }

  /// The input holds so many images, all lists and operands together. To be called once, before the first is asked for, and only
  /// where all of them can be counted.
  func expect(lines: Int) { board.withLock { $0.expect(lines: lines) } }

  /// All that there is has been asked for.
  func noteEndOfInput() { board.withLock { $0.noteEndOfInput() } }

  /// One image is done with.
  func finish(isFailure: Bool) { board.withLock { $0.finish(isFailure: isFailure) } }

  /// Writes to a stream that leads to the terminal where the bars stand: the text above them and the bars again below it, in one
  /// write. In two, the terminal would be without bars until the next redraw: 61 % of the time in a run with many rows.
  func print(_ text: [UInt8], on stream: SharedDescriptor) throws(SystemError) {
    try screen.withLock { (screen) throws(SystemError) in
      forgetIfStopped(&screen)
      if screen.drawn.isEmpty {
        try stream.file.write(text.span)
        screen.drawn.note(text)
      } else {
        try stream.file.write(screen.drawn.print(text, columns: look.window().columns).span)
      }
      screen.lastWrite = clock.now()
    }
  }

  /// Runs `body` with the bars out of its way; the next redraw brings them back.
  func whileCleared(_ body: () -> Void) {
    screen.withLock { screen in
      clear(&screen)
      body()
    }
  }

  /// The end: bars go, and a program gets its last object.
  /// A second call does nothing more.
  func end() {
    let (thread, isFirst) = ticker.withLock { ticker in
      defer {
        ticker.isEnded = true
        ticker.thread = nil
      }
      return (ticker.thread, !ticker.isEnded)
    }
    ticker.broadcast()
    thread?.handle.join()
    if look.mode == .json && isFirst { tick() }
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
    var next = clock.now() + (look.mode == .bars ? Self.patience : interval)
    while !hasEnded(until: next) {
      tick()
      next = clock.now() + interval
    }
  }

  private func hasEnded(until deadline: Instant) -> Bool {
    ticker.wait(until: deadline) { $0.isEnded ? true : nil } ?? false
  }

  /// What is over sooner needs no bar, and a flash of one helps nobody.
  private static let patience = Instant.Span.milliseconds(300)

  private var interval: Instant.Span {
    switch look.mode {
    case .bars, .none: .milliseconds(100)
    case .json: .seconds(1)
    case .plain: .seconds(5)
    }
  }

  private func tick() {
    let now = clock.now()
    let (snapshot, isIdle) = board.withLock { ($0.snapshot(at: now), $0.isIdle) }
    screen.withLock { screen in
      var buffer: [UInt8] = []
      switch look.mode {
      case .none: return
      case .plain: if !isIdle { buffer.append(text: "imgfetch: \(ProgressText.plain(snapshot))\n") }
      case .json: ProgressText.appendJSON(snapshot, to: &buffer)
      case .bars:
        forgetIfStopped(&screen)
        let window = look.window()
        // One cell less: in the last one some terminals break the line already.
        let drawing = ProgressScreen(
          columns: window.columns - 1, rows: min(Self.mostRows, window.rows - 1), style: look.style,
          isUnicode: look.isUnicode)
        let lines = isIdle ? [] : drawing.lines(snapshot)
        if lines.isEmpty && screen.drawn.isEmpty { break }
        buffer.append(text: screen.drawn.replace(with: lines, columns: window.columns))
      }
      write(buffer)
      screen.lastWrite = clock.now()
    }
  }

  /// More bars than this nobody reads, and results would have no room.
  private static let mostRows = 10

  private func clear(_ screen: inout Screen) {
    forgetIfStopped(&screen)
    if screen.drawn.isEmpty { return }
    write(Array(screen.drawn.clear(columns: look.window().columns).utf8))
  }

  /// A process that missed ticks was stopped (SIGSTOP) and goes on now: a shell has written since, and its lines are not ours to
  /// overwrite.
  private func forgetIfStopped(_ screen: inout Screen) {
    if clock.now() - screen.lastWrite > .seconds(2) { screen.drawn.forget() }
  }

  private func write(_ bytes: [UInt8]) {
    // A terminal that is gone is no reason to end a run.
    if !bytes.isEmpty { try? stream.file.write(bytes.span) }
  }
}
