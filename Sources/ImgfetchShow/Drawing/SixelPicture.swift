import ImgfetchCore

/// A picture as sixels: bands of six rows, in each of which every colour has a line of its own.
///
/// Written here and not by libsixel: the palette is that of the half blocks, dithered, so only these lines are left to
/// write. A palette made for the picture would change with each of its stages.
enum SixelPicture {
  private static let band = 6

  static func text(_ picture: PixelBuffer) -> [UInt8] {
    let (width, height) = (picture.size.width, picture.size.height)
    guard width > 0, height > 0, picture.bytes.count == width * height * 4 else { return [] }
    let numbers = Dithering.numbers(picture)
    var text: [UInt8] = []
    // Pixels that no colour is given keep what is below them.
    text.append(contentsOf: "\u{1B}P0;1;0q\"1;1;\(width);\(height)".utf8)
    var isDefined = [Bool](repeating: false, count: 256)
    for number in numbers where number >= 0 && !isDefined[Int(number)] {
      isDefined[Int(number)] = true
      let colour = Palette.colour(Int(number))
      func percent(_ value: Int) -> Int { (value * 100 + 127) / 255 }
      text.append(
        contentsOf: "#\(number);2;\(percent(colour.red));\(percent(colour.green));\(percent(colour.blue))".utf8)
    }
    for top in stride(from: 0, to: height, by: band) {
      append(numbers, width, rows: top..<min(height, top + band), to: &text)
      text.append(UInt8(ascii: "-"))
    }
    text.append(contentsOf: "\u{1B}\\".utf8)
    return text
  }

  private static func append(_ numbers: [Int16], _ width: Int, rows: Range<Int>, to text: inout [UInt8]) {
    var lines: [Int16: [UInt8]] = [:]
    for row in rows {
      let bit: UInt8 = 1 << UInt8(row - rows.lowerBound)
      for column in 0..<width {
        let number = numbers[row * width + column]
        if number >= 0 { lines[number, default: [UInt8](repeating: 0, count: width)][column] |= bit }
      }
    }
    var isFirst = true
    for (number, line) in lines.sorted(by: { $0.key < $1.key }) {
      // Back to the beginning of the band.
      if !isFirst { text.append(UInt8(ascii: "$")) }
      isFirst = false
      text.append(contentsOf: "#\(number)".utf8)
      var at = 0
      while at < width {
        var end = at + 1
        while end < width, line[end] == line[at] { end += 1 }
        // An empty rest need not be written.
        if end == width, line[at] == 0 { break }
        if end - at > 3 { text.append(contentsOf: "!\(end - at)".utf8) }
        text += repeatElement(63 + line[at], count: end - at > 3 ? 1 : end - at)
        at = end
      }
    }
  }
}
