/// The remaining memory of a job. Its steps take what they will need before they allocate it.
struct PixelBudget {
  private(set) var left: Int64
  private let format: ImageFormat

  init(_ bytes: Int64, _ format: ImageFormat) {
    left = bytes
    self.format = format
  }

  /// Takes memory from the budget, or fails.
  ///
  /// - Parameter use: the purpose of the memory, as the subject of a sentence.
  mutating func take(_ bytes: Int64, for use: String) throws(PixelFailure) {
    guard bytes <= left else { throw .tooLarge(format, reason: "\(use) needs more memory than there is for it") }
    left -= max(0, bytes)
  }
}
