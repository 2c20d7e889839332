import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A remote cache that does anything") struct LyingStoreTests {
  /// The ways in which a store can answer a request.
  private enum Lie: CaseIterable {
    case truth, missing, cut, shorter, flipped, swapped, empty, page, refusal, redirect, busy, failure, reset, garbage,
      endless
  }

  private static let images = 6

  /// Rounds: some in each run of the tests, and as many as `TEST_ROUNDS` says in a longer one.
  private static let rounds = ProcessInfo.processInfo.environment["TEST_ROUNDS"].flatMap { Int($0) } ?? 12

  private let origin: TestServer
  private let store: S3Server
  private let elsewhere: TestServer

  init() throws {
    origin = try TestServer()
    origin.onOther { request in
      .ok(TestImages.jpeg(width: 8 + (Int(request.path.filter(\.isNumber)) ?? 0), height: 8), type: "image/jpeg")
    }
    store = try S3Server()
    elsewhere = try TestServer(host: "127.0.0.8")
  }

  private func answer(
    _ lie: Lie, _ request: TestServer.Request, _ object: [UInt8]?, other: [UInt8], at place: Int
  ) -> TestServer.Response? {
    typealias Response = TestServer.Response
    let object = object ?? []
    let place = place % max(1, object.count)
    switch lie {
    case .truth: return nil
    case .missing: return Response.status(404)
    case .cut: return Response.ok(object).cutAfter(place)
    case .shorter: return Response.ok(Array(object.prefix(place)))
    case .flipped: return Response.ok(object.enumerated().map { $0 == place ? $1 ^ UInt8(1 << (place & 7)) : $1 })
    case .swapped: return Response.ok(other)
    case .empty: return Response.ok([])
    case .page: return Response.ok(Array("<!DOCTYPE html><title>Sign in</title>".utf8), type: "text/html")
    case .refusal: return Response.status(403)
    case .redirect: return Response.redirect(to: elsewhere.url("/x"), status: 301)
    case .busy: return Response.busy(429, retryAfter: "3600")
    case .failure: return Response.status(500)
    case .reset: return Response.ok([1, 2, 3]).resetAfter(1)
    case .garbage: return Response.raw("what is this\r\n\r\n")
    case .endless: return Response.ok(object).withoutLength().endless([0])
    }
  }

  @Test("Every image is right, no secret leaves, and a run never fails, whatever the store does")
  func rounds() throws {
    let seed = Seed()
    for round in 0..<Self.rounds {
      var random = seed.random(for: round)
      let program = try Program()
      let lies = (0..<64).map { _ in
        Bool.random(using: &random) ? Lie.truth : Lie.allCases.randomElement(using: &random) ?? .truth
      }
      let places = (0..<64).map { _ in Int.random(in: 0..<100_000, using: &random) }
      let urls = (0..<Self.images).map { origin.url("/\(round)-\($0).jpg") }
      try program.folder.write("work/list.txt", urls.joined(separator: "\n"))
      let count = Mutex(0)
      store.answer { [self] request, object in
        let at = count.withLock { count in
          count += 1
          return count % lies.count
        }
        return answer(lies[at], request, object, other: store.names.first.flatMap { store[$0] } ?? [], at: places[at])
      }
      for machine in ["a", "b", "c"] {
        let outcome = try program.run(
          [
            "get", "-i", "list.txt", "-d", "out-\(machine)", "--cache-dir", "cache-\(machine)", "--remote-cache",
            "s3://images/a", "--remote-cache-timeout", "60s", "--remote-cache-wait", "60s", "-j", "1", "--max-bytes",
            "1M",
          ], environment: store.environment)
        #expect(outcome.exitCode == 0, "\(seed), round \(round): \(outcome)")
        #expect(outcome.lines.count == Self.images, "\(seed), round \(round): \(outcome)")
        #expect(outcome.errorText.split(separator: "\n").count <= 2, "\(seed), round \(round): \(outcome)")
        for number in 0..<Self.images {
          let wanted = TestImages.jpeg(width: 8 + round * 10 + number, height: 8)
          let name = "work/out-\(machine)/\(round)-\(number).jpg"
          #expect(program.folder.read(name) == wanted, "\(seed), round \(round): \(name)")
        }
        #expect(elsewhere.requests.isEmpty && store.refusals.isEmpty, "\(seed), round \(round)")
      }
    }
    #expect(origin.requests.allSatisfy { $0["Authorization"] == nil })
  }
}
