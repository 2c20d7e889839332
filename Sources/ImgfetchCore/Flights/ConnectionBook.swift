/// The open connections of a run, by number. A pure value.
struct ConnectionBook {
  private struct Entry {
    let origin: Origin
    let transfer: UInt64
    var isReady = false
  }

  private var entries: [Int32: Entry] = [:]
  /// Connections that are not ready, by the transfer that opens them.
  private var opening: [UInt64: [Int32]] = [:]
  /// Connections that belong to no flight.
  private var others: Set<Int32> = []

  /// The number of open connections.
  var count: Int { entries.count + others.count }

  /// Notes that a transfer has begun to open a connection.
  ///
  /// - Parameter origin: the origin that a flight asks, or nil if the transfer is of no flight.
  mutating func opened(_ number: Int32, by transfer: UInt64, to origin: Origin?) {
    guard let origin else {
      others.insert(number)
      return
    }
    entries[number] = Entry(origin: origin, transfer: transfer)
    opening[transfer, default: []].append(number)
  }

  /// Notes that a transfer's request goes out. Returns the origin and the number of connections that the transfer has
  /// opened, or nil if it uses an earlier one.
  mutating func connected(_ transfer: UInt64) -> (origin: Origin, count: Int)? {
    guard let numbers = opening.removeValue(forKey: transfer),
      let origin = numbers.first.flatMap({ entries[$0]?.origin })
    else { return nil }
    for number in numbers { entries[number]?.isReady = true }
    return (origin, numbers.count)
  }

  /// Notes that a connection is closed. Returns its origin, or nil if it was never ready for a request.
  mutating func closed(_ number: Int32) -> Origin? {
    guard let entry = entries.removeValue(forKey: number) else {
      others.remove(number)
      return nil
    }
    if entry.isReady { return entry.origin }
    opening[entry.transfer]?.removeAll { $0 == number }
    if opening[entry.transfer]?.isEmpty == true { opening[entry.transfer] = nil }
    return nil
  }
}
