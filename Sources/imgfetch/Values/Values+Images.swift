import ImgfetchCore

extension Values {
  /// The largest side that can be requested: what the codecs can write. WebP allows less, and says so itself.
  static let sides = 1...65_535

  static func dimensions(_ text: String) throws(ValueError) -> PixelSize {
    guard let size = box(text, in: 0...sides.upperBound) else {
      throw ValueError("WIDTHxHEIGHT is wanted, such as 640x480")
    }
    return size
  }

  static func resizing(_ text: String) throws(ValueError) -> Resize.Wish {
    let wanted = ValueError("WxH, Wx, xH or N% is wanted, such as 256x256, 800x or 50%, with sides of up to 65535")
    if text.hasSuffix("%") {
      // From a tenth of a percent to a hundredfold.
      guard let (number, unit) = numberAndUnit(text), unit == "%", (0.1...10_000).contains(number) else { throw wanted }
      return .percent(number)
    }
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw wanted }
    switch (parts[0].isEmpty, parts[1].isEmpty) {
    case (true, true): throw wanted
    case (false, true):
      guard let width = side(parts[0], in: sides) else { throw wanted }
      return .width(width)
    case (true, false):
      guard let height = side(parts[1], in: sides) else { throw wanted }
      return .height(height)
    case (false, false):
      guard let size = box(text, in: sides) else { throw wanted }
      return .box(size)
    }
  }

  static func cropping(_ text: String) throws(ValueError) -> Crop {
    let wanted = ValueError("WxH or WxH+X+Y is wanted, such as 300x200 or 300x200+10+10")
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 3, let size = box(parts[0], in: sides) else { throw wanted }
    guard parts.count == 3 else { return Crop(size) }
    guard let x = side(parts[1], in: 0...sides.upperBound), let y = side(parts[2], in: 0...sides.upperBound) else {
      throw wanted
    }
    return Crop(size, x: x, y: y)
  }

  /// `3`, `1.5` or `16:9`: the longer side divided by the shorter one, so at least 1.
  static func ratio(_ text: String) throws(ValueError) -> Double {
    let wanted = ValueError("a ratio of 1 or more is wanted, such as 3 or 16:9")
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Double? in
      guard let (number, unit) = numberAndUnit(String(part)), unit.isEmpty, number > 0 else { return nil }
      return number
    }
    guard numbers.count == parts.count, let first = numbers.first else { throw wanted }
    switch numbers.count {
    case 1 where first >= 1: return first
    case 2: return max(first / numbers[1], numbers[1] / first)
    default: throw wanted
    }
  }

  static func colour(_ text: String) throws(ValueError) -> ImageTransform.Colour {
    if let named = colours.first(where: { $0.name == text.lowercased() }) { return hex(named.value) }
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.allSatisfy({ isHex($0) }), let value = UInt32(digits, radix: 16) else {
      throw colourWanted
    }
    switch digits.utf8.count {
    case 6: return hex(value)
    // #abc is #aabbcc.
    case 3: return hex((value >> 8 & 15) * 0x110000 + (value >> 4 & 15) * 0x1100 + (value & 15) * 0x11)
    default: throw colourWanted
    }
  }

  private static var colourWanted: ValueError {
    ValueError("#rrggbb, #rgb or one of \(colours.map(\.name).joined(separator: ", ")) is wanted")
  }

  /// The sixteen colour names of HTML.
  private static let colours: [(name: String, value: UInt32)] = [
    ("white", 0xFFFFFF), ("black", 0x000000), ("gray", 0x808080), ("silver", 0xC0C0C0), ("red", 0xFF0000),
    ("maroon", 0x800000), ("yellow", 0xFFFF00), ("olive", 0x808000), ("lime", 0x00FF00), ("green", 0x008000),
    ("aqua", 0x00FFFF), ("teal", 0x008080), ("blue", 0x0000FF), ("navy", 0x000080), ("fuchsia", 0xFF00FF),
    ("purple", 0x800080),
  ]

  private static func hex(_ value: UInt32) -> ImageTransform.Colour {
    ImageTransform.Colour(
      red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value))
  }

  static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func box(_ text: some StringProtocol, in range: ClosedRange<Int>) -> PixelSize? {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = side(parts[0], in: range), let height = side(parts[1], in: range) else {
      return nil
    }
    return PixelSize(width, height)
  }

  private static func side(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    guard let number = digits(text), range.contains(number) else { return nil }
    return number
  }
}
