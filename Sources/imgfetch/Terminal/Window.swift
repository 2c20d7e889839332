import ImgfetchCore

/// The window of a terminal. Asked anew each time: it may be resized at any moment.
struct Window: Sendable {
  private let descriptor: Int32
  /// What `COLUMNS` says, which counts for more than the window itself: somebody set and exported it.
  private let wish: Int?

  init(_ descriptor: Int32, _ environment: Environment) {
    self.descriptor = descriptor
    wish = environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...Self.most).contains($0) ? $0 : nil }
  }

  /// No window is wider; a number that is larger is a mistake.
  private static let most = 10_000

  /// Its width in cells; nil where nobody knows.
  var columns: Int? { wish ?? Surroundings.terminalColumns(descriptor) }

  /// Its height in lines; nil where nobody knows.
  var rows: Int? { Surroundings.terminalRows(descriptor) }
}
