import TestSupport
import Testing

@testable import ImgfetchCore

/// Holds each disk thread that brings it an image, until it is opened.
private final class Gate: ImageSink {
  private struct State {
    var arrived = 0
    var isOpen = false
  }
  private let state = Guarded(State())
  private let arrival: @Sendable () -> Void

  init(arrival: @escaping @Sendable () -> Void) { self.arrival = arrival }

  var arrived: Int { state.withLock { $0.arrived } }

  func open() {
    state.withLock { $0.isOpen = true }
    state.broadcast()
  }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    state.withLock { $0.arrived += 1 }
    arrival()
    _ = state.wait { $0.isOpen ? true : nil }
    return Delivery(output: nil, isNew: true)
  }
}

/// Bodies that wait for a disk thread are bounded, however small each one is.
@Suite("While the disk threads are behind") struct BacklogTests {
  private let image = TestImages.jpeg(width: 20, height: 10)

  @Test("no further image is asked for")
  func noFurtherImage() throws {
    let stage = StagedPipeline {
      $0.admission.jobs = 1
      $0.backlog = 1
    }
    let transport = stage.transport
    let gate = Gate { [stage] in _ = stage.post { _ in } }
    defer {
      gate.open()
      stage.close()
    }
    for number in 1...3 { try stage.submit("http://a.example/\(number).jpg") { $0.sink = gate } }
    stage.drive(until: { transport.open.count == 1 && stage.lettersRead >= 3 })
    transport.answer(try #require(transport.open.first?.id), with: .ok(image))
    // The only disk thread has it. No time passes in which that would fall behind, so there is no second one.
    stage.drive(until: { gate.arrived == 1 && transport.open.count == 1 })
    let second = try #require(transport.open.first?.id)
    transport.answer(second, with: .ok(image))
    stage.drive(until: { transport.open.first?.id != second })
    #expect(transport.open.isEmpty)
    gate.open()
    stage.drive(until: { transport.open.count == 1 })
    transport.answer(try #require(transport.open.first?.id), with: .ok(image))
    stage.drive(until: { stage.results.count == 3 })
    #expect(stage.results.allSatisfy { $0.error == nil })
  }
}
