/// The fewest bytes that can encode a number of pixels. A file with less data was cut and patched up (an end mark
/// appended, a length corrected) or is a bomb. Both are found without decoding a pixel.
///
/// Each bound follows from the coding alone, so no valid file is below it.
enum MinimumSize {
  /// The fewest bytes of deflated rows. At best, Deflate encodes 258 bytes by one bit for the length and one for the
  /// distance: 1,032 bytes in one.
  static func deflated(width: Int, height: Int, bitsPerPixel: Int) -> Int64 {
    // Every row has a filter byte. An interlaced image has more rows, so the bound holds for it as well.
    let pixels = saturating(Int64(width), Int64(height))
    let (rows, overflow) = saturating(pixels / 8, Int64(bitsPerPixel)).addingReportingOverflow(Int64(height))
    return (overflow ? Int64.max : rows) / 1032
  }

  /// A Huffman code has at least one bit. A block of a sequential scan has one for its first coefficient and one for
  /// the end of the others.
  static func huffman(blocks: Int, codesPerBlock: Int) -> Int64 { saturating(Int64(blocks), Int64(codesPerBlock)) / 8 }

  /// The n-th LZW code encodes at most n pixels, and never more than the table's 4,096 entries can chain up. Returns
  /// the number of pixels that `bytes` bytes of codes with at least `codeBits` bits can encode.
  static func pixelsInLZW(bytes: Int64, codeBits: Int) -> Int64 {
    let codes = saturating(bytes, 8) / Int64(max(1, codeBits))
    return codes < 4096 ? codes * (codes + 1) / 2 : saturating(codes, 4096)
  }

  private static func saturating(_ one: Int64, _ other: Int64) -> Int64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? Int64.max : product
  }
}
