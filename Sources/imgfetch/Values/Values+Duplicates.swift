import ImgfetchReport

extension Values {
  /// `bytes`, `looks`, `looks:N`.
  static func duplicateRule(_ text: String) throws(ValueError) -> DuplicateRule {
    guard let rule = DuplicateRule(text) else {
      let stem = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: ":") }))
      let question = stem == "looks" ? "" : Suggestion.question(for: stem, among: ["bytes", "looks"])
      throw ValueError("bytes, looks or looks:N is wanted, with N from 0 to 8" + question)
    }
    return rule
  }

  /// Words of ``duplicateRule(_:)`` for completions.
  static let duplicateRules = ["bytes", "looks", "looks:2", "looks:6"]
}
