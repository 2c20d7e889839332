import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips the test, and says so, if the machine does not meet its need.
  static func needs(_ need: Need) -> Self { .enabled(if: need.isMet, Comment(rawValue: need.reason)) }
}
