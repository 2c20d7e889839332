// The work is done on the fetcher's disk threads, one image a thread; memory for pixels is shared by all of them, so that they
// wait for each other rather than take more than there is.
extension ImageTransform: Derivation {
  package func applies(
    to facts: ImageFacts, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> Bool {
    do { return try plan(for: facts, PixelLimits(maxPixels: maximumPixels)) != nil } catch {
      throw error.fetchError(of: subject)
    }
  }

  package func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage {
    do { return try apply(to: image.body, image.facts, PixelLimits(maxPixels: maximumPixels)) } catch {
      throw error.fetchError(of: subject)
    }
  }
}
