/// The flights, each with the requests that wait for it: a flight for each key and its demands, with any number of
/// waiters.
///
/// A pure value. A flight is found by its key as long as waiters may join it. ``land(_:)`` ends that, and returns all
/// of them at once, so that a waiter either joined in time and gets the flight's answer, or begins a new flight.
/// Joining and leaving take the same time however many flights and waiters there are: each waiter has a seat, which its
/// number names, and the seats of a flight are linked.
struct FlightTable<Member> {
  typealias Priority = FetchRequest.Priority

  /// The properties that two waiters must have in common for one download: the key, the requester, and everything that
  /// decides which answers are accepted.
  struct Identity: Equatable {
    let key: CacheKey
    let demands: Int

    /// A hash by which the table finds an identity. The tables are keyed by numbers, not identities: at the first use
    /// of a table the runtime looks up the conformance that makes its keys hashable, in every single run, and it has
    /// that of numbers at hand.
    fileprivate var digest: UInt64 {
      key.hash.low ^ (key.salt ?? 0) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(demands))
    }
  }

  /// The waiters of a flight, in the order of asking. Nearly always there is one, which needs no array.
  struct Waiters: RandomAccessCollection {
    private var first: Member?
    private var others: [Member] = []

    fileprivate init() {}

    var startIndex: Int { 0 }
    var endIndex: Int { first == nil ? 0 : 1 + others.count }
    subscript(place: Int) -> Member {
      guard let first, place == 0 else { return others[place - 1] }
      return first
    }

    fileprivate mutating func append(_ waiter: Member) {
      if first == nil { first = waiter } else { others.append(waiter) }
    }
  }

  /// A flight, with the ends of its row of waiters.
  private struct Entry {
    let identity: Identity
    var first = Seats.nowhere
    var last = Seats.nowhere
    /// The number of the flight's waiters that have each priority.
    var low: Int32 = 0
    var normal: Int32 = 0
    var high: Int32 = 0

    var isEmpty: Bool { first == Seats.nowhere }

    /// The highest of its waiters' priorities.
    var priority: Priority { high > 0 ? .high : normal > 0 || low == 0 ? .normal : .low }

    mutating func count(_ priority: Priority, by change: Int32) {
      switch priority {
      case .low: low += change
      case .normal: normal += change
      case .high: high += change
      }
    }
  }

  /// The seats of all waiters. The seats of one flight are linked, and its entry has the ends.
  private struct Seats {
    struct Seat {
      var member: Member?
      /// The waiter's number, or 0 if the seat is free.
      var id: UInt64 = 0
      var flight: UInt64 = 0
      /// The seats of the same flight beside it, in the order of asking.
      var next = Seats.nowhere
      var previous = Seats.nowhere
      var priority = Priority.normal
    }

    static var nowhere: Int32 { -1 }
    /// The bits of a waiter's number that hold its seat. The others count the earlier waiters of the seat.
    private static var seatBits: UInt64 { 28 }
    /// The seats that are kept when all are free.
    private static var kept: Int { 4096 }

    private var all: [Seat] = []
    private var free: [Int32] = []
    private var count: UInt64 = 0
    /// Waiters that wait once more, in a seat that differs from the one in their numbers.
    private var moved: [UInt64: Int32] = [:]

    subscript(place: Int32) -> Seat { _read { yield all[Int(place)] } }

    /// The seat of a waiter, or nil if it no longer waits.
    func place(of id: UInt64) -> Int32? {
      let usual = Int(truncatingIfNeeded: id & (1 << Self.seatBits - 1))
      if usual < all.count, all[usual].id == id, id != 0 { return Int32(usual) }
      return moved.isEmpty ? nil : moved[id]
    }

    mutating func take(
      for waiter: Member, _ priority: Priority, _ known: UInt64?, of flight: UInt64, in entry: inout Entry
    ) -> UInt64 {
      let place = free.popLast() ?? Int32(all.count)
      let id: UInt64
      if let known {
        id = known
        moved[known] = place
      } else {
        count += 1
        id = count << Self.seatBits | UInt64(place)
      }
      let seat = Seat(member: waiter, id: id, flight: flight, previous: entry.last, priority: priority)
      if place < all.count { all[Int(place)] = seat } else { all.append(seat) }
      if entry.isEmpty { entry.first = place } else { all[Int(entry.last)].next = place }
      entry.last = place
      entry.count(priority, by: 1)
      return id
    }

    /// Frees a seat. The caller updates its links.
    mutating func vacate(_ place: Int32) -> Member? {
      let member = all[Int(place)].member
      if !moved.isEmpty { moved[all[Int(place)].id] = nil }
      all[Int(place)] = Seat()
      free.append(place)
      if free.count == all.count, all.count > Self.kept { (all, free) = ([], []) }
      return member
    }

    mutating func unlink(_ place: Int32, from entry: inout Entry) -> Member? {
      let (next, previous) = (all[Int(place)].next, all[Int(place)].previous)
      if previous == Self.nowhere { entry.first = next } else { all[Int(previous)].next = next }
      if next == Self.nowhere { entry.last = previous } else { all[Int(next)].previous = previous }
      entry.count(all[Int(place)].priority, by: -1)
      return vacate(place)
    }

    mutating func setPriority(_ priority: Priority, of place: Int32, in entry: inout Entry) {
      entry.count(all[Int(place)].priority, by: -1)
      entry.count(priority, by: 1)
      all[Int(place)].priority = priority
    }
  }

  private var seats = Seats()
  private var flights: [UInt64: Entry] = [:]
  /// The flight that may be joined, by its identity's digest. Identities are compared before a waiter joins. If two
  /// have the same digest, the second one is not joinable, and each of its waiters has a flight of its own.
  private var joinable: [UInt64: UInt64] = [:]
  private var flightCount: UInt64 = 0

  enum Joining: Equatable {
    /// The waiter is the first, and has to start the flight.
    case leads(flight: UInt64)
    /// - Parameter raisedTo: the flight's priority, if the waiter lends it a higher one.
    case joined(flight: UInt64, raisedTo: Priority?)
  }

  enum Leaving: Equatable {
    /// The waiter had left already: its answer is on its way.
    case tooLate
    /// - Parameter sinksTo: the flight's priority, if the waiter had lent it a higher one.
    case left(flight: UInt64, sinksTo: Priority?)
    /// The waiter was the last, and the flight is forgotten.
    case abandoned(flight: UInt64)
  }

  /// Adds a waiter to the flight of that identity, or to a new one.
  ///
  /// - Parameter id: its number, if it has waited before.
  /// - Returns: its number, and whether it leads the flight.
  mutating func join(
    _ identity: Identity, _ waiter: Member, priority: Priority = .normal, knownAs id: UInt64? = nil
  ) -> (id: UInt64, Joining) {
    let digest = identity.digest
    let number = flightCount + 1
    let holder = Self.look(at: &joinable[digest, default: number])
    if holder != number, let place = flights.index(forKey: holder), flights.values[place].identity == identity {
      let before = flights.values[place].priority
      let id = seats.take(for: waiter, priority, id, of: holder, in: &flights.values[place])
      let after = flights.values[place].priority
      return (id, .joined(flight: holder, raisedTo: after > before ? after : nil))
    }
    flightCount = number
    var entry = Entry(identity: identity)
    let id = seats.take(for: waiter, priority, id, of: number, in: &entry)
    flights[number] = entry
    return (id, .leads(flight: number))
  }

  /// Finds or inserts with one look-up.
  private static func look(at place: inout UInt64) -> UInt64 { place }

  var flightsUnderWay: Int { flights.count }

  /// True until the flight has landed.
  func isThere(_ flight: UInt64) -> Bool { flights[flight] != nil }

  /// The highest priority among the waiters of a flight, or nil if it has landed.
  func priority(of flight: UInt64) -> Priority? { flights[flight]?.priority }

  func waiters(of flight: UInt64) -> Waiters {
    var waiters = Waiters()
    var place = flights[flight]?.first ?? Seats.nowhere
    while place != Seats.nowhere {
      if let member = seats[place].member { waiters.append(member) }
      place = seats[place].next
    }
    return waiters
  }

  /// Takes one waiter out of its flight.
  mutating func leave(_ id: UInt64) -> (Leaving, Member?) {
    guard let seat = seats.place(of: id), let place = flights.index(forKey: seats[seat].flight) else {
      return (.tooLate, nil)
    }
    let flight = seats[seat].flight
    let before = flights.values[place].priority
    let member = seats.unlink(seat, from: &flights.values[place])
    guard flights.values[place].isEmpty else {
      let after = flights.values[place].priority
      return (.left(flight: flight, sinksTo: after < before ? after : nil), member)
    }
    _ = land(flight)
    return (.abandoned(flight: flight), member)
  }

  /// Changes a waiter's priority. Returns its flight with its new priority, or nil if that is the same as before.
  mutating func setPriority(_ priority: Priority, of id: UInt64) -> (flight: UInt64, priority: Priority)? {
    guard let seat = seats.place(of: id), let place = flights.index(forKey: seats[seat].flight) else { return nil }
    let before = flights.values[place].priority
    seats.setPriority(priority, of: seat, in: &flights.values[place])
    let after = flights.values[place].priority
    return after == before ? nil : (seats[seat].flight, after)
  }

  /// Takes some waiters out of a flight that goes on (or ends) without them.
  mutating func takeOut(of flight: UInt64, where isMeant: (Member) -> Bool) -> [Member] {
    guard let place = flights.index(forKey: flight) else { return [] }
    var taken: [Member] = []
    var seat = flights.values[place].first
    while seat != Seats.nowhere {
      let next = seats[seat].next
      if let member = seats[seat].member, isMeant(member) {
        _ = seats.unlink(seat, from: &flights.values[place])
        taken.append(member)
      }
      seat = next
    }
    return taken
  }

  /// Ends the flight. Returns all its waiters, the leader first: the caller answers them.
  mutating func land(_ flight: UInt64) -> Waiters {
    guard let entry = flights.removeValue(forKey: flight) else { return Waiters() }
    let digest = entry.identity.digest
    // It is another flight's if two identities have one digest.
    if let holder = joinable.removeValue(forKey: digest), holder != flight { joinable[digest] = holder }
    var waiters = Waiters()
    var seat = entry.first
    while seat != Seats.nowhere {
      let next = seats[seat].next
      if let member = seats.vacate(seat) { waiters.append(member) }
      seat = next
    }
    return waiters
  }
}
