/// Something that is made of images on their way out.
///
/// The same derivation of the same bytes gives the same bytes, so that a result can be kept and answer again.
package protocol Derivation: Sendable {
  /// A number by which its results are told from those of others, the same in every run.
  var signature: UInt64 { get }

  /// Whether there is anything to be made of such an image, or it is already what is asked for.
  ///
  /// Throws where it would be more than is allowed, so that a stored result is no way around a limit.
  /// - Parameter subject: what errors are said of.
  func applies(to facts: ImageFacts, maximumPixels: Int64, _ subject: String) throws(FetchError) -> Bool

  /// Makes it. Takes as long as decoding and encoding do: called on a disk thread.
  func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage
}

/// An image's bytes, and what they are.
package struct InspectedImage: Sendable {
  package let body: ImageBody
  package let facts: ImageFacts

  package init(body: ImageBody, facts: ImageFacts) {
    self.body = body
    self.facts = facts
  }
}
