import Glibc

/// Neal Krawetz's perceptual hash: which of the 8 x 8 slowest waves of a grey picture of 32 x 32 pixels are
/// stronger than their median.
enum PerceptualHash {
  static let side = 32
  private static let kept = 8

  static func text(of picture: GreyPicture) -> String {
    let grey = TinyPicture(picture, PixelSize(side, side))
    let waves = Waveform.sums(grey.pixels.map(Double.init), PixelSize(side, side), kept, kept).map {
      // Waves that are not there are 0, and not what rounding leaves of them.
      ($0 * 1e6).rounded() / 1e6
    }
    let sorted = waves.sorted()
    let median = (sorted[kept * kept / 2 - 1] + sorted[kept * kept / 2]) / 2
    return HashBits.hex(waves.map { $0 > median })
  }
}
