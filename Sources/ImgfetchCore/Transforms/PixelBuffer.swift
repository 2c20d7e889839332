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

  package init(unchecked size: PixelSize, _ bytes: [UInt8], milliseconds: Int = 0) {
    (width, height) = (size.width, size.height)
    self.bytes = bytes
    self.milliseconds = milliseconds
  }

  package var size: PixelSize { PixelSize(width, height) }
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
  /// The same picture scaled to what `resize` asks for, cut to the box under ``Resize/Fit/cover``. Throws
  /// ``FetchError/Kind/limit`` if it would be enlarged to more than 256 Mi pixels, which take a gigabyte.
  public func resized(_ resize: Resize) throws(FetchError) -> PixelBuffer {
    let part = resize.cutBefore(size).flatMap { cropped($0) } ?? self
    let wanted = resize.scaled(part.size)
    var made = part
    if wanted != part.size {
      let limit = max(InspectionLimits.usualPixels, size.area)
      if wanted.area > limit {
        throw FetchError(.limit, subject, "\(TransformFailure.tooLarge(wanted, limit: limit))")
      }
      made = try part.drawn { rows throws(PixelFailure) in
        try ResampledRows.make(rows, Scaling(part.layout, PixelRegion(part.size), to: wanted), .png)
      }
    }
    guard let crop = resize.crop(wanted) else { return made }
    return made.cropped(crop) ?? made
  }

  /// A part of the picture, or nil if the part lies outside of it.
  public func cropped(_ crop: Crop) -> PixelBuffer? {
    guard let part = crop.part(of: size) else { return nil }
    return try? drawn { rows throws(PixelFailure) in CutRows(rows, part) }
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
      let rows: any RowSource = converter.isIdentity ? self.rows : ConvertedRows(self.rows, converter)
      var options = ImageEncoder.Options()
      options.quality = quality ?? format.traits.defaultQuality
      let encoder = try ImageEncoder(format, rows.layout, options)
      try encoder.write(rows)
      return try encoder.finish()
    } catch { throw error.fetchError(of: subject) }
  }

  private var rows: StoredRows { StoredRows(layout, bytes) }

  /// The subject of errors.
  private var subject: String { "a picture of \(width)x\(height) pixels" }

  private func drawn(
    _ make: (StoredRows) throws(PixelFailure) -> any RowSource
  ) throws(FetchError) -> PixelBuffer {
    do throws(PixelFailure) {
      let rows = try make(rows)
      return PixelBuffer(unchecked: rows.layout.size, try rows.all(), milliseconds: milliseconds)
    } catch { throw error.fetchError(of: subject) }
  }
}

// Pictures for a screen.
extension PixelBuffer {
  /// The colours alone: three bytes for each pixel.
  package var colours: [UInt8] {
    var colours: [UInt8] = []
    colours.reserveCapacity(bytes.count / 4 * 3)
    for at in stride(from: 0, to: bytes.count - 3, by: 4) {
      colours.append(bytes[at])
      colours.append(bytes[at + 1])
      colours.append(bytes[at + 2])
    }
    return colours
  }

  /// The same with transparent pixels at its right and below.
  package func padded(to size: PixelSize) -> PixelBuffer {
    if size == self.size || size.width < width || size.height < height { return self }
    var padded: [UInt8] = []
    padded.reserveCapacity(size.width * size.height * 4)
    for row in 0..<height {
      padded += bytes[row * bytesPerRow..<(row + 1) * bytesPerRow]
      padded += repeatElement(0, count: size.width * 4 - bytesPerRow)
    }
    padded += repeatElement(0, count: size.width * size.height * 4 - padded.count)
    return PixelBuffer(unchecked: size, padded, milliseconds: milliseconds)
  }

  /// The same laid over a colour.
  package func over(_ background: ImageTransform.Colour) -> PixelBuffer {
    var pixels = bytes
    for at in stride(from: 0, to: pixels.count - 3, by: 4) where pixels[at + 3] < 255 {
      let alpha = Int(pixels[at + 3])
      func mix(_ above: UInt8, _ below: UInt8) -> UInt8 {
        UInt8(clamping: (Int(above) * alpha + Int(below) * (255 - alpha) + 127) / 255)
      }
      pixels[at] = mix(pixels[at], background.red)
      pixels[at + 1] = mix(pixels[at + 1], background.green)
      pixels[at + 2] = mix(pixels[at + 2], background.blue)
      pixels[at + 3] = 255
    }
    return PixelBuffer(unchecked: size, pixels, milliseconds: milliseconds)
  }
}
