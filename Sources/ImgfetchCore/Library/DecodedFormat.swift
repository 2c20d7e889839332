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
