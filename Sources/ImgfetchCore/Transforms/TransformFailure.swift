/// The reason why an image could not be transformed. `description` is a clause to follow a URL
/// or file name and a colon.
package enum TransformFailure: Error, Sendable, Hashable {
  /// The pixels of the image could not be decoded or encoded.
  case pixels(PixelFailure)
  /// The part to cut out is outside the picture.
  case emptyCrop(Crop, of: PixelSize)
  /// The result would have more pixels than allowed.
  case tooLarge(PixelSize, limit: Int64)
  /// A side of the result would be longer than its format allows.
  case tooLong(PixelSize, ImageFormat)
}

extension TransformFailure {
  /// The failure as it is reported, about the URL that the image came from.
  package func fetchError(of subject: String) -> FetchError {
    switch self {
    case .pixels(let failure): failure.fetchError(of: subject)
    case .emptyCrop, .tooLong: FetchError(.limit, subject, description)
    case .tooLarge: FetchError(.limit, subject, description, remedy: .allowMorePixels)
    }
  }
}

extension TransformFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .pixels(let failure): "\(failure)"
    case .emptyCrop(let crop, let size):
      "the part at +\(crop.x ?? 0)+\(crop.y ?? 0) lies outside of its \(size.width)x\(size.height) pixels"
    case .tooLarge(let size, let limit):
      "\(size.width)x\(size.height) pixels would be more than the limit of \(limit) pixels"
    case .tooLong(let size, let format):
      "\(format.displayName) has sides of \(format.traits.longestSide) pixels at most, and it would have "
        + "\(size.width)x\(size.height); --resize makes it smaller"
    }
  }
}
