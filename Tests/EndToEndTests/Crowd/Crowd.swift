import Foundation
import ImgfetchCore
import TestSupport

/// Many processes on one cache that has room for a tenth of their images, with everything they do and find.
final class Crowd: Sendable {
  /// The behaviour of the server.
  enum Manners: CaseIterable { case good, bad }

  struct Findings {
    var failures: [String] = []
    var runs = 0
    var kills = 0
    var files = 0
    var bytes = 0
    /// The number of times that a run failed to fetch an image.
    var missed = 0
  }

  let program: Program
  let images: [[UInt8]]
  /// A tenth of all images.
  let limit: Int
  private let manners: Manners
  private let moody: MoodyServer
  private let found = Guarded(Findings())

  init(images count: Int, _ manners: Manners, _ seed: Seed) throws {
    program = try Program()
    // Some stay in memory on their way to the cache, others go through a part. Each chunk of a PNG has a checksum, so
    // that no mixture of two answers passes for an image.
    images = (0..<count).map { TestImages.png(bytes: $0 % 10 == 0 ? 80_000 : 1500 + 37 * $0, seed: UInt64($0)) }
    limit = images.reduce(0) { $0 + $1.count } / 10
    self.manners = manners
    moody = MoodyServer(images, seed, server: try TestServer())
    if manners == .good { moody.behave() }
  }

  var findings: Findings { found.withLock { $0 } }

  func behave() { moody.behave() }

  func url(_ number: Int) -> String { moody.server.url("/\(number).png") }

  private func fail(_ sentence: String) { found.withLock { $0.failures.append(sentence) } }

  /// One run: thirty images in random order. One in three runs is killed after it has printed some rows.
  func fetch(_ name: String, _ random: inout SeededRandom) throws {
    let numbers = (0..<30).map { _ in Int.random(in: images.indices, using: &random) }
    // With a correct server every image is requested once, so that a second request shows an eviction.
    let policies = [[], ["--cache", "refresh"], ["--max-age", "0s"], ["--cache", "http"], ["--cache", "reload"]]
    let policy = manners == .good ? [] : policies.randomElement(using: &random) ?? []
    let patience = manners == .good ? [] : ["--timeout", "2s", "--retry", "1"]
    let run = try program.start(
      ["get", "-i", "-", "-d", name, "--max-size", "\(limit)", "-j", "4", "-w", "{cache} {output}\\n"] + policy
        + patience)
    run.write(numbers.map { url($0) + "\n" }.joined())
    run.closeInput()
    if Int.random(in: 0..<3, using: &random) == 0 {
      for _ in 0..<Int.random(in: 0..<20, using: &random) { _ = try run.nextLine() }
      run.send(SIGKILL)
    }
    let outcome = try run.wait()
    check(outcome, name, numbers)
    // There is none if the run was killed before it had anything.
    try? program.folder.remove("work/\(name)")
  }

  private func check(_ outcome: Outcome, _ name: String, _ numbers: [Int]) {
    let isKilled = outcome.signal != nil
    // A faulty server costs images, with the exit code of its fault (8: it sent a 304 without being asked).
    let allowed: [Int32] = manners == .good ? [0] : [0, 1, 3, 4, 5, 8]
    if let code = outcome.exitCode, !allowed.contains(code) { fail("\(outcome)") }
    for file in program.folder.files(in: "work/\(name)") {
      // Temporary files of killed processes are recognised by their names.
      if file.hasPrefix(".imgfetch-"), isKilled { continue }
      let bytes = program.folder.read("work/\(name)/\(file)")
      guard let number = Int(file.dropLast(4)), images.indices.contains(number), let bytes, isImage(bytes, number)
      else {
        fail("\(name)/\(file) is not what was served")
        continue
      }
      found.withLock { found in
        found.files += 1
        found.bytes += images[number].count
      }
    }
    let missing = Set(numbers).filter { program.folder.read("work/\(name)/\($0).png") == nil }
    found.withLock { found in
      found.runs += 1
      if isKilled { found.kills += 1 } else { found.missed += missing.count }
    }
    for number in missing where !isKilled && (outcome.exitCode == 0 || !outcome.errorText.contains("/\(number).png: "))
    {
      fail("\(number).png was not delivered: \(outcome)")
    }
  }

  /// A faulty server may announce less than it has. If only the checksum of the last pixels and the end mark are
  /// missing then, or a part of them, every pixel is there, and the image is accepted.
  private func isImage(_ bytes: [UInt8], _ number: Int) -> Bool {
    let tail = 4 + 12
    let image = images[number]
    if bytes == image { return true }
    return manners == .bad && bytes.count >= image.count - tail && image.starts(with: bytes)
  }

  /// Cleans, counts and verifies beside the others.
  func care(_ random: inout SeededRandom) throws {
    let commands = [
      ["clean", "--max-size", "\(limit)"], ["size", "--exact"], ["verify"], ["clean", "--max-age", "0s"],
    ]
    let command = commands.randomElement(using: &random) ?? []
    let outcome = try program.run(["cache"] + command)
    // A cleaner that finds another one at work says so.
    let isTurnedAway = outcome.exitCode == 1 && outcome.errorText.contains("being cleaned")
    if outcome.exitCode != 0 && !isTurnedAway { fail("cache \(command): \(outcome)") }
  }

  func size(_ arguments: String...) throws -> (bytes: Int, entries: Int) {
    let row = try program.run(["cache", "size"] + arguments).rows.first ?? []
    return (Int(row.first ?? "") ?? -1, Int(row.last ?? "") ?? -1)
  }
}
