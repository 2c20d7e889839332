import Foundation
import TestSupport
import Testing

/// Each target reads its seeds and thousands of mutations of them, the same ones each time. `Scripts/fuzz` does it for
/// as long as one likes, led by what parts of the code an input reaches.
@Suite("Fuzzing") struct ReplayTests {
  /// A few seconds in all; `FUZZ_ROUNDS` for more.
  private static let rounds = ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? 400
  private static let seed = Seed(usual: 1)
  /// All of them, or the one that `FUZZ_TARGET` names.
  private static let targets = FuzzTarget.all.filter {
    ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? $0.name == $0.name
  }

  @Test("No input traps, and what is made of it is in order", arguments: targets)
  func replay(target: FuzzTarget) throws {
    let seeds = Seeds.of(target)
    #expect(!seeds.isEmpty, "\(target.name) has no seeds")
    var mutation = Mutation(seed: Self.seed.number, words: target.words, others: seeds)
    for seed in seeds {
      expectOrder(target, seed)
      for _ in 0..<max(1, Self.rounds / seeds.count) { expectOrder(target, mutation.mutated(seed)) }
    }
  }

  private func expectOrder(_ target: FuzzTarget, _ bytes: [UInt8]) {
    do { try target.read(bytes) } catch {
      Issue.record("\(target.name), \(Self.seed): \(error)\n\(Data(bytes).base64EncodedString())")
    }
  }
}
