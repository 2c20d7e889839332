import ImgfetchCore

/// A shard whose lines are being fetched. Images and rows are in its spool, a file without a name, in the order in
/// which they came; only their places are kept in memory, 56 bytes a line.
///
/// Its lines are added by the thread that reads the list; bodies and rows come on the fetcher's threads.
package final class OpenShard: Sendable {
  /// The positions of a record's parts.
  struct Slot {
    /// The record's number in the list, from 0.
    let record: Int
    var ending: Ending = .missing
    var body: (offset: Int64, count: Int64) = (0, 0)
    var row: (offset: Int64, count: Int32) = (0, 0)
    /// Right behind the row.
    var captionCount: Int32 = 0
  }

  enum Ending: Equatable {
    case missing
    case failed
    /// An image, with the extension of its format.
    case image(ImageFormat?)
  }

  private struct State: ~Copyable {
    var slots: [Slot] = []
    var hasAllLines = false
    var missing = 0
    var tally = ShardTally()
    /// True once one of its lines has a caption column: then each image has a text, be it empty.
    var hasCaptions = false
    var records = RecordsHash()
    var spool: SharedDescriptor?
    var length: Int64 = 0
    /// The reason why its spool cannot be written.
    var trouble: Errno?
  }

  package let name: ShardName
  /// The shard that this one replaces, because the list has grown, or nil if there is none.
  package let former: StandingShard?
  private let folder: String
  private let begun: Instant
  private let state: Guarded<State>

  /// - Parameter folder: where its spool lies.
  package init(_ name: ShardName, inPlaceOf former: StandingShard? = nil, spoolIn folder: String, at now: Instant) {
    self.name = name
    self.former = former
    self.folder = folder
    begun = now
    state = Guarded(State())
  }

  // MARK: - The reading thread

  /// Adds the next line.
  ///
  /// - Parameter isWanted: false: it is one of its records, and gets no row.
  package func add(
    record: Int, _ text: borrowing Span<UInt8>, under header: ContentHash? = nil, isWanted: Bool = true
  ) {
    state.withLock { state in
      state.records.add(record: record, text, under: header)
      guard isWanted else { return }
      state.slots.append(Slot(record: record))
      state.missing += 1
    }
  }

  /// Notes that all its lines were added. Returns true if all have ended, too.
  package func close() -> Bool {
    state.withLock { state in
      state.hasAllLines = true
      return state.missing == 0
    }
  }

  /// The number of its lines, and the hash over them.
  package var records: RecordsHash { state.withLock { $0.records } }

  package func holds(record: Int) -> Bool { state.withLock { Self.find(record, $0.slots) != nil } }

  /// Finds a record. They are in their order.
  private static func find(_ record: Int, _ slots: [Slot]) -> Int? {
    guard let first = slots.first, let last = slots.last, record >= first.record, record <= last.record else {
      return nil
    }
    var (low, high) = (0, slots.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].record < record { low = middle + 1 } else { high = middle }
    }
    return slots[low].record == record ? low : nil
  }

  // MARK: - The fetcher's threads

  /// A place in the spool for an image of at most that length, or nil if the spool cannot be written. An image that
  /// does not come leaves a gap.
  package func lend(length: Int64) -> LentFile? {
    guard length <= Self.mostLent, let (spool, place) = try? reserve(length) else { return nil }
    return LentFile(spool, in: folder, from: place, room: length)
  }

  /// Takes an image's bytes. Bytes in a place that was lent stay where they are.
  package func store(_ body: ImageBody, _ format: ImageFormat?, record: Int) throws(BodyReadFailure) {
    if case .file(let stored) = body.content, state.withLock({ $0.spool === stored.descriptor }) {
      return note(format, (stored.start, stored.length), record)
    }
    let place: Int64
    let spool: SharedDescriptor
    do { (spool, place) = try reserve(body.count) } catch {
      note(error)
      throw .sink(error)
    }
    var offset = place
    do throws(BodyReadFailure) {
      try body.read { (piece) throws(SystemError) in
        try spool.file.write(piece, at: offset)
        offset += Int64(piece.count)
      }
    } catch {
      if case .sink(let failure) = error { note(failure) }
      throw error
    }
    note(format, (place, offset - place), record)
  }

  private func note(_ format: ImageFormat?, _ body: (offset: Int64, count: Int64), _ record: Int) {
    state.withLock { state in
      guard let at = Self.find(record, state.slots) else { return }
      state.slots[at].ending = .image(format)
      state.slots[at].body = body
    }
  }

  /// Notes the end of a line, with its row. Returns true if that completes the shard.
  package func finish(_ result: FetchResult, record: Int, row: [UInt8], caption: [UInt8]?) -> Bool {
    let text = caption.map { row + $0 } ?? row
    var place: Int64?
    do throws(SystemError) {
      let (spool, offset) = try reserve(Int64(text.count))
      try spool.file.write(text.span, at: offset)
      place = offset
    } catch { note(error) }
    return state.withLock { state in
      guard let at = Self.find(record, state.slots) else { return false }
      if result.error != nil { state.slots[at].ending = .failed }
      if let place { state.slots[at].row = (place, Int32(clamping: row.count)) }
      state.slots[at].captionCount = Int32(clamping: caption?.count ?? 0)
      if caption != nil { state.hasCaptions = true }
      state.tally.add(result)
      state.missing -= 1
      return state.hasAllLines && state.missing == 0
    }
  }

  /// The reason why the spool could not be written, so that the shard can never be complete. Nil if it could.
  package var trouble: Errno? { state.withLock { $0.trouble } }

  private func note(_ failure: SystemError) { state.withLock { $0.trouble = $0.trouble ?? failure.code } }

  /// Servers that announce more than they send must not bring the spool to what a file can hold.
  /// Larger images are copied.
  private static let mostLent: Int64 = 256 << 20

  private func reserve(_ count: Int64) throws(SystemError) -> (SharedDescriptor, Int64) {
    try state.withLock { (state) throws(SystemError) in
      let spool: SharedDescriptor
      if let there = state.spool {
        spool = there
      } else {
        spool = SharedDescriptor(try TemporaryFile.anonymous(in: folder))
        state.spool = spool
      }
      defer { state.length += count }
      return (spool, state.length)
    }
  }

  // MARK: - Its end

  package var tally: ShardTally { state.withLock { $0.tally } }

  /// The time since the shard was begun.
  package func elapsedMilliseconds(at now: Instant) -> Double { Double((now - begun).nanoseconds) / 1e6 }

  /// The contents for the shard's file.
  var contents: (slots: [Slot], spool: SharedDescriptor?, hasCaptions: Bool) {
    state.withLock { ($0.slots, $0.spool, $0.hasCaptions) }
  }
}
