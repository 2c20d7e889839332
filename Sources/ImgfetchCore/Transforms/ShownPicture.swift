/// A picture for a screen: RGBA of 8 bits, row by row.
package struct ShownPicture: Sendable {
  package let size: PixelSize
  /// The time for which it is shown, of an animation.
  package let milliseconds: Int
  package let pixels: [UInt8]

  /// - Parameter pixels: Four bytes for each pixel.
  package init(size: PixelSize, milliseconds: Int = 0, pixels: [UInt8]) {
    self.size = size
    self.milliseconds = milliseconds
    self.pixels = pixels
  }

  /// True if nothing shines through it.
  package var isOpaque: Bool { stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 } }

  /// The colours alone: three bytes for each pixel.
  package var opaquePixels: [UInt8] {
    var colours: [UInt8] = []
    colours.reserveCapacity(pixels.count / 4 * 3)
    for at in stride(from: 0, to: pixels.count - 3, by: 4) {
      colours.append(pixels[at])
      colours.append(pixels[at + 1])
      colours.append(pixels[at + 2])
    }
    return colours
  }

  /// The same with transparent pixels at its right and below.
  package func padded(to size: PixelSize) -> ShownPicture {
    if size == self.size || size.width < self.size.width || size.height < self.size.height { return self }
    var padded: [UInt8] = []
    padded.reserveCapacity(size.width * size.height * 4)
    let line = self.size.width * 4
    for row in 0..<self.size.height {
      padded += pixels[row * line..<(row + 1) * line]
      padded += repeatElement(0, count: size.width * 4 - line)
    }
    padded += repeatElement(0, count: size.width * size.height * 4 - padded.count)
    return ShownPicture(size: size, milliseconds: milliseconds, pixels: padded)
  }

  /// The same laid over a colour.
  package func over(_ background: ImageTransform.Colour) -> ShownPicture {
    var pixels = pixels
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
    return ShownPicture(size: size, milliseconds: milliseconds, pixels: pixels)
  }

  /// The picture as a PNG.
  package func png() throws(PixelFailure) -> [UInt8] {
    let rows = Rows(self)
    let encoder = try ImageEncoder(.png, rows.layout, ImageEncoder.Options())
    try encoder.write(rows)
    return try encoder.finish()
  }

  private final class Rows: RowSource {
    let layout: PixelLayout
    private let pixels: [UInt8]
    private var given = 0

    init(_ picture: ShownPicture) {
      layout = PixelLayout(width: picture.size.width, height: picture.size.height, model: .rgba, bits: 8)
      pixels = picture.pixels
    }

    func read(into row: inout [UInt8]) throws(PixelFailure) {
      row.replaceSubrange(0..<layout.rowBytes, with: pixels[given * layout.rowBytes..<(given + 1) * layout.rowBytes])
      given += 1
    }
  }
}
