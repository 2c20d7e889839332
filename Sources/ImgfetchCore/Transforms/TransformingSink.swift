/// Turns images into what is asked for, and hands the results to another sink.
///
/// The work is done on the fetcher's disk threads, one image a thread; memory for pixels is shared by all of them, so that
/// they wait for each other rather than take more than there is.
package struct TransformingSink: ImageSink {
  private let transform: ImageTransform
  private let limits: PixelLimits
  private let next: any ImageSink

  package init(_ transform: ImageTransform, limits: PixelLimits, then next: any ImageSink) {
    self.transform = transform
    self.limits = limits
    self.next = next
  }

  package func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let url = request.url.display
    let facts: ImageFacts
    if let known = image.facts { facts = known } else { facts = try inspect(image.body, url) }
    let outcome: ImageTransform.Outcome
    do { outcome = try transform.apply(to: image.body, facts, limits) } catch { throw error.fetchError(of: url) }
    var delivery = try next.receive(image.replaced(by: outcome.body, outcome.facts), for: request)
    if delivery.made == nil { delivery.made = (outcome.facts, outcome.body) }
    return delivery
  }

  /// Under ``Verification/none`` nobody has looked yet, but what is to be decoded must be an image.
  private func inspect(_ body: ImageBody, _ url: String) throws(FetchError) -> ImageFacts {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: limits.maxPixels))
    var failure: InspectionFailure?
    do {
      try body.read { piece in
        guard failure == nil else { return }
        do throws(InspectionFailure) { try inspector.feed(piece) } catch { failure = error }
      }
    } catch { throw FetchError(.damaged, url, "its stored bytes cannot be read", isTransient: true) }
    if let failure { throw failure.fetchError(of: url) }
    do { return try inspector.finish() } catch { throw error.fetchError(of: url) }
  }
}
