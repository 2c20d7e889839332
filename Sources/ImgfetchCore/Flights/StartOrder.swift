/// Lets flights set out for the network in the order in which they were asked for, though several threads
/// look them up side by side.
///
/// A pure value. Flights are numbered from 1 without gaps. A flight's errand on the network is held until all
/// flights before it have been looked up; so `-j 1` is one after another in the list's order, and `--order`
/// means the order of the list.
struct StartOrder<Work> {
  private var next: UInt64 = 1
  private var held: [UInt64: [Work]] = [:]
  /// Flights numbered above `next` that have already been looked up.
  private var passed: Set<UInt64> = []

  /// Something is to be done for a flight. The answer is what may be done now: just this, or nothing yet.
  mutating func hold(_ work: Work, for flight: UInt64) -> Work? {
    if flight <= next { return work }
    held[flight, default: []].append(work)
    return nil
  }

  /// A flight has been looked up, whatever came of it. The answer is what may be done now, in order.
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
