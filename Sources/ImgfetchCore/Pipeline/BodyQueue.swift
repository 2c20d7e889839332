/// The body of one download, on its way from the network's thread to the disk threads.
///
/// The network's thread adds to it and never waits. One job at a time takes from it, in order. So the pieces of one
/// body are inspected, hashed and written one after the other, and those of several bodies side by side. Proof that it
/// may be shared: the mailbox is locked. All other members are used only by the one job that took from it while
/// `isBeingTaken` was set, and the lock orders one such job after the other.
final class BodyQueue: @unchecked Sendable {
  enum Item: Sendable {
    /// An answer's body begins, for the first time or anew. A record for resuming it may be kept if `isNotable`. The
    /// mirrors are those that are left.
    case begin(AnswerHead, isNotable: Bool, mirrors: ArraySlice<WebURL>)
    /// The rest of a partly received body begins.
    case resume(AnswerHead, mirrors: ArraySlice<WebURL>)
    case bytes([UInt8])
    /// The last bytes: the end follows at once.
    case lastBytes([UInt8])
    /// The body has been arriving for a while: a record for resuming it is worthwhile.
    case note
    case end(Ending)

    /// The number of the body's bytes in this item.
    var size: Int {
      switch self {
      case .bytes(let bytes), .lastBytes(let bytes): bytes.count
      case .begin, .resume, .note, .end: 0
      }
    }

    /// True if the item may wait for the next one. A beginning by itself gives a job nothing to do. Most bodies follow
    /// it at once and whole, so that one job takes everything.
    fileprivate var mayWait: Bool {
      switch self {
      case .begin, .resume, .lastBytes: true
      case .bytes, .note, .end: false
      }
    }
  }

  /// The end of a download. A job takes it after the pieces that came before: once a place in the cache is given up, it
  /// may at once belong to another process.
  enum Ending: Sendable {
    /// The whole body has come.
    case complete
    case brokenOff(FetchError, DownloadRemains)
    /// A redirect or a mirror leads elsewhere, after an answer that broke off. Each item would have room for a hop.
    indirect case movedOn(NextHop, DownloadRemains)
    /// The stored copy was confirmed, after an answer that broke off.
    case notModified(AnswerHead, Claim)
  }

  private struct Mailbox {
    var items: [Item] = []
    var isBeingTaken = false
    var isClosed = false
  }

  private let mailbox = Guarded(Mailbox())
  // The members below are used only by the job that takes from here, or before there is one.

  /// The writer of the bytes that have come so far.
  var writer: BodyWriter?
  /// The lock on the stored entry, which is held in place of a part because the origin was asked about the entry. A
  /// body that comes all the same gets its part at its beginning.
  let lock: EntryLock?
  /// The part on the cache's disk that receives the body, as long as that works.
  var part: Part?
  var head: AnswerHead?
  /// The mirrors that are left, in case the body is useless. They come with its beginning, because the body may be
  /// refused before its end is taken, and the network's thread may be done with it by then.
  var mirrors: ArraySlice<WebURL> = []
  /// The facts with which the body can be resumed.
  var resumption: Resumption?
  /// True if a record for resuming may be kept.
  var isNotable = false
  /// True if there is such a record.
  var isNoted = false
  /// True if the body was put together from more than one answer.
  var isJoined = false

  /// True if the body was refused. The flight belongs to another thread by then.
  var isRefused: Bool { writer == nil && head != nil }

  init(part: Part?, lock: EntryLock? = nil) {
    self.part = part
    self.lock = lock
    // A small image is a beginning, one piece and an end.
    mailbox.withLock { $0.items.reserveCapacity(3) }
  }

  enum Adding {
    /// A job is taking already, or will be asked for when more comes.
    case queued
    /// The caller must start a job that takes.
    case needsTaking
    /// No more bytes are wanted.
    case closed
  }

  func add(_ item: consuming Item) -> Adding {
    let mayWait = item.mayWait
    // Moved in and not copied: copying either kind of payload changes a reference count twice that another core
    // changes, too.
    var item = Optional(item)
    return mailbox.withLock { box in
      if box.isClosed { return .closed }
      if let item = item.take() { box.items.append(item) }
      if mayWait || box.isBeingTaken { return .queued }
      box.isBeingTaken = true
      return .needsTaking
    }
  }

  /// The items that have come. Nil means that there are none, and the job ends until ``add(_:)`` asks for the next.
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

  /// Drops all present and future items. Returns the number of bytes dropped.
  func close() -> Int {
    mailbox.withLock { box in
      box.isClosed = true
      defer { box.items = [] }
      return box.items.reduce(0) { $0 + $1.size }
    }
  }
}
