import Glibc

/// BlurHash, as Dag Ågren of Wolt defines it, with the 4 by 3 waves that he recommends.
enum BlurHash {
  private static let across = 4
  private static let down = 3
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

  /// The hash. The picture is upright, as it will be shown.
  static func text(of picture: SmallPicture) -> String {
    // Samples are made linear first: that is how light adds up. Its definition takes them at the pixels' first corners.
    let (pixels, light) = (picture.pixels.span, linear.span)
    let channels = (0..<3).map { sample in
      let samples = [Double](capacity: pixels.count / 4) { samples in
        for at in stride(from: sample, to: pixels.count, by: 4) { samples.append(light[Int(pixels[at])]) }
      }
      return Waveform.sums(samples, picture.size, across, down, offset: 0)
    }
    let count = Double(picture.size.area)
    var text: [UInt8] = []
    append(across - 1 + (down - 1) * 9, digits: 1, to: &text)
    // All waves but the first, which is the mean, count twice.
    let others = (1..<across * down).map { wave in channels.map { 2 * $0[wave] / count } }
    let largest = others.joined().reduce(0) { max($0, abs($1)) }
    let scale = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
    append(scale, digits: 1, to: &text)
    let mean = channels.map { standard($0[0] / count) }
    append(mean[0] << 16 + mean[1] << 8 + mean[2], digits: 4, to: &text)
    for wave in others {
      let steps = wave.map { step($0 / (Double(scale + 1) / 166)) }
      append((steps[0] * 19 + steps[1]) * 19 + steps[2], digits: 2, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// One of 19 steps for a strength between -1 and 1, finer around 0.
  private static func step(_ strength: Double) -> Int {
    let root = strength < 0 ? -(-strength).squareRoot() : strength.squareRoot()
    return max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
  }

  private static func append(_ value: Int, digits count: Int, to text: inout [UInt8]) {
    var divisor = (1..<count).reduce(1) { product, _ in product * digits.count }
    for _ in 0..<count {
      text.append(digits[value / divisor % digits.count])
      divisor /= digits.count
    }
  }

  /// The light of each of the 256 values of sRGB.
  private static let linear: [Double] = (0..<256).map { value in
    let value = Double(value) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func standard(_ light: Double) -> Int {
    let light = max(0, min(1, light))
    let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    return Int(value * 255 + 0.5)
  }
}
