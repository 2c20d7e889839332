/// What comes over the network for one flight, on its way to the disk threads.
///
/// The network's thread adds to it and never waits; one job at a time takes from it, in order. So the pieces of one body
/// are inspected, hashed and written one after the other, and those of several bodies side by side.
// Proof that it may be shared: the mailbox is locked, and all else is touched only by the one job that took from it while `isTaken`
// was set. The lock orders one such job after the other.
final class Reception: @unchecked Sendable {
  enum Item: Sendable {
    /// An answer's body begins (for the first time, or all over again); what comes of it may be worth a note.
    case begin(AnswerHead, isNotable: Bool)
    /// The rest of the body that came in part begins.
    case resume(AnswerHead)
    case bytes([UInt8])
    /// The last of them: the end follows at once.
    case lastBytes([UInt8])
    /// It has been coming for a while: what came is worth a note.
    case note
    case end(Ending)

    /// How many bytes of the body it brings.
    var size: Int {
      switch self {
      case .bytes(let bytes), .lastBytes(let bytes): bytes.count
      case .begin, .resume, .note, .end: 0
      }
    }

    /// Whether it may wait for what follows it. A beginning is nothing to work on by itself, and most bodies come whole right
    /// behind it: one job takes all of it, and not one the beginning and another the rest.
    fileprivate var mayWait: Bool {
      switch self {
      case .begin, .resume, .lastBytes: true
      case .bytes, .note, .end: false
      }
    }
  }

  enum Ending: Sendable {
    case complete
    /// No more comes, and whoever waits is to be told this.
    case brokenOff(FetchError)
  }

  private struct Mailbox {
    var items: [Item] = []
    var isTaken = false
    var isClosed = false
  }

  private let mailbox = Guarded(Mailbox())
  /// What has come of the body so far. Touched by the taking job only.
  var taker: BodyTaker?
  /// Where the body goes on the cache's disk, while that works. Touched by the taking job only.
  var part: Part?
  var head: AnswerHead?
  /// What the body can be gone on with, whether that is worth working out, and whether it stands beside the part. Touched by
  /// the taking job only, but for before the first of them.
  var resumption: Resumption?
  var isNotable = false
  var isNoted = false
  /// Whether the body was put together from more than one answer. Touched by the taking job only, as above.
  var isJoined = false

  init(part: Part?) {
    self.part = part
    // A small picture is a beginning, one piece and an end.
    mailbox.withLock { $0.items.reserveCapacity(3) }
  }

  enum Adding {
    /// Somebody is taking already, or will be asked to when more comes.
    case queued
    /// Nobody is taking from here: the caller must have it done.
    case needsTaking
    /// Nothing more is wanted.
    case closed
  }

  func add(_ item: consuming Item) -> Adding {
    let mayWait = item.mayWait
    // Moved in and not copied: a copy of either kind of payload is two counts of a reference that another core counts too.
    var item = Optional(item)
    return mailbox.withLock { box in
      if box.isClosed { return .closed }
      if let item = item.take() { box.items.append(item) }
      if mayWait || box.isTaken { return .queued }
      box.isTaken = true
      return .needsTaking
    }
  }

  /// All that has come. Nil: nothing has, and the job is over until ``add(_:)`` asks for the next.
  func take() -> [Item]? {
    mailbox.withLock { box in
      if box.items.isEmpty {
        box.isTaken = false
        return nil
      }
      defer { box.items = [] }
      return box.items
    }
  }

  /// Lets go of what came and of what will come. The answer is how many bytes were let go of.
  func close() -> Int {
    mailbox.withLock { box in
      box.isClosed = true
      defer { box.items = [] }
      return box.items.reduce(0) { $0 + $1.size }
    }
  }
}
