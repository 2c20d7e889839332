/// Applies a transform to images before they are delivered.
///
/// Called on the fetcher's disk threads, one image per thread. They share the memory for pixels, and wait for each
/// other to stay within it.
package struct TransformDerivation: Derivation {
  package let transform: ImageTransform
  /// The executor, or nil until it is set by ``decoding(by:)``.
  private let executor: (any PixelExecutor)?

  package init(_ transform: ImageTransform, executor: (any PixelExecutor)? = InProcessExecutor()) {
    self.transform = transform
    self.executor = executor
  }

  /// The same, done by this executor unless another was given.
  package func decoding(by executor: any PixelExecutor) -> TransformDerivation {
    TransformDerivation(transform, executor: self.executor ?? executor)
  }

  package func within(_ scope: PixelScope) -> any Derivation {
    TransformDerivation(transform, executor: executor?.within(scope))
  }

  package var signature: UInt64 { transform.signature }

  package func applies(
    to facts: ImageFacts, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> Bool {
    do { return try transform.plan(for: facts, limits(maximumPixels)) != nil } catch {
      throw error.fetchError(of: subject)
    }
  }

  package func expected(of facts: ImageFacts, maximumPixels: Int64) -> ImageFacts? {
    guard let plan = try? transform.plan(for: facts, limits(maximumPixels)) else { return nil }
    var expected = facts
    expected.format = transform.format(for: facts)
    (expected.width, expected.height) = (plan.result.width, plan.result.height)
    return expected
  }

  package func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage {
    do { return try transform.apply(to: image.body, image.facts, limits(maximumPixels)) } catch {
      throw error.fetchError(of: subject)
    }
  }

  package func result(
    of image: InspectedImage, describing wanted: ImageDetailSet, maximumPixels: Int64
  ) -> DescribedResult? {
    (try? transform.apply(to: image, describing: wanted, limits(maximumPixels))) ?? nil
  }

  private func limits(_ maximumPixels: Int64) -> PixelLimits {
    PixelLimits(maxPixels: maximumPixels, executor: executor ?? InProcessExecutor())
  }
}
