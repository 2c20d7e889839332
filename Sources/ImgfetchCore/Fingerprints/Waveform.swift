import Glibc

/// Cosine waves over a picture.
enum Waveform {
  /// The sums of a channel's samples times each of `across` times `down` waves, row by row; at most eight across.
  ///
  /// First along the rows, then down the columns: the sums are the same as over all pixels for each wave, for a tenth
  /// of the work. All waves along a row are summed at once, in a fourth of the time of one after the other: an addition
  /// need not wait for the one before.
  ///
  /// - Parameter offset: The point within a pixel at which its sample is taken: 0.5 for its middle.
  static func sums(
    _ channel: [Double], _ size: PixelSize, _ across: Int, _ down: Int, offset: Double = 0.5
  ) -> [Double] {
    let columns = Waves(pixels: size.width, count: across, offset: offset)
    let rows = Waves(pixels: size.height, count: down, offset: offset)
    return across <= 4
      ? sums(channel, size, fourWaves.value(of: columns, Waves.values), columns, rows)
      : sums(channel, size, eightWaves.value(of: columns, Waves.values), columns, rows)
  }

  @inline(__always)
  private static func sums<Group: SIMD<Double>>(
    _ channel: [Double], _ size: PixelSize, _ waves: [Group], _ across: Waves, _ down: Waves
  ) -> [Double] {
    let factors = singleWaves.value(of: down, Waves.all)
    var sums = [Group](repeating: .zero, count: down.count)
    let (samples, waves) = (channel.span, waves.span)
    for y in 0..<size.height {
      var sum = Group.zero
      for x in 0..<size.width { sum += samples[y * size.width + x] * waves[x] }
      for row in 0..<down.count { sums[row] += sum * factors[row * size.height + y] }
    }
    return sums.flatMap { row in (0..<across.count).map { row[$0] } }
  }

  /// Some waves over a row or column.
  private struct Waves: Equatable {
    let pixels: Int
    let count: Int
    let offset: Double

    /// The values of one wave after the other.
    static func all(_ waves: Waves) -> [Double] {
      (0..<waves.count).flatMap { wave in (0..<waves.pixels).map { waves.value(of: wave, at: $0) } }
    }

    /// The values of all waves at one pixel after the other.
    static func values<Group: SIMD<Double>>(_ waves: Waves) -> [Group] {
      (0..<waves.pixels).map { pixel in
        var group = Group.zero
        for wave in 0..<min(waves.count, Group.scalarCount) { group[wave] = waves.value(of: wave, at: pixel) }
        return group
      }
    }

    private func value(of wave: Int, at pixel: Int) -> Double {
      cos(.pi / Double(pixels) * Double(wave) * (Double(pixel) + offset))
    }
  }

  // Brightness, two colours, light and the perceptual hash, and that for a few sizes.
  private static let singleWaves = Recent<Waves, [Double]>(16)
  private static let fourWaves = Recent<Waves, [SIMD4<Double>]>(16)
  private static let eightWaves = Recent<Waves, [SIMD8<Double>]>(16)
}

/// The last few computed values, by their arguments.
///
/// A list's pictures often have one size. The sines and cosines depend on nothing else.
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
