/// A flight that waits for a place at an origin.
struct WaitingFlight {
  let flight: UInt64
  let slot: Int
  var priority: FetchRequest.Priority
  /// The flight's place among those that have the same priority.
  let order: Int
  /// The number of flights that had started when this one came.
  let came: Int
  let notBefore: Instant?
  /// The number of times that the origin has answered "too many", or nothing.
  let refusals: Int
  /// True if another refusal would not be its last.
  let hasSpare: Bool
  /// The slot of the origin that is asked next if this one has nothing.
  let onward: Int?

  /// True if it was refused, and can afford another refusal.
  var mayInsist: Bool { refusals > 0 && hasSpare }
}

/// All flights that wait, whatever their origins. Each has a seat, in which it is found by its number. A pure value.
struct WaitingSeats {
  private var seats: [WaitingFlight?] = []
  private var free: [Int] = []
  private var numbers: [UInt64: Int] = [:]

  subscript(seat: Int) -> WaitingFlight? { seats[seat] }

  func seat(of flight: UInt64) -> Int? { numbers[flight] }

  mutating func take(_ waiting: WaitingFlight) -> Int {
    let seat = free.popLast() ?? seats.count
    if seat < seats.count { seats[seat] = waiting } else { seats.append(waiting) }
    numbers[waiting.flight] = seat
    return seat
  }

  mutating func leave(_ seat: Int) {
    if let flight = seats[seat]?.flight { numbers[flight] = nil }
    seats[seat] = nil
    free.append(seat)
  }

  mutating func setPriority(_ priority: FetchRequest.Priority, of seat: Int) { seats[seat]?.priority = priority }
}

/// The line at one origin, in three lanes by priority, each in the order of asking. A pure value.
///
/// A flight that leaves a lane leaves its mark there, which is skipped later. So leaving and changing the lane take no
/// longer in a long line than in a short one.
struct WaitingLine {
  private struct Mark {
    /// The mark with the least key is next.
    let key: Int
    let seat: Int
  }

  private struct Lane {
    /// A heap.
    var marks: [Mark] = []
    var count = 0
  }

  /// The lanes for high, normal and low priority. There are none before the first flight: most origins are forgotten
  /// without ever having a second.
  private var lanes: [Lane] = []
  private(set) var count = 0
  /// The number of flights with a time before which they may not start.
  private(set) var timed = 0
  private var refused = 0

  /// True if in each lane the first is the next: none has a time of its own, or was refused.
  var isPlain: Bool { timed == 0 && refused == 0 }

  /// The lanes, from the highest priority on.
  static let order: [FetchRequest.Priority] = [.high, .normal, .low]

  private static func lane(_ priority: FetchRequest.Priority) -> Int { 1 - priority.rawValue }

  /// Adds a flight to the line, or to another lane.
  mutating func add(_ seat: Int, _ seats: borrowing WaitingSeats, newestFirst: Bool) {
    guard let waiting = seats[seat] else { return }
    if lanes.isEmpty { lanes = [Lane(), Lane(), Lane()] }
    let lane = Self.lane(waiting.priority)
    // A flight that changes its lane again and again would leave a mark each time.
    if lanes[lane].marks.count > 2 * lanes[lane].count + 64 { clear(lane, seats) }
    lanes[lane].marks.append(Mark(key: newestFirst ? -waiting.order : waiting.order, seat: seat))
    rise(in: lane)
    lanes[lane].count += 1
    count += 1
    if waiting.notBefore != nil { timed += 1 }
    if waiting.refusals > 0 { refused += 1 }
  }

  /// Removes a flight from the line, or its lane.
  ///
  /// - Parameter waiting: its entry in the line.
  mutating func remove(_ waiting: WaitingFlight) {
    let lane = Self.lane(waiting.priority)
    lanes[lane].count -= 1
    count -= 1
    if waiting.notBefore != nil { timed -= 1 }
    if waiting.refusals > 0 { refused -= 1 }
    if lanes[lane].count == 0 { lanes[lane].marks.removeAll(keepingCapacity: lanes[lane].marks.count <= 1024) }
  }

  /// The first flight of a lane, whatever its time, or nil if the lane is empty.
  mutating func first(_ priority: FetchRequest.Priority, _ seats: borrowing WaitingSeats) -> Int? {
    guard count > 0 else { return nil }
    let lane = Self.lane(priority)
    guard lanes[lane].count > 0 else { return nil }
    while let mark = lanes[lane].marks.first {
      if isValid(mark, lane, seats) { return mark.seat }
      dropFirst(of: lane)
    }
    return nil
  }

  /// All of a lane, in no order.
  mutating func all(_ priority: FetchRequest.Priority, _ seats: borrowing WaitingSeats) -> [Int] {
    guard count > 0 else { return [] }
    let lane = Self.lane(priority)
    guard lanes[lane].count > 0 else { return [] }
    if lanes[lane].marks.count > lanes[lane].count { clear(lane, seats) }
    return lanes[lane].marks.map(\.seat)
  }

  private func isValid(_ mark: Mark, _ lane: Int, _ seats: borrowing WaitingSeats) -> Bool {
    guard let waiting = seats[mark.seat] else { return false }
    return abs(mark.key) == waiting.order && Self.lane(waiting.priority) == lane
  }

  /// Drops the marks of flights that have left. A flight that has left and come back may have two.
  private mutating func clear(_ lane: Int, _ seats: borrowing WaitingSeats) {
    var marks: [Mark] = []
    // A sorted array is a heap.
    for mark in lanes[lane].marks.sorted(by: { $0.key < $1.key })
    where mark.key != marks.last?.key && isValid(mark, lane, seats) { marks.append(mark) }
    lanes[lane].marks = marks
  }

  private mutating func rise(in lane: Int) {
    var child = lanes[lane].marks.count - 1
    while child > 0, lanes[lane].marks[child].key < lanes[lane].marks[(child - 1) / 2].key {
      lanes[lane].marks.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func dropFirst(of lane: Int) {
    lanes[lane].marks.swapAt(0, lanes[lane].marks.count - 1)
    lanes[lane].marks.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < lanes[lane].marks.count && lanes[lane].marks[child].key < lanes[lane].marks[least].key {
        least = child
      }
      if least == parent { return }
      lanes[lane].marks.swapAt(parent, least)
      parent = least
    }
  }
}
