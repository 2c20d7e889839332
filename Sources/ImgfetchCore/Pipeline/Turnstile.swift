/// Lets flights set out for the network in the order in which they were asked for, though several threads look them up side by side.
///
/// A pure value. Flights are numbered from 1 without gaps. What a flight wants done on the network is held until it and all before
/// it have been looked up; so `-j 1` is one after another in the list's order, and `--order` means the order of the list.
struct Turnstile<Work> {
  private var next: UInt64 = 1
  private var held: [UInt64: [Work]] = [:]
  private var passed: Set<UInt64> = []

  /// Something is to be done for a flight. The answer is what may be done now: all of it, or nothing yet.
  mutating func hold(_ work: Work, for flight: UInt64) -> [Work] {
    if flight < next { return [work] }
    held[flight, default: []].append(work)
    return []
  }

  /// A flight has been looked up, whatever came of it. The answer is what may be done now, in order.
  mutating func pass(_ flight: UInt64) -> [Work] {
    passed.insert(flight)
    var due: [Work] = []
    while passed.remove(next) != nil {
      if let work = held.removeValue(forKey: next) { due += work }
      next += 1
    }
    return due
  }
}
