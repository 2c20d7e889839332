import Glibc

/// The small picture that a thumbhash stands for, as Evan Wallace defines it.
package struct ThumbHashPicture: Sendable {
  package let width: Int
  package let height: Int
  /// Red, green and blue of each pixel; what is transparent stands on grey.
  package let pixels: [UInt8]

  private struct Head {
    var brightness = 0.0, yellow = 0.0, red = 0.0, brightnessScale = 0.0, yellowScale = 0.0, redScale = 0.0
    var hasAlpha = false
    var across = 0, down = 0
    var alpha = 1.0, alphaScale = 0.0

    /// Nil: the bytes are no thumbhash.
    init?(_ hash: [UInt8]) {
      guard hash.count >= 5, hash.count <= 64 else { return nil }
      let first = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
      let second = Int(hash[3]) | Int(hash[4]) << 8
      brightness = Double(first & 63) / 63
      yellow = Double(first >> 6 & 63) / 31.5 - 1
      red = Double(first >> 12 & 63) / 31.5 - 1
      brightnessScale = Double(first >> 18 & 31) / 31
      hasAlpha = first >> 23 != 0
      yellowScale = Double(second >> 3 & 63) / 63
      redScale = Double(second >> 9 & 63) / 63
      let isLandscape = second >> 15 != 0
      let most = hasAlpha ? 5 : 7
      across = max(3, isLandscape ? most : second & 7)
      down = max(3, isLandscape ? second & 7 : most)
      if hasAlpha {
        guard hash.count >= 6 else { return nil }
        alpha = Double(hash[5] & 15) / 15
        alphaScale = Double(hash[5] >> 4) / 15
      }
    }

    var colour: (Double, Double, Double) { ThumbHashPicture.colour(brightness, yellow, red) }
  }

  /// Nil: the text is no thumbhash in base64.
  package init?(_ text: String, longer: Int = 20) {
    guard let hash = Self.bytes(of: text), let head = Head(hash) else { return nil }
    var place = head.hasAlpha ? 12 : 10
    func strengths(_ across: Int, _ down: Int, _ scale: Double) -> [Double] {
      var values: [Double] = []
      for row in 0..<down {
        var column = row == 0 ? 1 : 0
        while column * down < across * (down - row) {
          let byte = place / 2 < hash.count ? hash[place / 2] : 0
          let four = place.isMultiple(of: 2) ? byte & 15 : byte >> 4
          values.append((Double(four) / 7.5 - 1) * scale)
          place += 1
          column += 1
        }
      }
      return values
    }
    let brightness = strengths(head.across, head.down, head.brightnessScale)
    let yellow = strengths(3, 3, head.yellowScale * 1.25)
    let red = strengths(3, 3, head.redScale * 1.25)
    let alpha = head.hasAlpha ? strengths(5, 5, head.alphaScale) : []
    let ratio = Double(head.across) / Double(head.down)
    let width = max(1, Int((ratio > 1 ? Double(longer) : Double(longer) * ratio).rounded()))
    let height = max(1, Int((ratio > 1 ? Double(longer) / ratio : Double(longer)).rounded()))
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let across = (0..<7).map { cos(Double.pi / Double(width) * (Double(x) + 0.5) * Double($0)) }
        let down = (0..<7).map { cos(Double.pi / Double(height) * (Double(y) + 0.5) * Double($0)) }
        func sum(_ strengths: [Double], _ columns: Int, _ rows: Int) -> Double {
          var (sum, next) = (0.0, 0)
          for row in 0..<rows {
            var column = row == 0 ? 1 : 0
            while column * rows < columns * (rows - row) {
              sum += strengths[next] * across[column] * down[row] * 2
              next += 1
              column += 1
            }
          }
          return sum
        }
        let colour = Self.colour(
          head.brightness + sum(brightness, head.across, head.down), head.yellow + sum(yellow, 3, 3),
          head.red + sum(red, 3, 3))
        let opacity = head.hasAlpha ? min(max(head.alpha + sum(alpha, 5, 5), 0), 1) : 1
        for value in [colour.0, colour.1, colour.2] {
          pixels.append(UInt8(min(max(value * opacity + 0.5 * (1 - opacity), 0), 1) * 255))
        }
      }
    }
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  private static func colour(_ brightness: Double, _ yellow: Double, _ red: Double) -> (Double, Double, Double) {
    let blue = brightness - 2.0 / 3 * yellow
    let first = (3 * brightness - blue + red) / 2
    return (first, first - red, blue)
  }

  /// The average colour that a thumbhash tells; nil where the text is none.
  package static func average(of text: String) -> (red: UInt8, green: UInt8, blue: UInt8)? {
    guard let hash = bytes(of: text), let head = Head(hash) else { return nil }
    let colour = head.colour
    func byte(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 1) * 255) }
    return (byte(colour.0), byte(colour.1), byte(colour.2))
  }

  private static func bytes(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in text.utf8 {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="): continue
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
