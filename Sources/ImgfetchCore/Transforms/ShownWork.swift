/// Stepped work that makes pictures of one size for a screen. So the size is all that a helper has to be told.
package protocol ShownWork: SteppedPixelWork {
  /// The first byte of the encoded work, which says what work it is. Checks and transforms have numbers below 0x70.
  static var mark: UInt8 { get }

  var size: PixelSize { get }

  init(size: PixelSize)
}

extension ShownWork {
  /// Four bytes a pixel, and what precedes them.
  package var longestAnswer: Int { Int(clamping: size.area * 4 + 64) }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.mark)
    writer.put(UInt32(clamping: size.width))
    writer.put(UInt32(clamping: size.height))
    return writer.bytes
  }

  /// Nil where the bytes are not ``encoded`` work.
  package init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.take(UInt8.self) == Self.mark, let width = reader.take(UInt32.self),
      let height = reader.take(UInt32.self), width > 0, height > 0
    else { return nil }
    self.init(size: PixelSize(Int(width), Int(height)))
  }
}

extension ShownPicture {
  /// The pixels of such work, which a helper may have answered with: they must be as many as were asked for.
  init(
    _ size: PixelSize, milliseconds: Int = 0, answered pixels: [UInt8], by format: ImageFormat
  ) throws(PixelFailure) {
    guard pixels.count == size.width * size.height * 4 else {
      throw .damaged(format, reason: "its decoder answered with a picture of another size")
    }
    self.init(size: size, milliseconds: milliseconds, pixels: pixels)
  }
}
