import Foundation

/// The seed of a test's random numbers: a new one each time, or that of `TEST_SEED`.
///
/// Every failure in a walk names the seed, so that the walk can be repeated. So it must depend on nothing else that
/// changes from run to run, such as the order of a dictionary.
package struct Seed: Sendable, CustomStringConvertible {
  package let number: UInt64

  /// - Parameter usual: the seed unless `TEST_SEED` gives another, or nil for a new one each time.
  package init(usual: UInt64? = nil) {
    let wanted = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
    number = wanted ?? usual ?? .random(in: .min ... .max)
  }

  /// The numbers of one walk among several that begin at this seed.
  package func random(for walk: Int = 0) -> SeededRandom {
    SeededRandom(seed: number &+ UInt64(truncatingIfNeeded: walk))
  }

  package var description: String { "TEST_SEED=\(number)" }
}
