import Foundation

/// Where the random numbers of a test begin: elsewhere each time, or where `TEST_SEED` says.
///
/// Whatever fails in a walk says the seed, so that it can be walked again: what it does must hang on nothing else that
/// changes from run to run, such as the order of a dictionary.
package struct Seed: Sendable, CustomStringConvertible {
  package let number: UInt64

  /// - Parameter usual: where they begin unless `TEST_SEED` says otherwise; nil: elsewhere each time.
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
