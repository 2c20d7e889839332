import TestSupport
import Testing

@testable import ImgfetchCore

/// Servers that drip, in invented time.
@Suite("Stragglers give their places back") struct StragglerPlaceTests {
  /// A stage in which `drip.example` sends a byte a second, and all others an image at once.
  private func stage(jobs: Int) -> StagedPipeline {
    let stage = StagedPipeline {
      $0.admission.jobs = jobs
      $0.stragglers.jobs = jobs
      $0.stragglers.beside = jobs
    }
    let image = TestImages.jpeg(width: 20, height: 10)
    stage.transport.respond = { $0.url.hasPrefix("http://drip.example/") ? nil : .ok(image) }
    stage.transport.readings = { _ in
      TransferReading(received: stage.clock.now().nanoseconds / 1_000_000_000)
    }
    return stage
  }

  /// Lets time pass until `count` results are there, or it is over. The head of each dripping answer comes at once.
  private func drive(_ stage: StagedPipeline, to count: Int, of flights: Int, atMost seconds: Double = 1000) {
    stage.drive(until: { stage.lettersRead >= flights })
    let begin = stage.clock.now()
    var told: Set<TransferID> = []
    func isDripping(_ request: TransferRequest) -> Bool { request.url.hasPrefix("http://drip.example/") }
    while stage.results.count < count, (stage.clock.now() - begin).seconds < seconds {
      for request in stage.transport.open where isDripping(request) && told.insert(request.id).inserted {
        _ = stage.transport.tellHead(request.id, ResponseHead(status: 200, contentLength: 1 << 20))
      }
      // No time passes while the disk threads are at work.
      let wake = stage.drive(until: {
        stage.results.count { $0.error == nil } >= stage.transport.started.count { !isDripping($0) }
      })
      stage.clock.advance(max((wake ?? begin) - stage.clock.now(), .milliseconds(100)))
    }
  }

  @Test("Others overtake those that drip, which are broken off in the end and count as silence")
  func overtaken() throws {
    let stage = stage(jobs: 4)
    defer { stage.close() }
    let begin = stage.clock.now()
    for number in 0..<20 { try stage.submit("http://drip.example/\(number).jpg") }
    for number in 0..<10 { try stage.submit("http://b.example/\(number).jpg") }
    drive(stage, to: 10, of: 30)
    #expect(stage.results.allSatisfy { $0.error == nil && $0.url.hasPrefix("http://b.example/") })
    #expect((stage.clock.now() - begin).seconds < 25)
    drive(stage, to: 30, of: 30)
    let failed = stage.results.compactMap(\.error)
    #expect(failed.count == 20 && failed.allSatisfy { $0.isTransient && $0.reason.contains("slower than 1024 bytes") })
    #expect((stage.clock.now() - begin).seconds < 400)
  }

  @Test("Where nothing else was faster, nothing is broken off")
  func alone() throws {
    let stage = stage(jobs: 4)
    defer { stage.close() }
    for number in 0..<2 { try stage.submit("http://drip.example/\(number).jpg") }
    drive(stage, to: 1, of: 2, atMost: 300)
    #expect(stage.results.isEmpty && stage.transport.started.count == 2)
  }
}
