import ImgfetchCore

/// Suggests words for a misspelt one.
enum Suggestion {
  /// The candidates nearest to `word` by edit distance, else those that begin with it: a prefix is not accepted as an
  /// option, but users type it.
  ///
  /// A word of up to four letters may be one edit away, a longer one two, one of ten or more letters three.
  static func nearest(to word: String, among candidates: [String]) -> [String] {
    // No name is longer.
    let letters = Array(word.utf8.prefix(64))
    guard !letters.isEmpty else { return [] }
    var best = letters.count <= 4 ? 1 : letters.count < 10 ? 2 : 3
    var nearest: [String] = []
    for candidate in candidates {
      let distance = distance(letters, Array(candidate.utf8))
      guard distance <= best else { continue }
      if distance < best { nearest = [] }
      best = distance
      nearest.append(candidate)
    }
    if nearest.isEmpty && letters.count >= 3 { nearest = candidates.filter { $0.hasPrefix(word) } }
    return Array(nearest.sorted().prefix(3))
  }

  /// `; did you mean a, b or c?`, or nothing. Each suggestion is shown after `lead`.
  static func question(for word: String, among candidates: [String], lead: String = "") -> String {
    let words = nearest(to: word, among: candidates).map { lead + $0 }
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
