/// Stepped work that has begun. Must be used by one thread at a time.
package protocol PixelSteps: AnyObject {
  /// Does the next step. A question has at least one byte.
  func answer(_ question: [UInt8]) throws(PixelFailure) -> [UInt8]
}
