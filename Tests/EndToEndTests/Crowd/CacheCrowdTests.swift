import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// Sixteen processes, some of which are killed, and cleaners beside them, with a correct and a faulty server.
/// `Scripts/soak` runs the same for any time.
///
/// The seed determines what each process does and what the server answers, but not the order of events.
@Suite("Many processes on one cache", .serialized) struct CacheCrowdTests {
  @Test(
    "Delivered images are right, nothing is damaged, the ledger is right but for the killed, the limit holds",
    arguments: Crowd.Manners.allCases)
  func crowd(_ manners: Crowd.Manners) throws {
    let seconds = ProcessInfo.processInfo.environment["TEST_SOAK_SECONDS"].flatMap { Double($0) }
    let seed = Seed(usual: seconds == nil ? 1 : nil)
    if seconds != nil { print("\(manners) manners, \(seed)") }
    let crowd = try Crowd(images: 120, manners, seed)
    let end = seconds.map { SystemClock().now() + .seconds($0 / Double(Crowd.Manners.allCases.count)) }
    try together(17) { number in
      var random = seed.random(for: number)
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
    crowd.behave()
    let found = crowd.findings
    #expect(found.failures.isEmpty, "\(seed)")
    #expect(found.kills > 0)
    #expect(found.files > 0)
    try checkCache(of: crowd, seed)
    if seconds != nil {
      print(
        "\(manners) manners, \(seed): \(found.runs) runs, \(found.kills) of them killed; \(found.files) files compared, "
          + "\(found.bytes) bytes; \(found.missed) images not to be had")
    }
  }

  private func checkCache(of crowd: Crowd, _ seed: Seed) throws {
    let verified = try crowd.program.run("cache", "verify")
    #expect(verified.exitCode == 0, "\(seed): \(verified)")
    let noted = try crowd.size()
    let counted = try crowd.size("--exact")
    // Each disk thread of a killed process may have been between a change and its note.
    let kills = crowd.findings.kills
    #expect(abs(noted.entries - counted.entries) <= 2 * kills, "\(seed): \(noted), \(counted)")
    if kills == 0 { #expect(noted == counted) }
    let limit = crowd.limit
    _ = try crowd.program.run("prefetch", "--max-size", "\(limit)", "--cache", "reload", crowd.url(0))
    let last = try crowd.size("--exact")
    #expect(last.bytes <= limit, "\(seed): \(last)")
    #expect(last.entries > 0)
    #expect(try crowd.size() == last)
    // Leftovers of killed processes are removed or identified, and in no other process's way.
    #expect(try crowd.program.run("cache", "clear").exitCode == 0)
    let left = crowd.program.folder.files(in: "home/.cache/imgfetch/v1/default")
    #expect(left == ["ledger"])
  }
}
