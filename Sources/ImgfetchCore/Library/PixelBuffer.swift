/// A decoded picture.
///
/// Rows lie one after another, from the top down, without a gap. A pixel has four bytes: red, green, blue, alpha, each
/// 0 to 255, alpha not multiplied into the colours. Colours are those of sRGB.
public struct PixelBuffer: Sendable, Hashable {
  /// The number of columns, at least 1.
  public let width: Int
  /// The number of rows, at least 1.
  public let height: Int
  /// The pixels: ``bytesPerRow`` times ``height`` bytes.
  public let bytes: [UInt8]
  /// The milliseconds for which a picture of an animation is shown, or 0 for a still image.
  public let milliseconds: Int

  /// The number of bytes in a row: four for each column.
  public var bytesPerRow: Int { width * 4 }

  /// Creates a picture from pixels, or nil if their number does not fit the size.
  public init?(width: Int, height: Int, bytes: [UInt8], milliseconds: Int = 0) {
    let (pixels, over) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !over, bytes.count % 4 == 0, bytes.count / 4 == pixels else { return nil }
    self.init(unchecked: PixelSize(width, height), bytes, milliseconds: milliseconds)
  }

  init(unchecked size: PixelSize, _ bytes: [UInt8], milliseconds: Int) {
    (width, height) = (size.width, size.height)
    self.bytes = bytes
    self.milliseconds = milliseconds
  }

  var size: PixelSize { PixelSize(width, height) }
  var layout: PixelLayout { PixelLayout(width: width, height: height, model: .rgba) }

  /// The pixel in this column and row, counted from 0, or nil outside of the picture.
  public subscript(column: Int, row: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)? {
    guard 0..<width ~= column, 0..<height ~= row else { return nil }
    let at = row * bytesPerRow + column * 4
    return (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
  }
}

// Each function does its work on the calling thread.
extension PixelBuffer {
  /// The same picture scaled to what `resize` asks for, cut to the box under ``Resize/Fit/cover``.
  public func resized(_ resize: Resize) throws(FetchError) -> PixelBuffer {
    let wanted = resize.scaled(size)
    var made = self
    if wanted != size {
      made = try drawn { rows throws(PixelFailure) in
        try ResampledRows.make(rows, Scaling(layout, PixelRegion(size), to: wanted), .png)
      }
    }
    guard let crop = resize.crop(wanted) else { return made }
    return made.cropped(crop) ?? made
  }

  /// A part of the picture, or nil if the part lies outside of it.
  public func cropped(_ crop: Crop) -> PixelBuffer? {
    guard let part = crop.part(of: size) else { return nil }
    var cut: [UInt8] = []
    cut.reserveCapacity(part.width * part.height * 4)
    for row in part.y..<part.y + part.height {
      let start = row * bytesPerRow + part.x * 4
      cut += bytes[start..<start + part.width * 4]
    }
    return PixelBuffer(unchecked: part.size, cut, milliseconds: milliseconds)
  }

  /// The picture rotated or mirrored.
  public func turned(_ way: Orientation) -> PixelBuffer {
    // Turning calls no codec and cannot fail.
    (try? drawn { rows throws(PixelFailure) in TurnedRows(rows, way) }) ?? self
  }

  /// The largest picture of the same proportions that takes at most `bytes` bytes of memory, four for each pixel; 60 MB
  /// by default. A picture that takes less is returned as it is.
  public func scaledToFit(bytes: Int = 60 << 20) throws(FetchError) -> PixelBuffer {
    try resized(.scaledToFit(bytes: bytes))
  }

  /// True if each pixel is opaque.
  public var isOpaque: Bool {
    var at = 3
    while at < bytes.count {
      if bytes[at] != 255 { return false }
      at += 4
    }
    return true
  }

  /// The picture as an image file. If the format has no transparency, `background` lies behind the picture.
  ///
  /// - Parameters:
  ///   - format: the format of the file. The default, nil, means JPEG if the picture ``isOpaque``, else PNG.
  ///   - quality: 1 to 100. The default, nil, means that of the format.
  ///   - background: white by default.
  public func encoded(
    as format: ImageFormat? = nil, quality: Int? = nil, background: ImageTransform.Colour = .white
  ) throws(FetchError) -> [UInt8] {
    let format = format ?? (isOpaque ? .jpeg : .png)
    do throws(PixelFailure) {
      let colour: [3 of UInt8] = [background.red, background.green, background.blue]
      let converter = RowConverter(
        from: layout, to: ImageEncoder.model(for: format, .rgba), bits: 8, background: colour)
      let rows: any RowSource = converter.isIdentity ? BufferRows(self) : ConvertedRows(BufferRows(self), converter)
      var options = ImageEncoder.Options()
      options.quality = quality ?? format.traits.defaultQuality
      let encoder = try ImageEncoder(format, rows.layout, options)
      try encoder.write(rows)
      return try encoder.finish()
    } catch { throw error.fetchError(of: "a picture of \(width)x\(height) pixels") }
  }

  private func drawn(
    _ make: (BufferRows) throws(PixelFailure) -> any RowSource
  ) throws(FetchError) -> PixelBuffer {
    do throws(PixelFailure) {
      let rows = try make(BufferRows(self))
      var all: [UInt8] = []
      all.reserveCapacity(rows.layout.bytes)
      var row = [UInt8](repeating: 0, count: rows.layout.rowBytes)
      for _ in 0..<rows.layout.height {
        try rows.read(into: &row)
        all += row
      }
      return PixelBuffer(
        unchecked: PixelSize(rows.layout.width, rows.layout.height), all, milliseconds: milliseconds)
    } catch { throw error.fetchError(of: "a picture of \(width)x\(height) pixels") }
  }
}

/// The rows of a picture in memory.
private final class BufferRows: RowSource {
  private let buffer: PixelBuffer
  private var next = 0

  init(_ buffer: PixelBuffer) { self.buffer = buffer }

  var layout: PixelLayout { buffer.layout }

  func read(into row: inout [UInt8]) throws(PixelFailure) {
    let start = next * layout.rowBytes
    next += 1
    row.replaceSubrange(0..<layout.rowBytes, with: buffer.bytes[start..<start + layout.rowBytes])
  }
}
