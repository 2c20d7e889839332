/// A transform as what is made of images on their way out, and where that is done.
///
/// The asking is done on the fetcher's disk threads, one image a thread; memory for pixels is shared by all of them, so that they
/// wait for each other rather than take more than there is.
package struct TransformDerivation: Derivation {
  private let transform: ImageTransform
  private let executor: any PixelExecutor

  package init(_ transform: ImageTransform, executor: any PixelExecutor = InProcessExecutor()) {
    self.transform = transform
    self.executor = executor
  }

  package var signature: UInt64 { transform.signature }

  package func applies(
    to facts: ImageFacts, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> Bool {
    do { return try transform.plan(for: facts, limits(maximumPixels)) != nil } catch {
      throw error.fetchError(of: subject)
    }
  }

  package func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage {
    do { return try transform.apply(to: image.body, image.facts, limits(maximumPixels)) } catch {
      throw error.fetchError(of: subject)
    }
  }

  private func limits(_ maximumPixels: Int64) -> PixelLimits {
    PixelLimits(maxPixels: maximumPixels, executor: executor)
  }
}

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
