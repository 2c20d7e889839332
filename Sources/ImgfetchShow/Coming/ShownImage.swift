import ImgfetchCore

/// A whole image that is to be shown.
package struct ShownImage: Sendable {
  package let body: ImageBody
  package let facts: ImageFacts
  /// The cache that the image came from; nil for a file of the user's.
  package var cache: CacheType?

  package init(_ body: ImageBody, _ facts: ImageFacts) {
    self.body = body
    self.facts = facts
  }

  /// Inspects an image.
  ///
  /// - Parameter name: The name of the image in errors.
  package init(inspecting body: ImageBody, _ name: String, _ limits: PixelLimits) throws(FetchError) {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: limits.maxPixels))
    // A failure is final: it comes back at the end.
    do throws(BodyReadFailure) { try body.read { piece in _ = try? inspector.feed(piece) } } catch {
      throw FetchError(.file, name, "cannot be read")
    }
    do throws(InspectionFailure) {
      switch try inspector.verdict() {
      case .accepted(let facts): self.init(body, facts)
      case .doubtful(let facts, let failure):
        guard PixelCheck.dispelsDoubt(about: body, facts, limits) else { throw failure }
        self.init(body, facts)
      }
    } catch { throw error.fetchError(of: name) }
  }
}

extension ImageFacts {
  /// The size in which it is seen: EXIF orientations from 5 on lie on their side.
  package var uprightSize: PixelSize { orientation > 4 ? PixelSize(height, width) : PixelSize(width, height) }
}
