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
