/// The largest image that is accepted. Checked when the size is read, and again at each frame, before anything is
/// allocated for it.
package struct InspectionLimits: Sendable, Hashable {
  /// Pixels times frames. The default is that of `--max-pixels`: 1 GiB when decoded with four bytes each.
  package var maxPixels: Int64

  package init(maxPixels: Int64 = 256 << 20) { self.maxPixels = maxPixels }

  /// Throws if the image is larger. The sizes are from a header and may be any number.
  func admit(width: Int, height: Int, frames: Int) throws(InspectionFailure) {
    let area = Int64(width).multipliedReportingOverflow(by: Int64(height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, frames)))
    if area.overflow || all.overflow || all.partialValue > maxPixels {
      throw .tooManyPixels(width: width, height: height, frames: frames, limit: maxPixels)
    }
  }
}

/// Why bytes are not accepted as a complete image. `description` is a clause to follow a name and a colon, and is safe
/// to print.
package enum InspectionFailure: Error, Sendable, Hashable {
  /// Not an image: what it is, and how it begins.
  case notImage(found: String)
  /// An image, document or video in a format that is not supported.
  case unsupported(name: String)
  /// It ends before its end mark, after so many bytes.
  case truncated(ImageFormat, at: Int64)
  /// Its structure is invalid. The reason is a complete clause.
  case damaged(ImageFormat, at: Int64, reason: String)
  /// More pixels than allowed, counted over all frames so far.
  case tooManyPixels(width: Int, height: Int, frames: Int, limit: Int64)
  /// Its width or height is 0.
  case noPixels(ImageFormat)
}

extension InspectionFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notImage(let found):
      return "not an image but \(found)"
    case .unsupported(let name):
      return "\(name) is not supported; \(ImageFormat.namesInWords) are"
    case .truncated(let format, let place):
      return "truncated \(format.displayName): it breaks off after \(place) byte\(place == 1 ? "" : "s")"
    case .damaged(let format, let place, let reason):
      return "damaged \(format.displayName): \(reason) (at byte \(place))"
    case .tooManyPixels(let width, let height, let frames, let limit):
      let size = frames > 1 ? "\(width)x\(height) pixels in \(frames) frames" : "\(width)x\(height) pixels"
      return "\(size) are more than the limit of \(limit) pixels"
    case .noPixels(let format):
      return "\(format.displayName) of no pixels: its width or height is 0"
    }
  }
}

/// The fewest bytes that can encode so many pixels. A file with less data was cut and patched up (an end mark appended,
/// a length corrected) or is a bomb. Both are found without decoding a pixel.
///
/// Each bound follows from the coding alone, so no valid file is below it.
enum MinimumSize {
  /// At best, Deflate encodes 258 bytes by one bit for the length and one for the distance: 1,032 bytes in one.
  static func deflated(width: Int, height: Int, bitsPerPixel: Int) -> Int64 {
    // Every row has a filter byte. An interlaced image has more rows, so the bound holds for it as well.
    let pixels = saturating(Int64(width), Int64(height))
    let (rows, overflow) = saturating(pixels / 8, Int64(bitsPerPixel)).addingReportingOverflow(Int64(height))
    return (overflow ? Int64.max : rows) / 1032
  }

  /// A Huffman code has at least one bit. A block of a sequential scan has one for its first coefficient and one for
  /// the end of the others.
  static func huffman(blocks: Int, codesPerBlock: Int) -> Int64 {
    saturating(Int64(blocks), Int64(codesPerBlock)) / 8
  }

  /// The n-th LZW code encodes at most n pixels, and never more than the table's 4,096 entries can chain up. Returns
  /// the number of pixels that so many bytes of codes with at least `codeBits` bits can encode.
  static func pixelsInLZW(bytes: Int64, codeBits: Int) -> Int64 {
    let codes = saturating(bytes, 8) / Int64(max(1, codeBits))
    return codes < 4096 ? codes * (codes + 1) / 2 : saturating(codes, 4096)
  }

  private static func saturating(_ one: Int64, _ other: Int64) -> Int64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? Int64.max : product
  }
}
