/// A format of the program's own, as far as verifying an image goes.
protocol OwnFormat: Sendable {
  /// True if an image that begins with these bytes has this format.
  func recognises(_ beginning: [UInt8]) -> Bool

  /// Throws if the image is not whole, or has more pixels than that.
  func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure)

  /// The same pictures as a PNG, which transforms can read.
  func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8]
}
