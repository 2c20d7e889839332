/// Decides how far a list is read ahead of its answers, so that a slow host does not hold up the others.
///
/// A pure value. The reader shows each request to ``offer(_:)``, which returns what to do with it, and reports each
/// answer to ``answered(_:isAnswer:)``. As long as answers keep up with the reading, requests go out in the order of
/// the list, and reading pauses while ``LookAheadLimits/window`` answers are missing. A reader that has paused in vain
/// calls ``readOn()``. From then on, requests whose origin has enough to do are put aside, each with a note that the
/// reader needs to find it again, and ``next()`` returns the one whose turn it is.
///
/// If a list names many hosts, reading continues at once, since each new host costs a connection: requests to hosts
/// that have answered go before requests to new ones. One request in sixteen goes to the host that has waited longest,
/// so that none waits for ever.
package struct LookAhead {
  /// The note by which the reader finds a request again: 16 bytes, whose meaning only the reader knows. A generic type
  /// would not be specialized for a reader in another module.
  package struct Note: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(_ first: UInt64, _ second: UInt64 = 0) {
      self.first = first
      self.second = second
    }
  }

  /// The number of an origin.
  package typealias Slot = Int

  package enum Advice: Equatable {
    /// The request goes out, and counts as missing its answer.
    case submit(Slot)
    /// Put the request aside, because its origin has enough to do: see ``putAside(_:at:_:)``.
    case putAside(Slot)
    /// Neither: wait until answers have come.
    case wait
  }

  /// The kind of pause that the reader makes.
  package enum Pause: Equatable {
    /// No pause: the reader goes on.
    case none
    /// A pause until half of the window has its answers.
    case untilHalf
    /// The same pause. If it is in vain for some time, ``readOn()`` follows.
    case untilHalfOrInVain
    /// A pause until there are some answers.
    case untilSome
    /// The same pause. If it is in vain for some time, ``readOn()`` follows.
    case untilSomeOrInVain
  }

  /// The queue in which an origin waits for ``next()``.
  private enum Readiness { case none, open, new }

  private struct Host {
    var missing = 0
    /// True once the origin has answered.
    var isAnswering = false
    var readiness = Readiness.none
    var high = Queue<Note>()
    var normal = Queue<Note>()
    var low = Queue<Note>()
    var hasAside: Bool { !normal.isEmpty || !high.isEmpty || !low.isEmpty }
    var isIdle: Bool { missing == 0 && !hasAside }

    /// Takes the next request, or the newest, of the highest priority.
    mutating func take(newest isNewest: Bool) -> Note? {
      if !high.isEmpty { return isNewest ? high.popLast() : high.popFirst() }
      if !normal.isEmpty { return isNewest ? normal.popLast() : normal.popFirst() }
      return isNewest ? low.popLast() : low.popFirst()
    }
  }

  private let limits: LookAheadLimits
  private var slots: [Host] = []
  private var origins: [Origin: Slot] = [:]
  private var free: [Slot] = []
  /// The origin that was asked about last, and its slot: it is mostly the next one, too.
  private var last: (origin: Origin, slot: Slot)?
  /// The number of origins with requests that are out or were put aside.
  private var active = 0
  /// Requests out, without an answer.
  package private(set) var missing = 0
  /// Requests put aside.
  package private(set) var count = 0
  /// Origins with requests put aside, some of which may go out: origins that have answered, and new ones. A slot whose
  /// readiness has changed is skipped.
  private var readyOpen = Queue<Slot>()
  private var readyNew = Queue<Slot>()
  /// The number of requests to origins that have answered, since the last one to a new origin.
  private var sinceNew = 0
  /// The number of origins so far. An origin that was forgotten counts again.
  private var seen = 0
  /// True if reading continues because the list names many origins.
  private var looksFurther = false
  /// True if the reader has been woken since it went to sleep.
  package private(set) var isAwake = true
  /// True if reading continues although answers are missing.
  package private(set) var isReadingOn = false

  package init(_ limits: LookAheadLimits) { self.limits = limits }

  // MARK: - The reader

  /// True if a request may be shown.
  package var mayOffer: Bool { count < limits.aside }

  /// Returns what to do with the next request of the list, which goes to `origin`.
  package mutating func offer(_ origin: Origin) -> Advice {
    if count == 0, missing <= limits.window / 2 { (isReadingOn, looksFurther) = (false, false) }
    let isPast = isReadingOn || (looksFurther && (count > 0 || missing >= limits.window))
    if !isPast && missing >= limits.window { return .wait }
    let slot = slot(of: origin)
    if !isPast || (!slots[slot].hasAside && hasRoom(slot)) {
      submit(to: slot)
      return .submit(slot)
    }
    if count >= mostAside { return .wait }
    // If requests were put aside that wait for any place, instead of one of their origin, there would be as many
    // origins as lines.
    if !slots[slot].hasAside, missing >= bound, !looksFurther || active >= Self.mostActive { return .wait }
    return .putAside(slot)
  }

  /// The most requests that may be put aside. A few hosts are found within few lines.
  private var mostAside: Int {
    isReadingOn || seen > Self.manyOrigins ? limits.aside : min(limits.aside, Self.firstAside)
  }

  /// Returns the pause of a reader that was told to wait. A list of many hosts is read on instead.
  ///
  /// - Parameter isOnline: true if the network is asked. Caches answer as fast as a list is read.
  package mutating func pause(isOnline: Bool) -> Pause {
    if limits.isSerial { return .untilHalf }
    // This is also true of a list that is already read on: it has as many hosts, and their connections cost as much.
    if !looksFurther, limits.sparesConnections, isOnline, seen >= Self.severalOrigins {
      looksFurther = true
      return .none
    }
    if isReadingOn { return .untilSome }
    return looksFurther ? .untilSomeOrInVain : .untilHalfOrInVain
  }

  /// Notes that a request goes out, as advised or not.
  package mutating func submit(_ origin: Origin) -> Slot {
    let slot = slot(of: origin)
    submit(to: slot)
    return slot
  }

  /// Keeps the note by which the reader finds the request again, after ``Advice/putAside(_:)``.
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
    while missing < bound {
      let isNewDue = sinceNew >= Self.mostBetween && !readyNew.isEmpty
      let readiness: Readiness = isNewDue || readyOpen.isEmpty ? .new : .open
      guard let slot = readiness == .new ? readyNew.first : readyOpen.first else { return nil }
      if slots[slot].readiness == readiness, hasRoom(slot), let item = take(from: slot) {
        sinceNew = readiness == .new ? 0 : sinceNew + 1
        submit(to: slot)
        return (item, slot)
      }
      // The origin has enough to do, and becomes ready again by its answers.
      if slots[slot].readiness == readiness { slots[slot].readiness = .none }
      _ = readiness == .new ? readyNew.popFirst() : readyOpen.popFirst()
    }
    return nil
  }

  /// Notes that the reader has paused for some time, with less than half of the window answered: the list is read on.
  package mutating func readOn() { isReadingOn = !limits.isSerial }

  /// True if requests to the origin were put aside.
  package func hasAside(_ origin: Origin) -> Bool { origins[origin].map { slots[$0].hasAside } ?? false }

  /// Forgets all requests that were put aside, and returns their notes in no order.
  package mutating func takeAll() -> [Note] {
    var all: [Note] = []
    for slot in slots.indices {
      let wasIdle = slots[slot].isIdle
      all += slots[slot].high.removeAll() + slots[slot].normal.removeAll() + slots[slot].low.removeAll()
      slots[slot].readiness = .none
      if !wasIdle, slots[slot].isIdle { active -= 1 }
    }
    count = 0
    (readyOpen, readyNew) = (Queue(), Queue())
    return all
  }

  /// Notes that the reader sleeps until ``answered(_:isAnswer:)`` returns true. Returns false if there is something to
  /// do first.
  package mutating func noteSleep() -> Bool {
    isAwake = count == 0 || (hasReady && missing < bound)
    return !isAwake
  }

  // MARK: - Answers

  /// Notes the answer to a request. Returns true if the reader is to be woken.
  ///
  /// - Parameter isAnswer: true if the origin has said anything.
  package mutating func answered(_ slot: Slot, isAnswer: Bool) -> Bool {
    slots[slot].missing -= 1
    missing -= 1
    if isAnswer, !slots[slot].isAnswering {
      slots[slot].isAnswering = true
      if slots[slot].readiness == .new {
        slots[slot].readiness = .none
        makeReady(slot)
      }
    }
    if slots[slot].isIdle { active -= 1 }
    if slots[slot].hasAside, isDue(slot) { makeReady(slot) }
    if isAwake || !hasReady || missing >= bound { return false }
    isAwake = true
    return true
  }

  // MARK: - Shares

  /// The number of requests above the window that may be out, if their origins would otherwise have nothing to do.
  private var bound: Int { 2 * limits.window }

  /// The number of requests that an origin may have under way: its part of the window, and at least twice its downloads
  /// at once, so that it never waits for the reader.
  private var share: Int {
    // Each of many origins has one connection, mostly, over which one request goes after the other.
    let atOnce = looksFurther ? min(2, limits.perHost) : limits.perHost
    return max(min(2 * atOnce, limits.window / 2), limits.window / max(1, active))
  }

  private func hasRoom(_ slot: Slot) -> Bool {
    if missing >= bound { return false }
    // For an origin that has not answered yet, enough requests to show whether it does are enough: a list may name many
    // that never will. With fewer, one request would have to be tried twice, which is another time-out before the
    // origin counts as down.
    if missing >= limits.window && !slots[slot].isAnswering { return slots[slot].missing < OriginHealth.decisive }
    return slots[slot].missing < share
  }

  /// True if so few requests are out that the reader should be woken: half of what may be, as for the whole window.
  private func isDue(_ slot: Slot) -> Bool {
    slots[slot].missing <= (slots[slot].isAnswering ? share / 2 : OriginHealth.decisive - 1)
  }

  private mutating func makeReady(_ slot: Slot) {
    if slots[slot].readiness != .none { return }
    let isOpen = slots[slot].isAnswering || !limits.sparesConnections
    slots[slot].readiness = isOpen ? .open : .new
    if isOpen { readyOpen.append(slot) } else { readyNew.append(slot) }
  }

  private var hasReady: Bool { !readyOpen.isEmpty || !readyNew.isEmpty }

  private mutating func submit(to slot: Slot) {
    if slots[slot].isIdle { active += 1 }
    slots[slot].missing += 1
    missing += 1
  }

  private mutating func take(from slot: Slot) -> Note? {
    guard let item = slots[slot].take(newest: limits.isNewestFirst) else { return nil }
    count -= 1
    if slots[slot].isIdle { active -= 1 }
    return item
  }

  // MARK: - Slots

  /// The number of origins above which finished ones are forgotten.
  private static var remembered: Int { 1024 }

  /// The number of origins from which on reading continues at once. With fewer origins, each has enough requests to be
  /// worth further connections.
  private static var severalOrigins: Int { 8 }
  /// The number of connections that are kept open in any case. With more origins, their lines have to be found before
  /// their connections are closed.
  private static var manyOrigins: Int { 128 }
  /// The requests that are put aside at once to find further origins: a few milliseconds of reading.
  private static var firstAside: Int { 4096 }
  /// The most origins with requests put aside. Each takes some hundred bytes.
  private static var mostActive: Int { 20_000 }
  /// The number of requests to origins that have answered, before one to a new origin goes out.
  private static var mostBetween: Int { 15 }

  private mutating func slot(of origin: Origin) -> Slot {
    if let last, last.origin == origin { return last.slot }
    if let slot = origins[origin] {
      last = (origin, slot)
      return slot
    }
    if free.isEmpty && slots.count >= max(Self.remembered, 2 * active) { forgetIdle() }
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(Host()) }
    seen += 1
    origins[origin] = slot
    last = (origin, slot)
    return slot
  }

  private mutating func forgetIdle() {
    origins = origins.filter { !slots[$0.value].isIdle || slots[$0.value].readiness != .none }
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
  /// True if requests that can use an open connection overtake those that need one.
  package var sparesConnections = false

  package init(aside: Int) { self.aside = aside }
}
