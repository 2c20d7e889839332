/// Decides how far a list is read ahead of its answers, so that a slow host does not hold up the others.
///
/// A pure value. The reader shows each request to ``offer(_:)`` and is told what to do with it; each answer goes to
/// ``answered(_:isAnswer:)``. As long as answers keep up with the reading, everything goes out in the order of the
/// list, and reading pauses while ``LookAheadLimits/window`` of them are missing. A reader that has paused in vain says
/// so with ``readOn()``. From then on what finds its origin supplied is put aside, with no more than its reader needs
/// to find it again, and ``next()`` says whose turn it is.
package struct LookAhead {
  /// The note by which the reader finds a request again: 16 bytes, whose meaning is its own. A generic type in their
  /// place would not be specialized for a reader in another module.
  package struct Note: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(_ first: UInt64, _ second: UInt64 = 0) {
      self.first = first
      self.second = second
    }
  }

  /// An origin as its requests are counted.
  package typealias Slot = Int

  package enum Advice: Equatable {
    /// The request goes out, and counts as missing its answer.
    case submit(Slot)
    /// Put the request aside, because its origin has enough to do: see ``putAside(_:at:_:)``.
    case putAside(Slot)
    /// Neither, before there have been answers.
    case wait
  }

  private struct Host {
    var missing = 0
    /// True once the origin has answered.
    var isAnswering = false
    /// True if the origin is among those that ``next()`` looks at.
    var isReady = false
    var high = Queue<Note>()
    var normal = Queue<Note>()
    var low = Queue<Note>()
    var hasAside: Bool { !normal.isEmpty || !high.isEmpty || !low.isEmpty }
    var isIdle: Bool { missing == 0 && !hasAside }
  }

  private let limits: LookAheadLimits
  private var slots: [Host] = []
  private var origins: [Origin: Slot] = [:]
  private var free: [Slot] = []
  /// The place of the last origin that was asked about: mostly it is the next one, too.
  private var last: (origin: Origin, slot: Slot)?
  /// Origins that have something to do or to wait for.
  private var active = 0
  /// Requests out, without an answer.
  package private(set) var missing = 0
  /// Requests put aside.
  package private(set) var count = 0
  /// Origins with requests put aside, of which some may go out.
  private var ready: [Slot] = []
  /// True if the reader has been woken since it went to sleep.
  package private(set) var isAwake = true
  /// True if the list is read on although answers are missing.
  package private(set) var isReadingOn = false

  package init(_ limits: LookAheadLimits) { self.limits = limits }

  // MARK: - The reader

  /// True if a request may be shown.
  package var mayOffer: Bool { count < limits.aside }

  /// Decides about the next request of the list, which goes to `origin`.
  package mutating func offer(_ origin: Origin) -> Advice {
    if isReadingOn, count == 0, missing <= limits.window / 2 { isReadingOn = false }
    if !isReadingOn && missing >= limits.window { return .wait }
    let slot = slot(of: origin)
    if !isReadingOn || (!slots[slot].hasAside && hasRoom(slot)) {
      submit(to: slot)
      return .submit(slot)
    }
    // Requests that wait for any place, instead of their origin's, would be as many origins as there are lines.
    if count >= limits.aside || (!slots[slot].hasAside && missing >= bound) { return .wait }
    return .putAside(slot)
  }

  /// The request goes out, advised or not.
  package mutating func submit(_ origin: Origin) -> Slot {
    let slot = slot(of: origin)
    submit(to: slot)
    return slot
  }

  /// Keeps what its reader needs to find the request again, after ``Advice/putAside(_:)``.
  package mutating func putAside(_ item: Note, at slot: Slot, _ priority: FetchRequest.Priority) {
    if slots[slot].isIdle { active += 1 }
    switch priority {
    case .high: slots[slot].high.append(item)
    case .normal: slots[slot].normal.append(item)
    case .low: slots[slot].low.append(item)
    }
    count += 1
    if isDue(slot) { makeReady(slot) }
  }

  /// Takes one of the requests that were put aside, to go out now, or nil if none may.
  package mutating func next() -> (item: Note, slot: Slot)? {
    while let slot = ready.first {
      if missing >= bound { return nil }
      if hasRoom(slot), let item = take(from: slot) {
        submit(to: slot)
        return (item, slot)
      }
      // It is full, and its answers bring it back.
      slots[slot].isReady = false
      ready.removeFirst()
    }
    return nil
  }

  /// True if reading may go on though answers are missing.
  package var mayReadOn: Bool { !limits.isSerial }

  /// Notes that the reader has paused for some time, with less than half of the window answered: the list is read on.
  package mutating func readOn() { isReadingOn = mayReadOn }

  /// All that was put aside, in no order; it is forgotten here.
  package mutating func takeAll() -> [Note] {
    var all: [Note] = []
    for slot in slots.indices {
      let wasIdle = slots[slot].isIdle
      all += slots[slot].high.removeAll() + slots[slot].normal.removeAll() + slots[slot].low.removeAll()
      slots[slot].isReady = false
      if !wasIdle, slots[slot].isIdle { active -= 1 }
    }
    count = 0
    ready = []
    return all
  }

  /// The reader sleeps from now on, until ``answered(_:isAnswer:)`` says that it is to be woken. False:
  /// there is something to do.
  package mutating func noteSleep() -> Bool {
    isAwake = count == 0 || (!ready.isEmpty && missing < bound)
    return !isAwake
  }

  // MARK: - Answers

  /// Notes the answer to a request. Returns true if the reader is to be woken.
  ///
  /// - Parameter isAnswer: true if the origin has said anything.
  package mutating func answered(_ slot: Slot, isAnswer: Bool) -> Bool {
    slots[slot].missing -= 1
    missing -= 1
    if isAnswer { slots[slot].isAnswering = true }
    if slots[slot].isIdle { active -= 1 }
    if slots[slot].hasAside, isDue(slot) { makeReady(slot) }
    if isAwake || ready.isEmpty || missing >= bound { return false }
    isAwake = true
    return true
  }

  // MARK: - Shares

  /// The bound beyond the window, for requests whose origins would else have nothing to do.
  private var bound: Int { 2 * limits.window }

  /// The number of requests that an origin may have under way: its part of the window, and at least twice its downloads
  /// at once, so that it never waits for the reader.
  private var share: Int { max(min(2 * limits.perHost, limits.window / 2), limits.window / max(1, active)) }

  private func hasRoom(_ slot: Slot) -> Bool {
    if missing >= bound { return false }
    // For an origin that has not answered yet, enough requests to show whether it does are enough. A list may name many
    // that never will. With fewer, one would have to be tried twice: another time-out before the origin counts as down.
    if missing >= limits.window && !slots[slot].isAnswering { return slots[slot].missing < OriginHealth.decisive }
    return slots[slot].missing < share
  }

  /// True if so little is under way that it is worth the reader's while: half of what may be, as with the whole window.
  private func isDue(_ slot: Slot) -> Bool {
    slots[slot].missing <= (slots[slot].isAnswering ? share / 2 : OriginHealth.decisive - 1)
  }

  private mutating func makeReady(_ slot: Slot) {
    if slots[slot].isReady { return }
    slots[slot].isReady = true
    ready.append(slot)
  }

  private mutating func submit(to slot: Slot) {
    if slots[slot].isIdle { active += 1 }
    slots[slot].missing += 1
    missing += 1
  }

  private mutating func take(from slot: Slot) -> Note? {
    guard
      let item = take(from: &slots[slot].high) ?? take(from: &slots[slot].normal) ?? take(from: &slots[slot].low)
    else { return nil }
    count -= 1
    if slots[slot].isIdle { active -= 1 }
    return item
  }

  private func take(from queue: inout Queue<Note>) -> Note? {
    limits.isNewestFirst ? queue.popLast() : queue.popFirst()
  }

  // MARK: - Slots

  /// The number of origins above which finished ones are forgotten.
  private static var remembered: Int { 1024 }

  private mutating func slot(of origin: Origin) -> Slot {
    if let last, last.origin == origin { return last.slot }
    if let slot = origins[origin] {
      last = (origin, slot)
      return slot
    }
    if free.isEmpty && slots.count >= max(Self.remembered, 2 * active) { forgetIdle() }
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(Host()) }
    origins[origin] = slot
    last = (origin, slot)
    return slot
  }

  private mutating func forgetIdle() {
    origins = origins.filter { !slots[$0.value].isIdle || slots[$0.value].isReady }
    last = nil
    let kept = Set(origins.values)
    free = slots.indices.filter { !kept.contains($0) }
    for slot in free { slots[slot] = Host() }
  }
}

/// The limits that pace a list.
package struct LookAheadLimits: Sendable {
  /// Requests without an answer, at which reading pauses: enough to find work for some forty hosts in a mixed list.
  /// Each lies idle until its turn, with its part open: with four times as many a cold list took a tenth longer.
  package var window = 256
  /// Requests that may be put aside.
  package var aside: Int
  /// Downloads at once from one origin.
  package var perHost = 6
  /// True if there is one download at a time: then nothing is gained by overtaking, and the order of the list is kept.
  package var isSerial = false
  /// True if the request that came last is begun first.
  package var isNewestFirst = false

  package init(aside: Int) { self.aside = aside }
}
