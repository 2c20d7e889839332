import Glibc

/// Neal Krawetz's difference hash: whether each of 8 x 8 pixels of a tiny grey picture is darker than its right neighbour.
enum DifferenceHash {
  static func text(of picture: GreyPicture) -> String {
    let grey = TinyPicture(picture, PixelSize(9, 8))
    return HashBits.hex(
      (0..<64).map { bit in
        let place = bit / 8 * 9 + bit % 8
        return grey.pixels[place + 1] > grey.pixels[place]
      })
  }
}

/// Neal Krawetz's perceptual hash: which of the 8 x 8 slowest waves of a grey picture of 32 x 32 pixels are stronger than their median.
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

enum HashBits {
  /// 64 bits as 16 digits, the first one highest.
  static func hex(_ bits: [Bool]) -> String {
    let value = bits.reduce(0 as UInt64) { $0 << 1 | ($1 ? 1 : 0) }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

/// A grey picture, scaled by a three-lobed Lanczos filter to a few pixels: across first, then down, rounded after each. So do
/// the programs whose hashes these must equal.
struct TinyPicture {
  let pixels: [UInt8]

  init(_ picture: GreyPicture, _ size: PixelSize) {
    let (width, height) = (picture.size.width, picture.size.height)
    let columns = LanczosWeights.of(from: width, to: size.width)
    let rows = LanczosWeights.of(from: height, to: size.height)
    var narrow = [UInt8](repeating: 0, count: size.width * height)
    for y in 0..<height {
      for x in 0..<size.width {
        narrow[y * size.width + x] = columns.sum(x, of: picture.pixels.span, from: y * width, step: 1)
      }
    }
    var pixels = [UInt8](repeating: 0, count: size.width * size.height)
    for y in 0..<size.height {
      for x in 0..<size.width { pixels[y * size.width + x] = rows.sum(y, of: narrow.span, from: x, step: size.width) }
    }
    self.pixels = pixels
  }
}

/// The weights of the pixels of a row or column that each new pixel is made of.
private struct LanczosWeights {
  /// Of each new pixel: its first old one, and where its weights begin and end.
  private var places: [(start: Int, first: Int, end: Int)] = []
  private var values: [Double] = []

  private struct Sizes: Equatable {
    let from: Int
    let to: Int
  }

  /// Two hashes, each with two directions, and that for a few sizes.
  private static let known = Recent<Sizes, LanczosWeights>(16)

  static func of(from: Int, to: Int) -> LanczosWeights {
    known.value(of: Sizes(from: from, to: to)) { LanczosWeights(from: $0.from, to: $0.to) }
  }

  private init(from: Int, to: Int) {
    let step = Double(from) / Double(to)
    let spread = max(1, step)
    for place in 0..<to {
      let middle = (Double(place) + 0.5) * step
      let first = max(0, Int(middle - 3 * spread + 0.5))
      let end = max(first + 1, min(from, Int(middle + 3 * spread + 0.5)))
      let own = (first..<end).map { Self.lanczos((Double($0) - middle + 0.5) / spread) }
      let sum = own.reduce(0, +)
      places.append((first, values.count, values.count + own.count))
      values += own.map { $0 / sum }
    }
  }

  private static func lanczos(_ distance: Double) -> Double {
    if distance == 0 { return 1 }
    if abs(distance) >= 3 { return 0 }
    let angle = Double.pi * distance
    return sin(angle) / angle * (sin(angle / 3) / (angle / 3))
  }

  /// The new pixel at `place` of a row or column that begins at `from`.
  func sum(_ place: Int, of samples: borrowing Span<UInt8>, from: Int, step: Int) -> UInt8 {
    let (start, first, end) = places[place]
    let values = values.span
    var at = from + start * step
    var sum = 0.0
    for weight in first..<end {
      sum += values[weight] * Double(samples[at])
      at += step
    }
    return UInt8(max(0, min(255, sum.rounded())))
  }
}
