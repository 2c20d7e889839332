import Glibc

/// A grey picture, scaled by a three-lobed Lanczos filter to a few pixels: across first, then down, rounded after each.
/// So do the programs whose hashes these must equal.
struct TinyPicture {
  let pixels: [UInt8]

  init(_ picture: GreyPicture, _ size: PixelSize) {
    let columns = Lines(columnsOf: picture.pixels.map(Double.init), picture.size.width, picture.size.height)
    let narrow = columns.joined(by: .of(from: picture.size.width, to: size.width))
    let rows = Lines(columnsOf: narrow.samples, picture.size.height, size.width)
    pixels = rows.joined(by: .of(from: picture.size.height, to: size.height)).samples.map { UInt8($0) }
  }
}

/// The rows or columns of a grey picture, in groups of eight samples. Eight sums at once take a fourth of the
/// time of one after the other.
private struct Lines {
  private typealias Group = SIMD8<Double>
  private var groups: [Group]
  private let length: Int

  private var perLine: Int { (length + Group.scalarCount - 1) / Group.scalarCount }

  /// The columns of a picture that is given row by row.
  init(columnsOf pixels: [Double], _ width: Int, _ height: Int) {
    length = height
    groups = []
    groups.reserveCapacity(perLine * width)
    let pixels = pixels.span
    for x in 0..<width {
      for start in stride(from: 0, to: height, by: Group.scalarCount) {
        // Below the last row its samples stand for what nothing reads.
        func sample(_ place: Int) -> Double { pixels[min(start + place, height - 1) * width + x] }
        groups.append(
          Group(sample(0), sample(1), sample(2), sample(3), sample(4), sample(5), sample(6), sample(7)))
      }
    }
  }

  private init(groups: [Group], length: Int) {
    self.groups = groups
    self.length = length
  }

  var samples: [Double] {
    var samples: [Double] = []
    samples.reserveCapacity(groups.count / max(1, perLine) * length)
    for line in stride(from: 0, to: groups.count, by: perLine) {
      for place in 0..<length { samples.append(groups[line + place / Group.scalarCount][place % Group.scalarCount]) }
    }
    return samples
  }

  /// Other lines, each a weighted sum of some of these, rounded to what a byte can hold.
  func joined(by weights: LanczosWeights) -> Lines {
    let (all, values, perLine) = (groups.span, weights.values.span, perLine)
    var made: [Group] = []
    made.reserveCapacity(weights.places.count * perLine)
    for place in weights.places {
      for group in 0..<perLine {
        var sum = Group.zero
        for weight in place.first..<place.end {
          sum += values[weight] * all[(place.start + weight - place.first) * perLine + group]
        }
        made.append(Self.rounded(sum))
      }
    }
    return Lines(groups: made, length: length)
  }

  /// Halves go up. The vector's own rounding is a call for each lane where the processor has no instruction for it.
  private static func rounded(_ sum: Group) -> Group {
    let value = sum.clamped(lowerBound: .zero, upperBound: Group(repeating: 255))
    // Beside 2^52 a number has no room for a fraction.
    let nearest = value + 0x1p52 - 0x1p52
    let whole = nearest.replacing(with: nearest - 1, where: nearest .> value)
    return whole.replacing(with: whole + 1, where: value - whole .>= 0.5)
  }
}

/// The weights of the pixels of a row or column that each new pixel is made of.
private struct LanczosWeights {
  /// For each new pixel, its first old one, and the beginning and end of its weights.
  private(set) var places: [(start: Int, first: Int, end: Int)] = []
  private(set) var values: [Double] = []

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
}
