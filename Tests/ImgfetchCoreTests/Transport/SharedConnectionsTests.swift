import Testing

@testable import ImgfetchCore

@Suite struct SharedConnectionsTests {
  @Test func requestsForOneConnectionAreBundled() {
    var shared = SharedConnections()
    #expect(shared.bundles(requests: 6) == [])
    shared.note(7)
    shared.note(7)
    #expect(shared.bundles(requests: 2) == [7])
  }

  @Test func aSingleRequestLeavesAtOnce() {
    var shared = SharedConnections()
    shared.note(7)
    #expect(shared.bundles(requests: 1) == [])
    #expect(shared.bundles(requests: 0) == [])
  }

  @Test func fewerRequestsThanConnectionsLeaveAtOnce() {
    var shared = SharedConnections()
    for socket in 7..<11 { shared.note(Int32(socket)) }
    #expect(shared.bundles(requests: 4) == [])
    #expect(shared.bundles(requests: 5) == [7, 8, 9, 10])
  }

  @Test func aClosedSocketIsIgnoredUntilItsNumberIsReused() {
    var shared = SharedConnections()
    for _ in 0..<500 { shared.note(7) }
    shared.note(8)
    shared.forget(7)
    #expect(!shared.has(7))
    #expect(shared.bundles(requests: 6) == [8])
    shared.note(7)
    #expect(shared.bundles(requests: 6) == [8, 7])
  }

  @Test func nothingIsHeldBackOnceAServerHasClosedAConnectionEarly() {
    var shared = SharedConnections()
    for _ in 0..<499 { shared.note(7) }
    shared.note(8)
    shared.forget(9)
    #expect(shared.bundles(requests: 6) == [7, 8])
    shared.forget(7)
    #expect(shared.has(8))
    #expect(shared.bundles(requests: 6) == [])
  }
}
