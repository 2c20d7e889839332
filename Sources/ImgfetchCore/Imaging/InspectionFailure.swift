/// Why bytes are not taken for a whole image. `description` says it as a clause that can follow a URL or file name and a
/// colon; words in it that came from outside are harmless to print.
package enum InspectionFailure: Error, Sendable, Hashable {
  /// Something else than an image: what it is, and how it begins.
  case notImage(found: String)
  /// An image (or a document or video), but of a format that is not accepted.
  case unsupported(name: String)
  /// It ends before its end mark, after so many bytes.
  case truncated(ImageFormat, at: Int64)
  /// Its structure is broken. The reason is a clause of its own.
  case damaged(ImageFormat, at: Int64, reason: String)
  /// More pixels (over all frames that have come so far) than are allowed.
  case tooManyPixels(width: Int, height: Int, frames: Int, limit: Int64)
  /// Its width or height is 0.
  case noPixels(ImageFormat)
}

extension InspectionFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notImage(let found):
      return "not an image but \(found)"
    case .unsupported(let name):
      return "\(name) is not supported; JPEG, PNG, GIF and WebP are"
    case .truncated(let format, let place):
      return "truncated \(format.displayName): it breaks off after \(place) byte\(place == 1 ? "" : "s")"
    case .damaged(let format, let place, let reason):
      return "damaged \(format.displayName): \(reason) (at byte \(place))"
    case .tooManyPixels(let width, let height, let frames, let limit):
      let size = frames > 1 ? "\(width)x\(height) pixels in \(frames) frames" : "\(width)x\(height) pixels"
      return "\(size) are more than the limit of \(limit) pixels"
    case .noPixels(let format):
      return "\(format.displayName) of no pixels: its width or height is 0"
    }
  }
}
