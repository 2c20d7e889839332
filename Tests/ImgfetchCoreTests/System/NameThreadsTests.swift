import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("NameThreads: threads that look up names") struct NameThreadsTests {
  private let answers = Guarded<[NameAnswer]>([])

  private func threads(
    isReachable: Bool = true, _ lookUp: @escaping NameThreads.LookUp
  ) -> NameThreads {
    NameThreads(patience: .seconds(1), clock: SystemClock(), isReachable: { isReachable }, lookUp: lookUp)
  }

  private func take(_ answer: NameAnswer) {
    answers.withLock { $0.append(answer) }
    answers.broadcast()
  }

  private func wait(for count: Int) -> [NameAnswer] {
    answers.wait(until: SystemClock().now() + .seconds(30)) { $0.count >= count ? $0 : nil } ?? []
  }

  @Test("Each question has one answer")
  func all() {
    let threads = threads { .found([$0]) }
    for number in 0..<2000 { threads.look(up: "\(number)", take: take) }
    #expect(Set(wait(for: 2000)) == Set((0..<2000).map { .found(["\($0)"]) }))
    threads.close()
  }

  @Test("A question waits for no other")
  func parallel() {
    let arrived = Guarded(0)
    let threads = threads { _ in
      // Each ends when all twenty have begun.
      arrived.withLock { $0 += 1 }
      arrived.broadcast()
      _ = arrived.wait { $0 == 20 ? true : nil }
      return .absent
    }
    for number in 0..<20 { threads.look(up: "\(number)", take: take) }
    #expect(wait(for: 20).count == 20)
    threads.close()
  }

  @Test("A failure means that no name server can be reached only while no look-up is answered")
  func isolation() {
    let threads = threads(isReachable: false) { $0 == "good" ? .found(["192.0.2.1"]) : .failed(.noAnswer) }
    threads.look(up: "bad", take: take)
    #expect(wait(for: 1) == [.failed(.unreachable)])
    threads.look(up: "good", take: take)
    _ = wait(for: 2)
    threads.look(up: "bad", take: take)
    #expect(wait(for: 3).last == .failed(.noAnswer))
    threads.close()
  }

  @Test("The system's resolver knows addresses, and names from /etc/hosts")
  func system() {
    #expect(NameLookup.addresses(of: "127.0.0.1", .any) == .found(["127.0.0.1"]))
    #expect(NameLookup.addresses(of: "127.0.0.1", .v6) == .absent)
    guard case .found(let addresses) = NameLookup.addresses(of: "localhost", .v4) else {
      Issue.record("localhost has no address")
      return
    }
    #expect(addresses == ["127.0.0.1"])
  }
}
