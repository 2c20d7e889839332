/// What is left of the memory that a job was given; what its steps will hold is taken from it before they hold it.
struct PixelBudget {
  private(set) var left: Int64
  private let format: ImageFormat

  init(_ bytes: Int64, _ format: ImageFormat) {
    left = bytes
    self.format = format
  }

  /// - Parameter use: What for, as the subject of a sentence.
  mutating func take(_ bytes: Int64, for use: String) throws(PixelFailure) {
    guard bytes <= left else {
      throw .tooLarge(format, reason: "\(use) needs more memory than there is for it")
    }
    left -= max(0, bytes)
  }
}
