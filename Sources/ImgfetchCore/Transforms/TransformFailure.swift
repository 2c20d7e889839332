/// Why an image could not be turned into what was asked for. `description` is a clause that can follow a URL or file name
/// and a colon.
package enum TransformFailure: Error, Sendable, Hashable {
  /// Its pixels cannot be had, or not be written.
  case pixels(PixelFailure)
  /// The part to cut out lies outside of the picture.
  case emptyCrop(Crop, of: PixelSize)
  /// The result would have more pixels than are allowed.
  case tooLarge(PixelSize, limit: Int64)
}

extension TransformFailure {
  /// What the failure is called in reports, said of the URL that the image came from.
  package func fetchError(of subject: String) -> FetchError {
    switch self {
    case .pixels(let failure): failure.fetchError(of: subject)
    case .emptyCrop, .tooLarge: FetchError(.limit, subject, description)
    }
  }
}

extension TransformFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .pixels(let failure): "\(failure)"
    case .emptyCrop(let crop, let size):
      "nothing can be cut out at +\(crop.x ?? 0)+\(crop.y ?? 0) of \(size.width)x\(size.height) pixels"
    case .tooLarge(let size, let limit):
      "\(size.width)x\(size.height) pixels would be more than the limit of \(limit) pixels"
    }
  }
}
