/// The fewest bytes that can hold so many pixels. A file whose data is shorter than that was cut and sewn up (an end
/// mark appended, a length set right), or is a bomb; both show without a single pixel being decoded.
///
/// Each bound follows from the coding alone, so no valid file is below it.
enum LeastBytes {
  /// Deflate says 258 bytes at best with one bit for the length and one for the distance: 1,032 bytes in one.
  static func deflated(width: Int, height: Int, bitsPerPixel: Int) -> Int64 {
    // Every row has a filter byte. An interlaced image has more rows, so this is a bound for it as well.
    let pixels = saturating(Int64(width), Int64(height))
    let (rows, overflow) = saturating(pixels / 8, Int64(bitsPerPixel)).addingReportingOverflow(Int64(height))
    return (overflow ? Int64.max : rows) / 1032
  }

  /// A Huffman code has one bit at least. A block of a sequential scan has one for its first coefficient and one for
  /// the end of the others.
  static func huffman(blocks: Int, codesPerBlock: Int) -> Int64 {
    saturating(Int64(blocks), Int64(codesPerBlock)) / 8
  }

  /// The n-th LZW code stands for n pixels at best, and never for more than the table's 4,096 entries can chain up.
  /// This is the number of pixels that fit, for so many bytes of codes with at least `codeBits` bits.
  static func pixelsInLZW(bytes: Int64, codeBits: Int) -> Int64 {
    let codes = saturating(bytes, 8) / Int64(max(1, codeBits))
    return codes < 4096 ? codes * (codes + 1) / 2 : saturating(codes, 4096)
  }

  private static func saturating(_ one: Int64, _ other: Int64) -> Int64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? Int64.max : product
  }
}
