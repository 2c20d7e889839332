import ImgfetchCore

/// The messages of a run's failures: equal ones are one line, with a count. A pure value.
///
/// A message is printed when it comes, and a line at the end counts its repetitions. If all wait for the end, as for a
/// mail, each line has its count.
struct FailureMessages {
  private let waits: Bool
  /// The number of times that each message came, by the hash of its text. Each process hashes in its own way, so no
  /// server can choose texts whose hashes are equal.
  private var counts: [Int: Int] = [:]
  /// The texts of those that are told at the end, in the order in which they came.
  private var texts: [(hash: Int, text: String)] = []

  /// The messages that may wait, in some megabytes. Further ones are printed at once.
  private static let mostWaiting = 10_000

  /// True if no message came.
  var isEmpty: Bool { counts.isEmpty }

  /// - Parameter waits: True if all messages are printed at the end.
  init(waits: Bool) { self.waits = waits }

  /// Takes a message. Returns the text to print now.
  mutating func add(_ text: String) -> String? {
    var hasher = Hasher()
    hasher.combine(text)
    let hash = hasher.finalize()
    let count = counts[hash, default: 0] + 1
    counts[hash] = count
    // One that waits is told the first time, one that was printed when it comes again.
    if count == (waits ? 1 : 2), texts.count < Self.mostWaiting {
      texts.append((hash, text))
      return nil
    }
    return count == 1 ? text : nil
  }

  /// The lines to print at the end of the run. Nothing is left then.
  mutating func takeRest() -> [String] {
    defer { texts = [] }
    return texts.map { hash, text in
      let count = counts[hash] ?? 1
      if waits { return count == 1 ? text : "\(text) (\(Amount.grouped(count)) times)" }
      return count == 2 ? "once more: \(text)" : "\(Amount.grouped(count - 1)) more times: \(text)"
    }
  }
}
