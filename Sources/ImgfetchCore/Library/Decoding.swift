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

/// The format of a decoder of the program's own: an image is complete if the decoder decodes it.
struct DecodedFormat: OwnFormat {
  private let decoder: any PixelDecoder

  init(_ decoder: any PixelDecoder) { self.decoder = decoder }

  func recognises(_ beginning: [UInt8]) -> Bool { decoder.recognises(beginning) }

  func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) {
    _ = try pictures(of: image, maximumPixels: maximumPixels)
  }

  /// The image as a PNG: animated if there are several pictures of one size, else the first one.
  func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8] {
    let pictures = try pictures(of: image, maximumPixels: maximumPixels)
    let isAnimation = pictures.count > 1 && pictures.allSatisfy { $0.size == pictures[0].size }
    do throws(FetchError) {
      guard isAnimation else { return try pictures[0].encoded(as: .png) }
      var assembly = APNGAssembly(frames: pictures.count, plays: 0)
      for picture in pictures { assembly.append(try picture.encoded(as: .png), milliseconds: picture.milliseconds) }
      return assembly.finish()
    } catch { throw OwnFormatFailure(reason: "its pixels cannot be written as a PNG: \(error.reason)") }
  }

  /// Returns at least one picture.
  func pictures(of image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [PixelBuffer] {
    let pictures: [PixelBuffer]
    do { pictures = try decoder.decode(image) } catch {
      throw OwnFormatFailure(reason: "its pixels cannot be decoded: \(error)")
    }
    if pictures.isEmpty { throw OwnFormatFailure(reason: "it has no picture") }
    // The pictures are in memory, so the sum cannot overflow.
    let pixels = pictures.reduce(into: Int64(0)) { $0 += $1.size.area }
    if pixels > maximumPixels {
      throw OwnFormatFailure(
        reason: "\(pixels) pixels are more than the limit of \(maximumPixels)", isTooLarge: true)
    }
    return pictures
  }
}
