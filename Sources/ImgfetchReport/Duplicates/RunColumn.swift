/// The number of the run that each row is of. Nearly all rows follow one of the same run, so only the first of each
/// stretch is kept. A pure value.
struct RunColumn {
  private var starts: [Int] = []
  private var numbers: [UInt32] = []
  private(set) var count = 0

  mutating func append(_ run: UInt32) {
    if numbers.last != run {
      starts.append(count)
      numbers.append(run)
    }
    count += 1
  }

  /// The run of a row.
  subscript(row: Int) -> UInt32 {
    // The last stretch that begins at the row or before it.
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= row { low = middle } else { high = middle }
    }
    return numbers[low]
  }
}
