extension Typed {
  /// The command that the words name so far, for the sake of better messages; nil while that is not clear.
  static func guess(_ words: [String]) -> Command? { try? command(words).command }

  /// Splits the words that are no options into the command and its operands.
  static func command(_ words: [String]) throws(UsageError) -> (command: Command?, operands: [String]) {
    guard let first = words.first else { return (nil, []) }
    if first == "cache" {
      guard words.count > 1 else {
        throw UsageError(
          "'cache' needs to be told what to do: \(cacheWords.joined(separator: ", "))", help: "imgfetch cache -h")
      }
      let second = words[1]
      guard let command = Command.allCases.first(where: { $0.cacheWord == second }) else {
        throw UsageError(
          "'cache' cannot '\(second)'"
            + (Suggestion.nearest(to: second, among: cacheWords).isEmpty
              ? "; it can \(cacheWords.joined(separator: ", "))" : Suggestion.question(for: second, among: cacheWords)),
          help: "imgfetch cache -h")
      }
      return (command, Array(words.dropFirst(2)))
    }
    if let command = Command.allCases.first(where: { $0.words == first && $0.cacheWord == nil }) {
      return (command, Array(words.dropFirst()))
    }
    if first.contains(":") || first.contains(".") {
      throw UsageError("there is no command '\(first)'; to fetch it: imgfetch get \(first)")
    }
    let hint = foreignHint(command: first)
    throw UsageError(
      "there is no command '\(first)'" + (hint.isEmpty ? Suggestion.question(for: first, among: topWords) : hint))
  }

  /// The second words of `cache`.
  static var cacheWords: [String] { Command.allCases.compactMap(\.cacheWord) }

  /// The first words.
  static var topWords: [String] { Command.allCases.filter { $0.cacheWord == nil }.map(\.words) + ["cache"] }
}
