import Glibc

/// Cosine waves over a picture.
enum Waveform {
  /// The sums of a channel's samples times each of `across` times `down` waves, row by row.
  ///
  /// First along the rows, then down the columns: the sums are the same as over all pixels for each wave, for a tenth of the work.
  ///
  /// - Parameter offset: Where within a pixel its sample is taken: 0.5 for its middle.
  static func sums(
    _ channel: [Double], _ size: PixelSize, _ across: Int, _ down: Int, offset: Double = 0.5
  ) -> [Double] {
    let columns = cosines(size.width, across, offset)
    let rows = cosines(size.height, down, offset)
    let (samples, waves) = (channel.span, columns.span)
    var sums = [Double](repeating: 0, count: across * down)
    for y in 0..<size.height {
      for wave in 0..<across {
        var sum = 0.0
        for x in 0..<size.width { sum += samples[y * size.width + x] * waves[wave * size.width + x] }
        for row in 0..<down { sums[row * across + wave] += sum * rows[row * size.height + y] }
      }
    }
    return sums
  }

  /// The values of `count` waves at so many pixels.
  private static func cosines(_ pixels: Int, _ count: Int, _ offset: Double) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(pixels * count)
    for wave in 0..<count {
      for pixel in 0..<pixels { values.append(cos(.pi / Double(pixels) * Double(wave) * (Double(pixel) + offset))) }
    }
    return values
  }
}
