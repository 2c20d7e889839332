import ImgfetchCore

/// The window of a terminal. Its size is read each time, since it may change at any moment.
struct Window: Sendable {
  private let descriptor: Int32
  /// The value of `COLUMNS`, which takes precedence over the window: the user has exported it.
  private let requested: Int?

  init(_ descriptor: Int32, _ environment: Environment) {
    self.descriptor = descriptor
    requested = environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...Self.most).contains($0) ? $0 : nil }
  }

  /// No window is wider; a larger number is a mistake.
  private static let most = 10_000

  /// The width in cells; nil if unknown.
  var columns: Int? { requested ?? ProcessEnvironment.terminalColumns(descriptor) }

  /// The height in lines; nil if unknown.
  var rows: Int? { ProcessEnvironment.terminalRows(descriptor) }
}
