import ImgfetchCore

/// Parses the values of options: pure functions from text to values. Each error names the valid values.
enum Values {
  /// A whole number within a range.
  static func count(_ range: ClosedRange<Int>) -> @Sendable (String) throws(ValueError) -> Int {
    { (text) throws(ValueError) in
      guard let number = digits(text), range.contains(number) else {
        throw ValueError("a whole number from \(range.lowerBound) to \(range.upperBound) is wanted")
      }
      return number
    }
  }

  /// Bytes or pixels: `300`, `64K`, `1.5M`, `5G`, `2T`, in units of 1024.
  static func size(_ text: String) throws(ValueError) -> Int {
    let wanted = ValueError("a size is wanted, such as 64K, 1.5M or 5G")
    guard let (number, unit) = numberAndUnit(text) else { throw wanted }
    let factor: Double
    switch unit {
    case "", "B": factor = 1
    case "K", "k", "KiB": factor = 1024
    case "M", "m", "MiB": factor = 1_048_576
    case "G", "g", "GiB": factor = 1_073_741_824
    case "T", "t", "TiB": factor = 1_099_511_627_776
    default: throw ValueError(wanted.text + (sizeMeant(text, unit).map { "; did you mean \($0)?" } ?? ""))
    }
    let size = number * factor
    guard size <= Double(largestSize) else { throw wanted }
    return Int(size)
  }

  /// 2^53: a Double cannot count single bytes beyond it, and no disk is that large.
  private static let largestSize = 9_007_199_254_740_992

  /// The most of something, where 0 is no limit.
  static func limit(_ text: String) throws(ValueError) -> Int64 {
    let size = try size(text)
    return Int64(size > 0 ? size : largestSize)
  }

  /// A size with a unit of other programs, as it is written here: `5MB`, `5mb`, `5 M`.
  private static func sizeMeant(_ text: String, _ unit: Substring) -> String? {
    let letters = unit.utf8.filter { $0 != UInt8(ascii: " ") }.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
    guard let first = letters.first, "KMGT".utf8.contains(first),
      [[], Array("B".utf8), Array("IB".utf8), Array("BYTES".utf8)].contains(Array(letters.dropFirst()))
    else { return nil }
    let number = text.utf8.prefix { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    return String(decoding: Array(number) + [first], as: UTF8.self)
  }

  /// A time in nanoseconds: `15` and `15s` are seconds, `500ms`, `10m`, `1.5h`, `7d`, `2w`.
  static func duration(_ text: String) throws(ValueError) -> Int64 {
    let wanted = ValueError("a time is wanted, such as 500ms, 15s, 10m, 1.5h, 7d or 2w")
    guard let (number, unit) = numberAndUnit(text) else { throw wanted }
    let seconds: Double
    switch unit {
    case "ms": seconds = 0.001
    case "", "s": seconds = 1
    case "m": seconds = 60
    case "h": seconds = 3_600
    case "d": seconds = 86_400
    case "w": seconds = 604_800
    default: throw wanted
    }
    let span = number * seconds
    // A hundred years: more would overflow 64 bits of nanoseconds when added to a date.
    guard span <= 3_155_760_000 else { throw ValueError("at most a hundred years are possible") }
    return Int64(span * 1_000_000_000)
  }

  /// A duration in seconds.
  static func seconds(_ text: String) throws(ValueError) -> Double {
    Instant.Span(nanoseconds: try duration(text)).seconds
  }

  /// A time limit in seconds; nil for 0, which is no limit.
  static func timeLimit(_ text: String) throws(ValueError) -> Double? {
    let seconds = try seconds(text)
    return seconds > 0 ? seconds : nil
  }

  static func choice<C: Choice>(_ text: String, _: C.Type) throws(ValueError) -> C {
    guard let choice = C.allCases.first(where: { $0.word == text }) else { throw wanted(text, of: C.words) }
    return choice
  }

  /// Words separated by commas.
  static func choices<C: Choice>(_ text: String, _: C.Type) throws(ValueError) -> [C] {
    var choices: [C] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let choice = try choice(String(word), C.self)
      if !choices.contains(choice) { choices.append(choice) }
    }
    return choices
  }

  /// Words separated by commas, in lower case.
  static func words(_ text: String) throws(ValueError) -> [String] {
    let words = text.lowercased().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isWord = { (word: String) in
      !word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    }
    guard words.allSatisfy(isWord) else { throw ValueError("words separated by commas are wanted") }
    return words
  }

  private static func wanted(_ text: String, of words: [String]) -> ValueError {
    let list = words.dropLast().joined(separator: ", ")
    return ValueError("\(list) or \(words.last ?? "") is wanted" + Suggestion.question(for: text, among: words))
  }

  /// A file name or any other word: not empty, and without NUL, at which the system would cut it off.
  static func text(_ text: String) throws(ValueError) -> String {
    guard !text.isEmpty else { throw ValueError("it must not be empty") }
    guard !text.utf8.contains(0) else { throw ValueError("it must not contain a NUL byte") }
    return text
  }

  /// A file or folder of this machine. A URL would be taken as a path, and folders be made that are named after its
  /// parts.
  static func path(_ text: String) throws(ValueError) -> String {
    if TypedURL.hasScheme(text) { throw ValueError("a path on this machine is wanted, not a URL") }
    return try Values.text(text)
  }

  /// Digits only: no sign, no space.
  static func digits(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// `1.5M` as 1.5 and `M`. No sign, no exponent.
  static func numberAndUnit(_ text: String) -> (Double, Substring)? {
    let number = text.prefix { $0 == "." || ("0"..."9").contains($0) && $0.isASCII }
    let unit = text[number.endIndex...]
    // Nearly all numbers are whole, and Double's parser is slow to start.
    if let whole = digits(number) { return (Double(whole), unit) }
    guard !number.isEmpty, !number.hasPrefix("."), let value = Double(number), value.isFinite else { return nil }
    return (value, unit)
  }
}

extension Values {
  /// The largest side that can be requested: what the codecs can write. WebP allows less, and says so itself.
  static let sides = 1...65_535

  static func dimensions(_ text: String) throws(ValueError) -> PixelSize {
    guard let size = box(text, in: 0...sides.upperBound) else {
      throw ValueError("WIDTHxHEIGHT is wanted, such as 640x480")
    }
    return size
  }

  static func cells(_ text: String) throws(ValueError) -> PixelSize {
    guard let size = box(text, in: 1...1000) else {
      throw ValueError("COLSxROWS is wanted, such as 80x24, of up to 1000 each")
    }
    return size
  }

  static func resizing(_ text: String) throws(ValueError) -> Resize.Target {
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
    guard text.hasPrefix("#"), digits.utf8.allSatisfy({ Hex.value($0) != nil }), let value = UInt32(digits, radix: 16)
    else {
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
