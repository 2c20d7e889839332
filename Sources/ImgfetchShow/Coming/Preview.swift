import ImgfetchCore

/// The picture that is coming most slowly, as lines of half blocks above the progress display.
///
/// Its own thread decodes, so that neither downloads nor the display wait for it. The thread starts with the first
/// image that takes longer than a moment: a fast run pays for no helper.
package final class Preview: Sendable {
  private struct Coming {
    var begun: Instant
    var growth: ArrivingImages.Growth?
    var answer = 0
  }

  private struct State {
    var coming: [Int: Coming] = [:]
    var lines: [String] = []
    var isRunning = false
    var isEnded = false
  }

  /// The most lines that it takes.
  static let mostRows = 8
  /// An image that comes sooner is not shown.
  private static let patience = Instant.Span.milliseconds(200)
  /// The time between two looks at the received part.
  private static let interval = Instant.Span.milliseconds(100)

  private let blocks: HalfBlocks
  private let executor: any PixelExecutor
  private let columns: @Sendable () -> Int
  private let clock: any Clock
  private let state = Guarded(State())

  package init(
    _ colours: TerminalColours, executor: any PixelExecutor, columns: @escaping @Sendable () -> Int,
    clock: any Clock = SystemClock()
  ) {
    blocks = HalfBlocks(colours: colours)
    self.executor = executor
    self.columns = columns
    self.clock = clock
  }

  package var lines: [String] { state.withLock { $0.lines } }

  package func watcher(of number: Int) -> any BodyWatcher { Watcher(self, number) }

  package func finish(_ number: Int) {
    state.withLock { $0.coming[number] = nil }
    state.broadcast()
  }

  package func end() {
    state.withLock { state in
      state.isEnded = true
      state.lines = []
    }
    state.broadcast()
  }

  private final class Watcher: BodyWatcher {
    private let preview: Preview
    private let number: Int

    init(_ preview: Preview, _ number: Int) {
      self.preview = preview
      self.number = number
    }

    func begin() {
      let now = preview.clock.now()
      preview.state.withLock { state in
        state.coming[number, default: Coming(begun: now)].answer += 1
        state.coming[number]?.growth = nil
      }
    }

    func grew(_ body: ImageBody, _ facts: ImageFacts) {
      let now = preview.clock.now()
      let starts = preview.state.withLock { state in
        guard var coming = state.coming[number], !state.isEnded else { return false }
        coming.growth = ArrivingImages.Growth(answer: coming.answer, body: body, facts: facts)
        state.coming[number] = coming
        guard !state.isRunning, now - coming.begun >= Preview.patience else { return false }
        state.isRunning = true
        return true
      }
      if starts { _ = try? Threads.start(name: "imgfetch-preview") { [preview] in preview.run() } }
    }
  }

  // MARK: - Its thread

  private func run() {
    var shown: (number: Int, live: LivePicture)?
    while let next = next() {
      guard let (number, growth) = next else {
        shown?.live.finish()
        shown = nil
        state.withLock { $0.lines = [] }
        continue
      }
      let box = PictureBox(growth.facts.uprightSize, columns: columns() - 1, rows: Self.mostRows)
      if shown?.number != number || shown?.live.answer != growth.answer || shown?.live.placed.box != box {
        shown?.live.finish()
        let placed = PlacedPicture(box, PicturePainter(.blocks(blocks.colours)))
        shown = (number, LivePicture(growth, placed, executor: executor, clock: clock))
      }
      shown?.live.take(growth.body)
      _ = try? shown?.live.drawIfWorthwhile { (_, picture) throws(FetchError) in
        let text = String(decoding: blocks.text(picture), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        state.withLock { state in if !state.isEnded { state.lines = lines } }
      }
    }
    shown?.live.finish()
  }

  /// The image that has been coming longest, after a while, or an inner nil if there is none. An outer nil at the end.
  private func next() -> (number: Int, growth: ArrivingImages.Growth)?? {
    let isEnded = state.wait(until: clock.now() + Self.interval) { $0.isEnded ? true : nil } ?? false
    if isEnded { return nil }
    let now = clock.now()
    return .some(
      state.withLock { state in
        let slow = state.coming.filter { $0.value.growth != nil && now - $0.value.begun >= Self.patience }
        let slowest = slow.min { ($0.value.begun, $0.key) < ($1.value.begun, $1.key) }
        return slowest.flatMap { number, coming in coming.growth.map { (number, $0) } }
      })
  }
}
