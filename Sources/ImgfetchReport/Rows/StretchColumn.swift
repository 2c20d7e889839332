/// A list of values of which nearly all are equal to the one before, so that only the first of each stretch is kept. A
/// pure value.
struct StretchColumn<Value: Equatable & Sendable>: Sendable {
  private var starts: [Int] = []
  private var values: [Value] = []
  private(set) var count = 0

  /// The value of the last row, or nil if there is none.
  var last: Value? { values.last }

  mutating func append(_ value: Value) {
    if values.last != value {
      starts.append(count)
      values.append(value)
    }
    count += 1
  }

  subscript(row: Int) -> Value {
    // The last stretch that begins at the row or before it.
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= row { low = middle } else { high = middle }
    }
    return values[low]
  }
}
