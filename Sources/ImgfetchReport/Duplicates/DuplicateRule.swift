/// The rule by which two images are the same.
package enum DuplicateRule: Sendable, Hashable {
  case bytes
  case looks(LooksRule)

  /// `bytes`, `looks`, `looks:6`, or nil if the text is none of them.
  package init?(_ text: String) {
    switch text {
    case "bytes": self = .bytes
    case "looks": self = .looks(LooksRule())
    default:
      guard text.hasPrefix("looks:"), let bits = Int(text.dropFirst(6)), (0...8).contains(bits),
        text.utf8.count == 7
      else { return nil }
      self = .looks(LooksRule(bits: bits))
    }
  }

  package var text: String {
    switch self {
    case .bytes: "bytes"
    case .looks(let rule): rule == LooksRule() ? "looks" : "looks:\(rule.bits)"
    }
  }
}
