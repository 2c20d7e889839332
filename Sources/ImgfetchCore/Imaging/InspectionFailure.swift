/// The reason why bytes are not accepted as a complete image. `description` is a clause to follow a name and a
/// colon, and is safe to print.
package enum InspectionFailure: Error, Sendable, Hashable {
  /// The body is not an image, but of this kind, or begins like this.
  case notImage(found: String)
  /// An image, document or video in a format that is not supported.
  case unsupported(name: String)
  /// The image ends before its end mark, after this many bytes.
  case truncated(ImageFormat, at: Int64)
  /// The structure of the image is invalid. The reason is a complete clause.
  case damaged(ImageFormat, at: Int64, reason: String)
  /// The image has more pixels than allowed, counted over all frames so far.
  case tooManyPixels(width: Int, height: Int, frames: Int, limit: Int64)
  /// The width or height of the image is 0.
  case noPixels(ImageFormat)
}

extension InspectionFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notImage(let found): return "not an image but \(found)"
    case .unsupported(let name): return "\(name) is not supported; \(ImageFormat.namesInWords) are"
    case .truncated(let format, let place):
      return "truncated \(format.displayName): it breaks off after \(place) byte\(place == 1 ? "" : "s")"
    case .damaged(let format, let place, let reason):
      return "damaged \(format.displayName): \(reason) (at byte \(place))"
    case .tooManyPixels(let width, let height, let frames, let limit):
      let size = frames > 1 ? "\(width)x\(height) pixels in \(frames) frames" : "\(width)x\(height) pixels"
      return "\(size) are more than the limit of \(limit) pixels"
    case .noPixels(let format): return "\(format.displayName) of no pixels: its width or height is 0"
    }
  }
}
