/// The origin of a row: its image, its run, and the line of the run's list.
struct RowOrigin: Hashable {
  /// A hash of the image's address.
  var key: UInt32
  var run: UInt32
  var line: UInt32

  private var ofRun: UInt64 { UInt64(key) << 32 | UInt64(run) }

  /// Returns those of some rows with equal images that stand for an image each, in their order.
  ///
  /// Two lines of a list that name one address are two images. The same line in another run is not a further one, even
  /// if it stands elsewhere in that run's list: so of each address the rows of one run count, of that with most lines.
  static func images(_ rows: [Int], _ origin: (Int) -> RowOrigin) -> [Int] {
    var keys: Set<UInt32> = []
    var repeated: Set<UInt32> = []
    for row in rows where !keys.insert(origin(row).key).inserted { repeated.insert(origin(row).key) }
    guard !repeated.isEmpty else { return rows }
    var counts: [UInt64: Int] = [:]
    var seen: Set<RowOrigin> = []
    for row in rows {
      let one = origin(row)
      if repeated.contains(one.key), seen.insert(one).inserted { counts[one.ofRun, default: 0] += 1 }
    }
    var runs: [UInt32: (run: UInt32, count: Int)] = [:]
    for row in rows {
      let one = origin(row)
      guard let count = counts[one.ofRun], count > (runs[one.key]?.count ?? 0) else { continue }
      runs[one.key] = (run: one.run, count: count)
    }
    return rows.filter { row in
      let one = origin(row)
      guard let chosen = runs[one.key] else { return true }
      return chosen.run == one.run && seen.remove(one) != nil
    }
  }
}
