import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, where the machine has not what it needs.
  static func needs(_ need: Need) -> Self { .enabled(if: need.isMet, Comment(rawValue: need.reason)) }
}
