/// Calls a closure after a number of nanoseconds. The calling program has a clock for that: Swift's concurrency, which
/// this library does not link.
@usableFromInline
typealias DelayedCall = @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void

/// Decodes the received part of an image while it comes, on the fetcher's disk threads.
///
/// Any thread that brings bytes asks for a look; one thread at a time takes it. ``RedrawRule`` says how often that is
/// worth it.
final class PartialPictures: BodyWatcher {
  private struct State {
    /// A download that begins anew has the next number.
    var answer = 0
    var growth: Growth?
    /// True if the growth has not been looked at.
    var isNew = false
    /// True if a thread is looking. It then has ``drawing``.
    var isBusy = false
    var isOver = false
  }

  private struct Growth {
    let answer: Int
    let body: ImageBody
    /// The facts so far, or nil for a format of the program's own.
    let facts: ImageFacts?
  }

  private let options: DecodingOptions
  private let decoding: ImageDecoding
  private let workers: Workers
  private let clock: any Clock
  private let later: DelayedCall
  private let show: @Sendable (PixelBuffer) -> Void
  private let state = Guarded(State())
  /// Belongs to the thread that looks, so nothing waits for this lock. Nil if there is nothing yet, or all is over.
  private let drawing = Guarded<PartialDrawing?>(nil)

  init(
    _ options: DecodingOptions, _ decoding: ImageDecoding, workers: Workers, clock: any Clock,
    later: @escaping DelayedCall,
    show: @escaping @Sendable (PixelBuffer) -> Void
  ) {
    self.options = options
    self.decoding = decoding
    self.workers = workers
    self.clock = clock
    self.later = later
    self.show = show
  }

  func begin() {
    state.withLock { state in
      state.answer += 1
      state.growth = nil
    }
  }

  func grew(_ body: ImageBody, _ facts: ImageFacts) { note(body, facts) }
  func grew(_ body: ImageBody) { note(body, nil) }

  private func note(_ body: ImageBody, _ facts: ImageFacts?) {
    look { state in
      state.growth = Growth(answer: state.answer, body: body, facts: facts)
      state.isNew = true
    }
  }

  /// Ends the pictures, because no more are wanted.
  func finish() {
    let isFree = state.withLock { state in
      state.isOver = true
      state.growth = nil
      return !state.isBusy
    }
    if isFree { drawing.withLock { $0 = nil } }
  }

  private func look(_ change: (inout State) -> Void) {
    let isTurn = state.withLock { state in
      change(&state)
      guard !state.isOver, !state.isBusy, state.isNew, state.growth != nil else { return false }
      state.isBusy = true
      return true
    }
    if isTurn { workers.addOrRun { [self] in drawAll() } }
  }

  private func drawAll() {
    while let growth = next() {
      let wait = workers.engage { drawing.withLock { draw(growth, &$0) } }
      if let wait { later(wait) { [weak self] in self?.look { $0.isNew = true } } }
    }
  }

  /// The growth to look at. Nil ends the thread's turn, because there is none.
  private func next() -> Growth? {
    let (growth, isOver) = state.withLock { state -> (Growth?, Bool) in
      if !state.isOver, state.isNew, let growth = state.growth {
        state.isNew = false
        return (growth, false)
      }
      state.isBusy = false
      return (nil, state.isOver)
    }
    if isOver { drawing.withLock { $0 = nil } }
    return growth
  }

  /// Draws the received part if that is worth it now. Returns the nanoseconds until the next look, or nil
  /// if more has to come first.
  private func draw(_ growth: Growth, _ drawing: inout PartialDrawing?) -> UInt64? {
    if drawing?.answer != growth.answer {
      // Its decoder goes first: it may have the only place.
      drawing = nil
      drawing =
        if let facts = growth.facts {
          PartialDrawing(growth.answer, facts, options, executor: decoding.executor)
        } else {
          PartialDrawing(growth.answer, own: decoding.coming(growth.body), options.size)
        }
    }
    let crop = drawing?.crop
    drawing?.coming.take(growth.body)
    let moment = drawing?.coming.draw(clock) { picture in show(crop.flatMap { picture.cropped($0) } ?? picture) }
    return moment.map { UInt64(clamping: ($0 - clock.now()).nanoseconds) }
  }
}

/// The decoding of one body that is coming.
private struct PartialDrawing {
  let answer: Int
  let crop: Crop?
  var coming: ComingDrawing

  init(_ answer: Int, _ facts: ImageFacts, _ options: DecodingOptions, executor: any PixelExecutor) {
    let (facts, size) = options.target(of: facts)
    self.answer = answer
    crop = options.size?.crop(size)
    let limits = PixelLimits(maxPixels: options.maximumPixels, executor: executor)
    let isAdmitted = size.area <= options.maximumPixels && (try? limits.admit(facts)) != nil
    coming = ComingDrawing(
      isAdmitted ? try? ComingPictures(facts, size: size, executor: executor) : nil, rows: size.height)
  }

  init(_ answer: Int, own: (any ComingPixels)?, _ size: Resize?) {
    self.answer = answer
    crop = nil
    coming = ComingDrawing(own.map { OwnComingPictures($0, size) }, rows: 1)
  }
}

/// The decoding of a format of the program's own, in the wanted size.
private final class OwnComingPictures: ComingSource {
  private let own: any ComingPixels
  private let size: Resize?
  private var pieces = 0

  init(_ own: any ComingPixels, _ size: Resize?) { (self.own, self.size) = (own, size) }

  func feed(_ bytes: [UInt8]) throws -> ComingProgress {
    try own.feed(bytes)
    // Each piece counts as a pass of its own: only the decoder knows which pixels it changes.
    pieces += 1
    return ComingProgress(pass: pieces, rows: 1, height: 1)
  }

  func picture() throws -> PixelBuffer? {
    let picture = try own.picture()
    return try size.flatMap { size in try picture?.resized(size) } ?? picture
  }
}
