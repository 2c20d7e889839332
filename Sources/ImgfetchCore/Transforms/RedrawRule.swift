/// Decides when redrawing an image that is still arriving is worthwhile. A pure value: times are passed in.
package struct RedrawRule: Sendable, Hashable {
  package enum Decision: Sendable, Hashable {
    case draw
    /// Draw the new rows at that time, with those that come until then.
    case wait(until: Instant)
    /// Draw nothing: no visible change has come since.
    case nothing
  }

  /// Ten a second: more is not seen, and costs the processor and the line to the terminal.
  static let interval = Instant.Span.milliseconds(100)
  /// Drawing takes at most a fifth of the time, however large the image is: a slow one is drawn less often.
  static let restPerWork: Int64 = 4
  /// The most steps in which a refining scan is drawn.
  static let stepsOfScan = 8

  /// Rows of the picture on the screen.
  private let rows: Int
  private var drawn = ComingProgress()
  private var earliest: Instant?

  /// - Parameter rows: Rows of the picture on the screen.
  package init(rows: Int) { self.rows = max(1, rows) }

  package func decide(_ progress: ComingProgress, at now: Instant) -> Decision {
    guard isNew(progress) else { return .nothing }
    guard let earliest, earliest > now else { return .draw }
    return .wait(until: earliest)
  }

  /// Notes that a picture was drawn.
  package mutating func drew(_ progress: ComingProgress, from begin: Instant, to end: Instant) {
    drawn = progress
    let rest = Instant.Span(nanoseconds: max(0, (end - begin).nanoseconds) * Self.restPerWork)
    earliest = max(begin + Self.interval, end + rest)
  }

  private func isNew(_ progress: ComingProgress) -> Bool {
    guard progress.pass > 0, progress.height > 0 else { return false }
    if progress.pass != drawn.pass, drawn.pass > 0 || progress.pass > 1 { return true }
    // A row of the first pass is seen once it fills one of the screen; later ones change the picture a little.
    let steps = progress.pass == 1 ? rows : min(rows, Self.stepsOfScan)
    func step(_ count: Int) -> Int { Int(Int64(count) * Int64(steps) / Int64(progress.height)) }
    return step(progress.rows) > step(drawn.rows) || (progress.rows >= progress.height && drawn.rows < progress.height)
  }
}
