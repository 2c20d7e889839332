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

  /// Some waves over a row or column.
  private struct Waves: Equatable {
    let pixels: Int
    let count: Int
    let offset: Double
  }

  /// Brightness, two colours, light and the perceptual hash, each with two directions, and that for a few sizes.
  private static let known = Recent<Waves, [Double]>(32)

  /// The values of `count` waves at so many pixels.
  private static func cosines(_ pixels: Int, _ count: Int, _ offset: Double) -> [Double] {
    known.value(of: Waves(pixels: pixels, count: count, offset: offset)) { waves in
      var values: [Double] = []
      values.reserveCapacity(waves.pixels * waves.count)
      for wave in 0..<waves.count {
        for pixel in 0..<waves.pixels {
          values.append(cos(.pi / Double(waves.pixels) * Double(wave) * (Double(pixel) + waves.offset)))
        }
      }
      return values
    }
  }
}

/// The last few values that were worked out, by what they depend on.
///
/// A list's pictures often have one size. Sines and cosines that depend on nothing else were a fourteenth of all that a picture with
/// fingerprints and a thumbnail takes.
final class Recent<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let values = Guarded<[(key: Key, value: Value)]>([])
  private let most: Int

  /// - Parameter most: how many are kept. They are searched one by one.
  init(_ most: Int) { self.most = most }

  func value(of key: Key, _ make: (Key) -> Value) -> Value {
    if let known = values.withLock({ $0.first { $0.key == key }?.value }) { return known }
    let made = make(key)
    values.withLock { values in
      if values.count >= most { values.removeFirst() }
      values.append((key, made))
    }
    return made
  }
}
