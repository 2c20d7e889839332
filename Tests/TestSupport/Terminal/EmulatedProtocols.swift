import Foundation
import ImgfetchCore

/// A transmission of kitty's protocol that comes in chunks.
struct KittyTransmission: Sendable {
  var keys: [String: String] = [:]
  var payload = ""
}

// The three ways in which pictures come.
extension EmulatedScreen {
  mutating func takeKitty(_ content: [UInt8]) {
    guard content.first == UInt8(ascii: "G") else { return surprises.append("APC") }
    let parts = String(decoding: content.dropFirst(), as: UTF8.self).split(
      separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
    var keys: [String: String] = [:]
    for pair in parts[0].split(separator: ",") {
      let sides = pair.split(separator: "=", maxSplits: 1)
      if sides.count == 2 { keys[String(sides[0])] = String(sides[1]) }
    }
    if parts.count > 1, parts[1].utf8.count > 4096 { surprises.append("a chunk of \(parts[1].utf8.count)") }
    let number = keys["i"].flatMap { Int($0) } ?? 0
    switch keys["a"] {
    case "q": ask(.kitty(number))
    case "d":
      guard keys["d"] == "I" else { return surprises.append("deletion \(keys)") }
      pictures.removeAll { $0.number == number }
    case "T": kitty = KittyTransmission(keys: keys)
    case nil where !kitty.keys.isEmpty: break
    default: surprises.append("kitty \(keys)")
    }
    guard keys["a"] == "T" || keys["a"] == nil else { return }
    kitty.payload += parts.count > 1 ? String(parts[1]) : ""
    if keys["m"] != "1" {
      showKitty(kitty)
      kitty = KittyTransmission()
    }
  }

  private mutating func showKitty(_ sent: KittyTransmission) {
    func number(_ key: String) -> Int { sent.keys[key].flatMap { Int($0) } ?? 0 }
    let (width, height, samples) = (number("s"), number("v"), number("f") / 8)
    guard let data = Data(base64Encoded: sent.payload), samples == 3 || samples == 4,
      data.count == width * height * samples
    else { return surprises.append("kitty's pixels: \(sent.keys), \(sent.payload.count) characters") }
    let bytes = [UInt8](data)
    var pixels: [UInt8] = samples == 4 ? bytes : []
    if samples == 3 {
      for at in stride(from: 0, to: bytes.count, by: 3) {
        pixels += bytes[at..<at + 3]
        pixels.append(255)
      }
    }
    let (columns, lines) = (number("c"), number("r"))
    pictures.removeAll { $0.number == number("i") }
    add(pixels, width, height, (columns * cell.width, lines * cell.height), number: number("i"))
    if sent.keys["C"] != "1" {
      for _ in 1..<max(1, lines) { down() }
      move(toRow: row, column: column + columns)
    }
  }

  mutating func takeITerm(_ content: [UInt8]) {
    let text = String(decoding: content, as: UTF8.self)
    guard text.hasPrefix("1337;File="), let colon = text.firstIndex(of: ":") else {
      return surprises.append("OSC \(text.prefix(20))")
    }
    var keys: [String: String] = [:]
    for pair in text[..<colon].dropFirst("1337;File=".count).split(separator: ";") {
      let sides = pair.split(separator: "=", maxSplits: 1)
      if sides.count == 2 { keys[String(sides[0])] = String(sides[1]) }
    }
    guard keys["inline"] == "1", let data = Data(base64Encoded: String(text[text.index(after: colon)...])),
      keys["size"] == "\(data.count)", let columns = keys["width"].flatMap({ Int($0) }),
      let lines = keys["height"].flatMap({ Int($0) }), let picture = try? Self.decoded([UInt8](data))
    else { return surprises.append("iTerm2's file: \(keys)") }
    let place = row
    add(picture.pixels, picture.width, picture.height, (columns * cell.width, lines * cell.height))
    for _ in 1..<max(1, lines) { down() }
    // It leaves the cursor behind the picture.
    move(toRow: max(row, place), column: column + columns)
  }

  private static func decoded(_ bytes: [UInt8]) throws -> (width: Int, height: Int, pixels: [UInt8]) {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    let facts = try inspector.finish()
    let picture = try ShownFrames.first(
      of: ImageBody(.bytes(bytes)), facts, size: PixelSize(facts.width, facts.height), PixelLimits())
    return (facts.width, facts.height, picture.bytes)
  }

  mutating func takeSixel(_ content: [UInt8]) {
    guard let start = content.firstIndex(of: UInt8(ascii: "q")), let sixels = Sixels(content[(start + 1)...]) else {
      return surprises.append("DCS")
    }
    add(sixels.pixels, sixels.width, sixels.height, (sixels.width, sixels.height))
    for _ in 0..<(sixels.height + cell.height - 1) / cell.height { down() }
    move(toRow: row, column: 0)
  }

  private mutating func add(
    _ pixels: [UInt8], _ width: Int, _ height: Int, _ shown: (width: Int, height: Int), number: Int? = nil
  ) {
    picturesDrawn += 1
    // Without a number a picture is painted, and nothing is left of one below it.
    if number == nil {
      pictures.removeAll { [row, column] other in
        !other.isKittys && other.row == row && other.column == column && other.shownWidth <= shown.width
          && other.shownHeight <= shown.height
      }
    }
    pictures.append(
      EmulatedPicture(
        row: row, column: column, width: width, height: height, pixels: pixels, shownWidth: shown.width,
        shownHeight: shown.height, number: number))
  }
}

/// A picture of sixels.
private struct Sixels {
  var width = 0
  var height = 0
  var pixels: [UInt8] = []

  init?(_ content: ArraySlice<UInt8>) {
    var rest = content
    func number() -> Int {
      var value = 0
      while let byte = rest.first, (48...57).contains(byte) {
        value = value * 10 + Int(byte - 48)
        rest.removeFirst()
      }
      return value
    }
    func numbers() -> [Int] {
      var all = [number()]
      while rest.first == UInt8(ascii: ";") {
        rest.removeFirst()
        all.append(number())
      }
      return all
    }
    guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
    let raster = numbers()
    guard raster.count == 4 else { return nil }
    (width, height) = (raster[2], raster[3])
    pixels = [UInt8](repeating: 0, count: width * height * 4)
    var colours: [Int: [UInt8]] = [:]
    var (colour, x, top): ([UInt8]?, Int, Int) = (nil, 0, 0)
    while let byte = rest.popFirst() {
      var count = 1
      var sixel = byte
      switch byte {
      case UInt8(ascii: "#"):
        let values = numbers()
        if values.count == 5 { colours[values[0]] = values[2...].map { UInt8(($0 * 255 + 50) / 100) } + [255] }
        guard let known = colours[values[0]] else { return nil }
        colour = known
        continue
      case UInt8(ascii: "$"):
        x = 0
        continue
      case UInt8(ascii: "-"):
        (x, top) = (0, top + 6)
        continue
      case UInt8(ascii: "!"):
        count = number()
        sixel = rest.popFirst() ?? 0
      default: break
      }
      guard (63...126).contains(sixel), let colour, x + count <= width else { return nil }
      for bit in 0..<6 where (sixel - 63) >> UInt8(bit) & 1 == 1 {
        guard top + bit < height else { return nil }
        for column in x..<x + count {
          let at = ((top + bit) * width + column) * 4
          pixels.replaceSubrange(at..<at + 4, with: colour)
        }
      }
      x += count
    }
  }
}
