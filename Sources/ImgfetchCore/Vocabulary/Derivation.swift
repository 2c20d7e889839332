/// Makes another image from a fetched one before it is delivered.
///
/// The same derivation of the same bytes must give the same bytes, because results are cached.
package protocol Derivation: Sendable {
  /// Identifies the derivation in cache keys. The same in every run.
  var signature: UInt64 { get }

  /// The same, for one image.
  func within(_ scope: PixelScope) -> any Derivation

  /// True if an image must be changed. If not, it is delivered as it is.
  ///
  /// Throws if the result would exceed a limit, even if it is already stored.
  /// - Parameter subject: the URL or file for errors.
  func applies(to facts: ImageFacts, maximumPixels: Int64, _ subject: String) throws(FetchError) -> Bool

  /// The format and size of the derived image, as far as they are known before it is made, or nil if they are not.
  func expected(of facts: ImageFacts, maximumPixels: Int64) -> ImageFacts?

  /// Makes the derived image. Called on a disk thread, because decoding and encoding take long.
  func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage

  /// Makes the derived image and computes details of its source, with less work than one after the other.
  ///
  /// Nil if there is no gain, or if one of them fails: each then reports its own error.
  func result(of image: InspectedImage, describing wanted: ImageDetailSet, maximumPixels: Int64) -> DescribedResult?
}

extension Derivation {
  package func within(_ scope: PixelScope) -> any Derivation { self }

  package func expected(of facts: ImageFacts, maximumPixels: Int64) -> ImageFacts? { nil }

  package func result(
    of image: InspectedImage, describing wanted: ImageDetailSet, maximumPixels: Int64
  ) -> DescribedResult? { nil }
}
