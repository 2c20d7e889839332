/// The time that a helper process may take for an image.
struct DecodingTime {
  /// Seconds on a processor.
  let processor: Int64
  /// Seconds by the clock: on a busy machine a process gets a part of a processor.
  var wall: Int64 { 4 * processor }

  /// - Parameter seconds: The time for further work on the image.
  init(_ facts: ImageFacts, besides seconds: Int64 = 0) {
    let area = Int64(facts.width).multipliedReportingOverflow(by: Int64(facts.height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, facts.frames)))
    let pixels = area.overflow || all.overflow ? Int64.max : all.partialValue
    // The time for a drawing does not depend on its size.
    let own = facts.format == .svg ? 0 : pixels / Self.pixelsInASecond
    processor = Self.least + own + seconds
  }

  private static let least: Int64 = 10
  private static let pixelsInASecond: Int64 = 10_000_000

  func patience(from began: Instant, _ scope: PixelScope) -> HelperProcess.Patience {
    HelperProcess.Patience(end: began + .seconds(Double(wall)), deadline: scope.deadline)
  }
}
