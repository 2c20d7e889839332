/// A decoder of a program's own, for images that begin with certain bytes.
///
/// Such images are fetched like others: one is accepted if this decodes it. It has no ``ImageFacts``, so a request's
/// demands on size or format do not apply to it, and ``FetchHooks/beforeStoring`` is not called with it. A
/// ``FetchRequest/transform`` works on its pictures as if they had come as a PNG, which is then the format of the
/// result unless another is wanted; ``FetchResult/source`` is nil. The image is decoded again when it comes from disk,
/// but not when it comes from memory, or when the derived image is in a cache.
public protocol PixelDecoder: Sendable {
  /// True if the image belongs to this decoder. Called with the first bytes of each image that is decoded, at most 64.
  func recognises(_ beginning: [UInt8]) -> Bool

  /// Decodes the image: one picture, or all of an animation. Called on one of the fetcher's threads,
  /// for several images at once.
  func decode(_ bytes: [UInt8]) throws -> [PixelBuffer]
}

/// A decoder of a program's own that shows the received part of an image while the rest is still coming: among the
/// events of ``Fetcher/events(for:partialPictures:)``.
public protocol ComingPixelDecoder: PixelDecoder {
  /// Begins an image that this decoder recognises.
  func begin() -> any ComingPixels
}

/// The decoding of one image while its bytes arrive. It is used by one of the fetcher's threads at a time.
public protocol ComingPixels: AnyObject, Sendable {
  /// Takes the next bytes, from the first one on. After an error, no further picture of this image is shown before it
  /// is complete.
  func feed(_ bytes: [UInt8]) throws

  /// The picture as far as it has come, in its own size and transparent in the missing parts, or nil if
  /// there is nothing to show yet.
  func picture() throws -> PixelBuffer?
}
