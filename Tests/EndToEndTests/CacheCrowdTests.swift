import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// Sixteen processes on one cache that has room for a tenth of what they fetch, some of them killed, cleaners beside them.
/// `Scripts/soak` has the same for as long as one likes.
@Suite("A crowd on one cache") struct CacheCrowdTests {
  /// What a crowd does and finds.
  private final class Crowd: Sendable {
    let server: TestServer
    let program: Program
    let images: [[UInt8]]
    /// A tenth of all images.
    let limit: Int
    private let found = Guarded<(failures: [String], kills: Int, runs: Int)>(([], 0, 0))

    init(images count: Int) throws {
      server = try TestServer()
      program = try Program()
      // Some stay in memory on their way to the cache, some go through a part.
      images = (0..<count).map { TestImages.jpeg(bytes: $0 % 10 == 0 ? 80_000 : 1500 + 37 * $0, seed: UInt64($0)) }
      limit = images.reduce(0) { $0 + $1.count } / 10
      for (number, image) in images.enumerated() { server.serve("/\(number).jpg", .ok(image, type: "image/jpeg")) }
    }

    var kills: Int { found.withLock { $0.kills } }
    var runs: Int { found.withLock { $0.runs } }
    var failures: [String] { found.withLock { $0.failures } }

    func fail(_ sentence: String) { found.withLock { $0.failures.append(sentence) } }

    /// One run: thirty images in any order. One in three is killed when it has told of some of them.
    func fetch(_ name: String, _ random: inout SeededRandom) throws {
      let numbers = (0..<30).map { _ in Int.random(in: images.indices, using: &random) }
      let run = try program.start(
        ["get", "-i", "-", "-d", name, "--max-size", "\(limit)", "-j", "4", "-w", "{cache} {output}\\n"])
      run.write(numbers.map { server.url("/\($0).jpg") + "\n" }.joined())
      run.closeInput()
      let isKilled = Int.random(in: 0..<3, using: &random) == 0
      if isKilled {
        for _ in 0..<Int.random(in: 0..<20, using: &random) { _ = try run.nextLine() }
        run.send(SIGKILL)
      }
      let outcome = try run.wait()
      found.withLock { found in
        found.runs += 1
        if outcome.signal != nil { found.kills += 1 }
      }
      if outcome.signal == nil, outcome.exitCode != 0 { fail("\(outcome)") }
      for file in program.folder.files(in: "work/\(name)") {
        // The temporary file of one that was killed is named as such.
        if file.hasPrefix(".imgfetch-"), outcome.signal != nil { continue }
        guard let number = Int(file.dropLast(4)), program.folder.read("work/\(name)/\(file)") == images[number] else {
          fail("\(name)/\(file) is not what was served")
          continue
        }
      }
      if outcome.signal == nil {
        for number in Set(numbers) where program.folder.read("work/\(name)/\(number).jpg") == nil {
          fail("\(number).jpg was not delivered: \(outcome)")
        }
      }
      // There is none where it was killed before it had anything.
      try? program.folder.remove("work/\(name)")
    }

    /// Cleans, counts and verifies beside the others.
    func care(_ random: inout SeededRandom) throws {
      let commands = [
        ["clean", "--max-size", "\(limit)"], ["size", "--exact"], ["verify"], ["clean", "--max-age", "0s"],
      ]
      let command = commands.randomElement(using: &random) ?? []
      let outcome = try program.run(["cache"] + command)
      // Who finds another one cleaning says so.
      let isTurnedAway = outcome.exitCode == 1 && outcome.errorText.contains("being cleaned")
      if outcome.exitCode != 0 && !isTurnedAway { fail("cache \(command): \(outcome)") }
    }

    func size(_ arguments: String...) throws -> (bytes: Int, entries: Int) {
      let row = try program.run(["cache", "size"] + arguments).rows.first ?? []
      return (Int(row.first ?? "") ?? -1, Int(row.last ?? "") ?? -1)
    }
  }

  @Test("Every image delivered is right, nothing is damaged, the ledger is right but for the killed, the limit holds")
  func crowd() throws {
    let seconds = ProcessInfo.processInfo.environment["TEST_SOAK_SECONDS"].flatMap { Double($0) }
    let seed = seconds == nil ? 1 : UInt64.random(in: .min ... .max)
    let crowd = try Crowd(images: 120)
    let end = seconds.map { SystemClock().now() + .seconds($0) }
    try together(17) { number in
      var random = SeededRandom(seed: seed &+ UInt64(number))
      var turn = 0
      repeat {
        turn += 1
        if number == 16 {
          for _ in 0..<8 { try crowd.care(&random) }
        } else {
          try crowd.fetch("out\(number)", &random)
        }
      } while end.map { SystemClock().now() < $0 } ?? (turn < 2)
    }
    #expect(crowd.failures.isEmpty, "seed \(seed)")
    #expect(crowd.kills > 0)
    let verified = try crowd.program.run("cache", "verify")
    #expect(verified.exitCode == 0, "\(verified)")
    let noted = try crowd.size()
    let counted = try crowd.size("--exact")
    // Each disk thread of a process that was killed may have been between a change and its note.
    #expect(abs(noted.entries - counted.entries) <= 2 * crowd.kills, "seed \(seed): \(noted), \(counted)")
    if crowd.kills == 0 { #expect(noted == counted) }
    _ = try crowd.program.run(
      "prefetch", "--max-size", "\(crowd.limit)", "--cache", "reload", crowd.server.url("/0.jpg"))
    let last = try crowd.size("--exact")
    #expect(last.bytes <= crowd.limit, "seed \(seed): \(last)")
    #expect(last.entries > 0)
    #expect(try crowd.size() == last)
    // What the killed have left behind has been put away or is named as what it is; none of it is in the way.
    #expect(try crowd.program.run("cache", "clear").exitCode == 0)
    let left = crowd.program.folder.files(in: "home/.cache/imgfetch/v1/default")
    #expect(left == ["ledger"])
    if seconds != nil { print("seed \(seed): \(crowd.runs) runs, \(crowd.kills) of them killed") }
  }

  /// Does something so many times at once.
  private func together(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
    let state = Guarded<(left: Int, failure: (any Error)?)>((count, nil))
    for number in 0..<count {
      _ = try Threads.start(name: "crowd-\(number)") {
        do { try work(number) } catch { state.withLock { $0.failure = error } }
        state.withLock { $0.left -= 1 }
        state.broadcast()
      }
    }
    _ = state.wait { $0.left == 0 ? true : nil }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}
