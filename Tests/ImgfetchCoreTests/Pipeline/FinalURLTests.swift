import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("The URL that answered") struct FinalURLTests {
  @Test(
    "Is told as it was typed, but always with its scheme",
    arguments: [
      ("a.example/a.jpg", "https://a.example/a.jpg"), ("a.example:8080/a.jpg", "https://a.example:8080/a.jpg"),
      ("HTTP://a.example/x/../a.jpg", "HTTP://a.example/x/../a.jpg"),
    ])
  func scheme(_ typed: String, _ told: String) throws {
    let stage = StagedPipeline()
    defer { stage.close() }
    stage.transport.respond = { _ in .ok(TestImages.jpeg(width: 20, height: 10)) }
    try stage.submit(typed)
    stage.drive(until: { stage.results.count == 1 })
    #expect(stage.results.first?.finalURL == told)
    #expect(stage.results.first?.url == typed)
  }
}
