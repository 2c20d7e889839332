import ImgfetchCore
import ImgfetchReport
import Synchronization

/// Delivers the images of a run in the order of its lines, and each picture once (`--unique`).
///
/// Images come on the fetcher's threads, in any order. Those that come before their turn wait in an unnamed file. A
/// thread of its own delivers them.
final class UniqueDesk: Sendable {
  /// An image that waits for its turn.
  private struct Held: Sendable {
    let image: DeliveredImage
    let request: FetchRequest
    let sink: any ImageSink
    let marks: UniqueImages.Marks
    let done: @Sendable (Result<Delivery, FetchError>) -> Void

    func breakOff() {
      done(.failure(FetchError(.cancelled, request.url.display, "broken off before its turn in the list")))
    }
  }

  private enum Turn: Sendable {
    case image(Held)
    /// A file that is kept, and counts as had.
    case file(UniqueImages.Marks, url: String)
    /// The line has its end: it failed, or is another process's.
    case over
  }

  private struct State {
    var next = 1
    var turns: [Int: Turn] = [:]
    var isOver = false
    var isRunning = false
    /// The line whose turn is being handled.
    var current: Int?
    var spool: SharedDescriptor?
    var length: Int64 = 0
    /// The images in the spool.
    var spooled = 0
  }

  private let rule: DuplicateRule
  private let settings: Settings
  private let limits: PixelLimits
  /// The folders in which images may wait, the preferred one first.
  private let folders: [String]
  private let state = Guarded(State())
  private let images: Guarded<UniqueImages>

  /// Nil if each line is delivered.
  init?(_ settings: Settings, _ executor: any PixelExecutor, temporaryFolder: String) {
    guard settings.product == .outputs, !settings.cache.isDryRun, let rule = settings.rows.unique else { return nil }
    self.rule = rule
    self.settings = settings
    let outputs = settings.output.place == nil ? Self.present(settings.output.folder ?? ".") : nil
    folders = [outputs].compactMap(\.self) + [temporaryFolder]
    limits = PixelLimits(maxPixels: settings.fetch.maximumPixels, executor: executor)
    images = Guarded(UniqueImages(rule, temporaryFolder: temporaryFolder))
  }

  /// The output folder, or the nearest one above it that is there: its disk has room for the images, which a temporary
  /// folder in memory may not have.
  private static func present(_ folder: String) -> String {
    var path = folder
    while !ProcessEnvironment.exists(path) {
      guard let above = path.pathSplit.folder else { return "." }
      path = String(above)
    }
    return path
  }

  /// The number of lines that wait for an earlier one.
  var waiting: Int { state.withLock { $0.turns.count } }

  /// A sink that holds an image until its turn.
  func sink(_ sink: any ImageSink, whenHeld: @escaping @Sendable () -> Void) -> UniqueSink {
    UniqueSink(desk: self, sink: sink, whenHeld: whenHeld)
  }

  fileprivate func prepare(
    _ image: DeliveredImage, _ request: FetchRequest, _ sink: any ImageSink
  ) throws(FetchError) -> PendingDelivery {
    let url = request.url.display
    let marks = UniqueImages.Marks(sha256: try image.body.sha256(for: url), looks: Looks(image.details, image.facts))
    let number = request.tag
    let image = try state.withLock { $0.next == number } ? image : image.with(spooled(image.body, url))
    return { [self] done in
      take(number, .image(Held(image: image, request: request, sink: sink, marks: marks, done: done)))
    }
  }

  /// The same bytes in the file in which images wait.
  private func spooled(_ body: ImageBody, _ url: String) throws(FetchError) -> ImageBody {
    let spool = try self.spool(url)
    let start = state.withLock { state in
      defer { state.length += body.count }
      state.spooled += 1
      return state.length
    }
    var offset = start
    do throws(BodyReadFailure) {
      try body.read { (piece) throws(SystemError) in
        try spool.file.write(piece, at: offset)
        offset += Int64(piece.count)
      }
    } catch {
      if case .sink(let error) = error {
        throw FetchError(.file, url, "it cannot wait for its turn: \(error.code)", cause: .init(errno: error.code))
      }
      throw FetchError(.damaged, url, "its stored bytes cannot be read", isTransient: true)
    }
    return ImageBody(
      .file(.init(descriptor: spool, start: start, length: body.count, expectedHash: nil, isShared: true)),
      hash: body.knownHash)
  }

  private func spool(_ url: String) throws(FetchError) -> SharedDescriptor {
    if let spool = state.withLock({ $0.spool }) { return spool }
    for folder in folders {
      guard let file = try? TemporaryFile.anonymous(in: folder) else { continue }
      let made = SharedDescriptor(file)
      return state.withLock { state in
        state.spool = state.spool ?? made
        return state.spool ?? made
      }
    }
    throw FetchError(.file, url, "there is no folder in which it could wait for its turn; set TMPDIR")
  }

  /// The line has its end without an image that would be delivered now.
  func settle(_ number: Int) { take(number, .over) }

  /// The line's file is there from an earlier run, and is kept: it counts as had.
  func keep(_ number: Int, path: String, url: String) {
    var settings = settings
    settings.report.checksum = true
    settings.fetch.details = rule.details
    var file = InspectedFile(name: path)
    guard (try? file.inspect(settings, limits)) != nil, let digest = file.sha256 else { return settle(number) }
    take(number, .file(UniqueImages.Marks(sha256: digest, looks: Looks(file)), url: url))
  }

  private func take(_ number: Int, _ turn: Turn) {
    let (isOver, isFirst) = state.withLock { state in
      if state.isOver { return (true, false) }
      guard number >= state.next, state.turns[number] == nil else { return (false, false) }
      state.turns[number] = turn
      defer { state.isRunning = true }
      return (false, !state.isRunning)
    }
    if isOver, case .image(let held) = turn { held.breakOff() }
    if isOver || !isFirst { return state.broadcast() }
    // The caller may hold a lock, or be the network's thread.
    if (try? Threads.start(name: "imgfetch-unique", { [self] in deliverInTurn() })) == nil { cancel() }
  }

  private func deliverInTurn() {
    while let (number, turn) = due() {
      handle(turn)
      pass(number)
    }
  }

  /// Waits for the next turn, or nil if the run ends.
  private func due() -> (Int, Turn)? {
    let next: (Int, Turn)?? = state.wait { state in
      if state.isOver { return .some(nil) }
      guard let turn = state.turns[state.next] else { return nil }
      state.current = state.next
      return (state.next, turn)
    }
    return next ?? nil
  }

  private func pass(_ number: Int) {
    state.withLock { state in
      if case .image(let held)? = state.turns.removeValue(forKey: number),
        case .file(let stored) = held.image.body.content,
        stored.isShared
      {
        state.spooled -= 1
        // Nothing waits in the file any more.
        if state.spooled == 0 { (state.spool, state.length) = (nil, 0) }
      }
      state.current = nil
      state.next = number + 1
    }
  }

  private func handle(_ turn: Turn) {
    switch turn {
    case .over: break
    case .file(let marks, let url): images.withLock { if $0.first(marks) == nil { $0.add(marks, url: url) } }
    case .image(let held): deliver(held)
    }
  }

  private func deliver(_ held: Held) {
    if let first = images.withLock({ $0.first(held.marks) }) {
      var delivery = Delivery(output: nil, isNew: false)
      delivery.duplicateOf = first
      return held.done(.success(delivery))
    }
    let url = held.request.url.display
    do throws(FetchError) {
      if let sink = held.sink as? any DeferringSink {
        let pending = try sink.prepare(held.image, for: held.request)
        images.withLock { $0.add(held.marks, url: url) }
        return pending(held.done)
      }
      let delivery = try held.sink.receive(held.image, for: held.request)
      images.withLock { $0.add(held.marks, url: url) }
      held.done(.success(delivery))
    } catch { held.done(.failure(error)) }
  }

  /// Ends the run: what waits is not delivered.
  func cancel() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.turns = [:] }
      return state.turns.filter { $0.key != state.current }
    }
    state.broadcast()
    for case .image(let held) in waiting.values { held.breakOff() }
  }
}

/// The place of a line among those that wait for their origins, which is given back once. Set by several threads.
final class HeldSlot: Sendable {
  private let isEnded = Atomic<Bool>(false)

  /// Returns true the first time.
  func end() -> Bool { !isEnded.exchange(true, ordering: .relaxed) }
}

/// Holds an image until its turn in the list.
struct UniqueSink: DeferringSink {
  fileprivate let desk: UniqueDesk
  fileprivate let sink: any ImageSink
  /// Called once the image is there.
  fileprivate let whenHeld: @Sendable () -> Void

  func prepare(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> PendingDelivery {
    let pending = try desk.prepare(image, request, sink)
    return { [whenHeld] done in
      pending(done)
      whenHeld()
    }
  }
}
