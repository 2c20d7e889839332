/// Values by numbers that this program gives out itself, counting up from 1: flights, transfers.
///
/// A pure value. A `Dictionary` hashes each key so that no stranger can make them collide, which took 200 to 500 instructions a step
/// and eight steps an image. These numbers come from nobody else, and a multiplication spreads those that follow each other evenly.
struct NumberTable<Value> {
  private struct Place {
    let number: UInt64
    var value: Value
  }

  /// A power of two of them, half of them free at least, so that a look-up ends soon.
  private var places: [Place?]
  private var bits = 6
  private(set) var count = 0

  init() { places = Array(repeating: nil, count: 1 << bits) }

  subscript(_ number: UInt64) -> Value? {
    get { places[place(of: number)]?.value }
    set {
      guard let newValue else {
        removeValue(for: number)
        return
      }
      let at = place(of: number)
      if places[at] == nil {
        count += 1
        places[at] = Place(number: number, value: newValue)
        if count * 2 > places.count { grow() }
      } else {
        places[at]?.value = newValue
      }
    }
  }

  /// Takes a value out; nil: there is none for that number.
  @discardableResult
  mutating func removeValue(for number: UInt64) -> Value? {
    var gap = place(of: number)
    guard let removed = places[gap] else { return nil }
    places[gap] = nil
    count -= 1
    // Who stands behind a gap only because his own place was taken moves up, or would not be found any more.
    var at = next(gap)
    while let other = places[at] {
      let distance = (at &- home(of: other.number)) & (places.count - 1)
      if distance >= (at &- gap) & (places.count - 1) {
        places[gap] = other
        places[at] = nil
        gap = at
      }
      at = next(at)
    }
    return removed.value
  }

  /// All numbers that have a value, in no order.
  var numbers: [UInt64] { places.compactMap { $0?.number } }

  /// The first bits of the number times 2^64 over the golden ratio: of all multiples of numbers those of this one lie furthest apart.
  private func home(of number: UInt64) -> Int {
    Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
  }

  private func next(_ at: Int) -> Int { (at + 1) & (places.count - 1) }

  /// Where a number stands, or else the free place where it would. There is a free one always.
  private func place(of number: UInt64) -> Int {
    var at = home(of: number)
    while let place = places[at], place.number != number { at = next(at) }
    return at
  }

  private mutating func grow() {
    let held = places
    bits += 1
    places = Array(repeating: nil, count: 1 << bits)
    for case let place? in held { places[self.place(of: place.number)] = place }
  }
}
