/// ThumbHash, as Evan Wallace defines it: the slowest waves of brightness, two differences of colours and
/// alpha, each in four bits.
enum ThumbHash {
  /// The hash in base64, as pages carry it. The picture is upright, as it will be shown.
  static func text(of picture: SmallPicture) -> String { Base64.text(of: bytes(of: picture)) }

  /// A channel as waves: the mean, and the strengths of the others between 0 and 1, on a scale of their own.
  private struct Waves {
    var mean = 0.0
    var strengths: [Double] = []
    var scale = 0.0
  }

  static func bytes(of picture: SmallPicture) -> [UInt8] {
    let channels = Channels(picture)
    let (width, height) = (picture.size.width, picture.size.height)
    // With alpha to be told, brightness has less room.
    let most = Double(channels.hasAlpha ? 5 : 7)
    let longer = Double(max(width, height))
    let across = max(1, Int((most * Double(width) / longer).rounded(.toNearestOrEven)))
    let down = max(1, Int((most * Double(height) / longer).rounded(.toNearestOrEven)))
    let brightness = waves(channels.brightness, picture.size, max(3, across), max(3, down))
    let yellow = waves(channels.yellow, picture.size, 3, 3)
    let red = waves(channels.red, picture.size, 3, 3)
    let alpha = channels.hasAlpha ? waves(channels.alpha, picture.size, 5, 5) : nil

    let isLandscape = width > height
    let head =
      quantised(63, brightness.mean) | quantised(31.5, yellow.mean, offset: 31.5) << 6
      | quantised(31.5, red.mean, offset: 31.5) << 12 | quantised(31, brightness.scale) << 18
      | (alpha == nil ? 0 : 1 << 23)
    let rest =
      (isLandscape ? down : across) | quantised(63, yellow.scale) << 3 | quantised(63, red.scale) << 9
      | (isLandscape ? 1 << 15 : 0)
    var bytes = [head, head >> 8, head >> 16, rest, rest >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if let alpha {
      bytes.append(UInt8(truncatingIfNeeded: quantised(15, alpha.mean) | quantised(15, alpha.scale) << 4))
    }
    let strengths = brightness.strengths + yellow.strengths + red.strengths + (alpha?.strengths ?? [])
    for (place, strength) in strengths.enumerated() {
      let four = UInt8(truncatingIfNeeded: quantised(15, strength))
      if place.isMultiple(of: 2) { bytes.append(four) } else { bytes[bytes.count - 1] |= four << 4 }
    }
    return bytes
  }

  private static func quantised(_ steps: Double, _ value: Double, offset: Double = 0) -> Int {
    Int((offset + steps * value).rounded(.toNearestOrEven))
  }

  private struct Channels {
    var brightness: [Double] = []
    var yellow: [Double] = []
    var red: [Double] = []
    var alpha: [Double] = []
    var hasAlpha = false

    /// Transparent pixels take the average colour, so that they disturb the waves least.
    init(_ picture: SmallPicture) {
      let (pixels, weights) = (picture.pixels.span, weights.span)
      var sums = (red: 0.0, green: 0.0, blue: 0.0, alpha: 0.0)
      let count = pixels.count / 4
      hasAlpha = (0..<count).contains { pixels[$0 * 4 + 3] < 255 }
      // Without alpha the average is of no account.
      for at in stride(from: 0, to: hasAlpha ? pixels.count : 0, by: 4) {
        let weight = weights[Int(pixels[at + 3])]
        sums.red += weight.colour * Double(pixels[at])
        sums.green += weight.colour * Double(pixels[at + 1])
        sums.blue += weight.colour * Double(pixels[at + 2])
        sums.alpha += weight.alpha
      }
      if sums.alpha > 0 { sums = (sums.red / sums.alpha, sums.green / sums.alpha, sums.blue / sums.alpha, sums.alpha) }
      brightness = [Double](repeating: 0, count: count)
      yellow = brightness
      red = brightness
      if hasAlpha { alpha = brightness }
      for place in 0..<count {
        let at = place * 4
        let weight = weights[Int(pixels[at + 3])]
        let red = sums.red * (1 - weight.alpha) + weight.colour * Double(pixels[at])
        let green = sums.green * (1 - weight.alpha) + weight.colour * Double(pixels[at + 1])
        let blue = sums.blue * (1 - weight.alpha) + weight.colour * Double(pixels[at + 2])
        brightness[place] = (red + green + blue) / 3
        yellow[place] = (red + green) / 2 - blue
        self.red[place] = red - green
        if hasAlpha { alpha[place] = weight.alpha }
      }
    }
  }

  /// The values that the 256 levels of alpha stand for, and the factors for samples of such pixels. Divisions took half
  /// of the time here.
  private static let weights: [(alpha: Double, colour: Double)] = (0..<256).map { value in
    let alpha = Double(value) / 255
    return (alpha, alpha / 255)
  }

  /// The waves of a channel: of `across` times `down`, the half whose frequencies add up to less.
  private static func waves(_ channel: [Double], _ size: PixelSize, _ across: Int, _ down: Int) -> Waves {
    let sums = Waveform.sums(channel, size, across, down)
    var waves = Waves()
    for row in 0..<down {
      var column = 0
      while column * down < across * (down - row) {
        let strength = sums[row * across + column] / Double(size.width * size.height)
        if row == 0, column == 0 {
          waves.mean = strength
        } else {
          waves.strengths.append(strength)
          waves.scale = max(waves.scale, abs(strength))
        }
        column += 1
      }
    }
    if waves.scale > 0 { waves.strengths = waves.strengths.map { 0.5 + 0.5 / waves.scale * $0 } }
    return waves
  }
}
