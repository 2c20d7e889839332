import Testing

@testable import ImgfetchCore

@Suite("A reception")
struct BodyQueueTests {
  private func head() throws -> AnswerHead {
    AnswerHead(
      url: try WebURL("http://h/a"), status: 200, fields: HeaderFields(), contentLength: nil,
      requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
  }

  @Test("has a body that comes whole taken once, at its end")
  func wholeBody() throws {
    let reception = BodyQueue(part: nil)
    #expect(reception.add(.begin(try head(), isNotable: false, mirrors: [])) == .queued)
    #expect(reception.add(.lastBytes([1, 2])) == .queued)
    #expect(reception.add(.end(.complete)) == .needsTaking)
    #expect(reception.take()?.map(\.size) == [0, 2, 0])
    #expect(reception.take()?.count == nil)
  }

  @Test("has a body that comes in pieces taken from the first piece on")
  func pieces() throws {
    let reception = BodyQueue(part: nil)
    #expect(reception.add(.begin(try head(), isNotable: false, mirrors: [])) == .queued)
    #expect(reception.add(.bytes([1, 2])) == .needsTaking)
    #expect(reception.add(.bytes([3])) == .queued)
    #expect(reception.take()?.count == 3)
    #expect(reception.add(.lastBytes([4])) == .queued)
    #expect(reception.take()?.count == 1)
    #expect(reception.take()?.count == nil)
    #expect(reception.add(.end(.complete)) == .needsTaking)
  }

  @Test("says how many bytes it lets go of when it closes, and takes no more")
  func closing() throws {
    let reception = BodyQueue(part: nil)
    _ = reception.add(.begin(try head(), isNotable: false, mirrors: []))
    _ = reception.add(.bytes([1, 2]))
    _ = reception.add(.lastBytes([3]))
    #expect(reception.close() == 3)
    #expect(reception.add(.bytes([4])) == .closed)
  }
}
