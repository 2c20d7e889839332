/// The body of one download, on its way from the network's thread to the disk threads.
///
/// The network's thread adds to it and never waits. One job at a time takes from it, in order. So the pieces of one body are inspected,
/// hashed and written one after the other, and those of several bodies side by side.
// Proof that it may be shared: the mailbox is locked. All else is touched only by the one job that took from it while `isBeingTaken` was
// set, and the lock orders one such job after the other.
final class BodyQueue: @unchecked Sendable {
  enum Item: Sendable {
    /// An answer's body begins, for the first time or anew. Whether a record of how to resume it may be kept.
    case begin(AnswerHead, isNotable: Bool)
    /// The rest of a partly received body begins.
    case resume(AnswerHead)
    case bytes([UInt8])
    /// The last ones: the end follows at once.
    case lastBytes([UInt8])
    /// It has been arriving for a while: a record of how to resume it is worthwhile.
    case note
    case end(Ending)

    /// How many bytes of the body it brings.
    var size: Int {
      switch self {
      case .bytes(let bytes), .lastBytes(let bytes): bytes.count
      case .begin, .resume, .note, .end: 0
      }
    }

    /// Whether it may wait for the next item. A beginning by itself is nothing to work on, and most bodies follow it at once, whole: one
    /// job takes all of it.
    fileprivate var mayWait: Bool {
      switch self {
      case .begin, .resume, .lastBytes: true
      case .bytes, .note, .end: false
      }
    }
  }

  enum Ending: Sendable {
    case complete
    /// No more comes, for this reason.
    case brokenOff(FetchError)
  }

  private struct Mailbox {
    var items: [Item] = []
    var isBeingTaken = false
    var isClosed = false
  }

  private let mailbox = Guarded(Mailbox())
  // What follows is touched only by the job that takes from here, and before there is one.

  /// What has come of the body so far.
  var writer: BodyWriter?
  /// Where the body goes on the cache's disk, while that works.
  var part: Part?
  var head: AnswerHead?
  /// What the body can be resumed by.
  var resumption: Resumption?
  /// Whether a record of that may be kept.
  var isNotable = false
  /// Whether there is one.
  var isNoted = false
  /// Whether the body was put together from more than one answer.
  var isJoined = false

  init(part: Part?) {
    self.part = part
    // A small image is a beginning, one piece and an end.
    mailbox.withLock { $0.items.reserveCapacity(3) }
  }

  enum Adding {
    /// A job is taking already, or will be asked for when more comes.
    case queued
    /// The caller must start a job that takes.
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
      if mayWait || box.isBeingTaken { return .queued }
      box.isBeingTaken = true
      return .needsTaking
    }
  }

  /// All that has come; nil: nothing has, and the job is over until ``add(_:)`` asks for the next.
  func take() -> [Item]? {
    mailbox.withLock { box in
      if box.items.isEmpty {
        box.isBeingTaken = false
        return nil
      }
      defer { box.items = [] }
      return box.items
    }
  }

  /// Drops what has come and what will come. Returns how many bytes were dropped.
  func close() -> Int {
    mailbox.withLock { box in
      box.isClosed = true
      defer { box.items = [] }
      return box.items.reduce(0) { $0 + $1.size }
    }
  }
}
