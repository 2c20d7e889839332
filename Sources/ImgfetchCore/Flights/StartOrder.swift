/// Makes flights begin on the network in the order in which they were asked for, although several threads look them up
/// side by side.
///
/// A pure value. Flights are numbered from 1 without gaps. A flight's work on the network is held until all flights
/// before it have been looked up. So `-j 1` downloads one after another in the list's order, and `--order` means the
/// order of the list.
struct StartOrder<Work> {
  private var next: UInt64 = 1
  private var held: [UInt64: [Work]] = [:]
  /// Flights numbered above `next` that have already been looked up.
  private var passed: Set<UInt64> = []

  /// Holds a flight's work. Returns what may be done now: this work, or nothing yet.
  mutating func hold(_ work: Work, for flight: UInt64) -> Work? {
    if flight <= next { return work }
    held[flight, default: []].append(work)
    return nil
  }

  /// Notes that a flight has been looked up, whatever the result. Returns what may be done now, in order.
  mutating func pass(_ flight: UInt64) -> [Work] {
    guard flight == next else {
      passed.insert(flight)
      return []
    }
    var due: [Work] = []
    repeat {
      next += 1
      if !held.isEmpty, let work = held.removeValue(forKey: next) { due += work }
    } while !passed.isEmpty && passed.remove(next) != nil
    return due
  }
}
