import Foundation
import ImgfetchCore
import TestSupport

/// The library by itself, with a transport that answers from a table: hits a second from memory, images from disk one
/// after another and all at once, and the cost of a cancelled request.
struct LibraryRun {
  /// A folder for the cache on disk.
  let folder: String

  private static let count = 1_000
  private static let hits = 200_000
  /// The tasks that ask for images at once.
  private static let tasks = 50

  private static func requests(_ count: Int) throws -> [FetchRequest] {
    try (0..<count).map { try FetchRequest(url: "http://pictures.test/\($0).jpg", tag: $0) }
  }

  private static let table = AnswerTable { _ in AnswerTable.Answer(body: TestImages.jpeg(width: 16, height: 16)) }

  func run() async throws {
    let (all, each) = try await fromMemory()
    print("memory-fetchAll \(Int(all))\nmemory-image \(Int(each))")
    let (serial, atOnce) = try await fromDisk()
    print("disk-serial \(serial)\ndisk-at-once \(atOnce)")
    for count in [4_000, 40_000] {
      var times: [Double] = []
      for _ in 0..<5 { times.append(try await cancelling(count)) }
      print("cancel-\(count) \(times.sorted()[2])")
    }
  }

  private func fromMemory() async throws -> (all: Double, each: Double) {
    var configuration = Fetcher.Configuration()
    configuration.memoryLimit = 64 << 20
    let fetcher = Fetcher(configuration, answers: Self.table)
    let requests = try Self.requests(Self.count)
    fetcher.fetchAll(requests) { _ in }
    var begin = ContinuousClock.now
    fetcher.fetchAll((0..<Self.hits).lazy.map { requests[$0 % Self.count] }) { _ in }
    let all = Double(Self.hits) / ((ContinuousClock.now - begin) / .seconds(1))
    begin = .now
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<Self.tasks {
        group.addTask {
          for at in 0..<Self.hits / 2 / Self.tasks {
            _ = try? await fetcher.image(for: requests[(at * Self.tasks + part) % Self.count])
          }
        }
      }
    }
    let each = Double(Self.hits / 2) / ((ContinuousClock.now - begin) / .seconds(1))
    await fetcher.close()
    return (all, each)
  }

  private func fromDisk() async throws -> (serial: Double, atOnce: Double) {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder
    configuration.memoryLimit = 0
    let fetcher = Fetcher(configuration, answers: Self.table)
    let requests = try Self.requests(4 * Self.count)
    fetcher.fetchAll(requests) { _ in }
    var (serial, atOnce): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
      var begin = ContinuousClock.now
      for request in requests { _ = try await fetcher.image(for: request) }
      serial.append((ContinuousClock.now - begin) / .seconds(1))
      begin = .now
      await withTaskGroup(of: Void.self) { group in
        for request in requests { group.addTask { _ = try? await fetcher.image(for: request) } }
      }
      atOnce.append((ContinuousClock.now - begin) / .seconds(1))
    }
    await fetcher.close()
    return (serial.sorted()[2], atOnce.sorted()[2])
  }

  /// Microseconds for each of so many requests, cancelled in random order.
  private func cancelling(_ count: Int) async throws -> Double {
    let blocker = "http://pictures.test/blocker"
    let table = AnswerTable { request in
      let answer = AnswerTable.Answer(body: TestImages.jpeg(width: 16, height: 16))
      return request.url == blocker ? answer.held : answer
    }
    var configuration = Fetcher.Configuration()
    configuration.jobs = 1
    let fetcher = Fetcher(configuration, answers: table)
    fetcher.submit(try FetchRequest(url: blocker)) { _ in }
    let numbers = try Self.requests(count).map { request in fetcher.submit(request) { _ in } }.shuffled()
    let begin = ContinuousClock.now
    for number in numbers { fetcher.cancel(number) }
    let time = (ContinuousClock.now - begin) / .microseconds(count)
    table.release(blocker)
    fetcher.wait()
    await fetcher.close()
    return time
  }
}
