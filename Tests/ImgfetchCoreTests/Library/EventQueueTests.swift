import Testing

@testable import ImgfetchCore

@Suite("The events of one request, for a task that takes them slowly") struct EventQueueTests {
  private func picture(_ red: UInt8) throws -> PixelBuffer {
    try #require(PixelBuffer(width: 1, height: 1, bytes: [red, 0, 0, 255]))
  }

  private let done = ImageEvent.done(.failure(.cancelled))

  /// All that is there, in words.
  private func take(_ queue: EventQueue) -> [String] {
    let taken = Guarded<[String]>([])
    let isOpen = Guarded(true)
    while isOpen.withLock({ $0 }) {
      let before = taken.withLock { $0.count }
      queue.next { event in
        switch event {
        case .underway(let event): taken.withLock { $0.append("\(event)") }
        case .partial(let picture): taken.withLock { $0.append("partial \(picture.bytes[0])") }
        case .stored: taken.withLock { $0.append("stored") }
        case .done: taken.withLock { $0.append("done") }
        case nil: isOpen.withLock { $0 = false }
        }
      }
      if taken.withLock({ $0.count }) == before { break }
    }
    return taken.withLock { $0 }
  }

  @Test("A partial picture takes the place of the one before")
  func newestPicture() throws {
    let queue = EventQueue()
    queue.add(.partial(try picture(1)))
    queue.add(.underway(.ended(flight: 1)))
    queue.add(.partial(try picture(2)))
    queue.add(done)
    #expect(take(queue) == ["flight 1: ended", "partial 2", "done"])
  }

  @Test("The older events are lost, and never the last")
  func bounded() {
    let queue = EventQueue()
    for number: UInt64 in 0..<1000 { queue.add(.underway(.ended(flight: number))) }
    queue.add(done)
    let taken = take(queue)
    #expect(taken.count == EventQueue.limit && taken.last == "done" && taken.first == "flight 745: ended")
  }

  @Test("Nothing comes after the last event, though a thread may be decoding still")
  func nothingAfter() throws {
    let queue = EventQueue()
    queue.add(done)
    queue.add(.partial(try picture(1)))
    #expect(take(queue) == ["done"])
    #expect(take(queue) == [])
  }

  @Test("One who waits is given the next event, or told that there is none")
  func waiting() {
    let queue = EventQueue()
    let taken = Guarded<[Bool]>([])
    queue.next { event in taken.withLock { $0.append(event != nil) } }
    #expect(taken.withLock { $0 } == [])
    queue.add(.underway(.ended(flight: 1)))
    queue.next { event in taken.withLock { $0.append(event != nil) } }
    queue.cancel()
    #expect(taken.withLock { $0 } == [true, false])
  }
}
