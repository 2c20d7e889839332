import ImgfetchCore

/// Suggests words for a misspelt one.
enum Suggestion {
  /// The candidates nearest to `word` by edit distance, in capitals or not. Those that begin with it come before those
  /// that are two or more edits away: a prefix is not accepted as an option, but users type it.
  ///
  /// A word of up to four letters may be one edit away, a longer one two, one of ten or more letters three, and one of
  /// a single letter none.
  ///
  /// - Parameter lead: The part at the beginning of `word` that does not count as letters, such as `no-`.
  static func nearest(to word: String, among candidates: [String], behind lead: String = "") -> [String] {
    // No name is longer.
    let letters = word.utf8.prefix(64).map(lowercase)
    let length = letters.count - lead.utf8.count
    guard length > 0 else { return [] }
    var best = length < 2 ? 0 : length <= 4 ? 1 : length < 10 ? 2 : 3
    var nearest: [String] = []
    for candidate in candidates {
      let distance = distance(letters, candidate.utf8.map(lowercase))
      guard distance <= best else { continue }
      if distance < best { nearest = [] }
      best = distance
      nearest.append(candidate)
    }
    if nearest.isEmpty || best > 1, length >= 3 {
      let longer = candidates.filter { $0.utf8.lazy.map(lowercase).starts(with: letters) }
      if !longer.isEmpty { nearest = longer }
    }
    return Array(nearest.sorted().prefix(3))
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  /// `; did you mean a, b or c?`, or nothing. Each suggestion is shown after `lead`.
  static func question(
    for word: String, among candidates: [String], behind part: String = "", lead: String = ""
  ) -> String {
    let words = nearest(to: word, among: candidates, behind: part).map { lead + $0 }
    guard let last = words.last else { return "" }
    guard words.count > 1 else { return "; did you mean \(last)?" }
    return "; did you mean \(words.dropLast().joined(separator: ", ")) or \(last)?"
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours between two words.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var older = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    for row in 1...left.count {
      var current = [Int](repeating: row, count: right.count + 1)
      for column in 1...right.count {
        let same = left[row - 1] == right[column - 1]
        var best = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (same ? 0 : 1))
        if row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1] {
          best = min(best, older[column - 2] + 1)
        }
        current[column] = best
      }
      older = previous
      previous = current
    }
    return previous[right.count]
  }
}
