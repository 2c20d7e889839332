/// The 240 fixed colours of xterm's palette: a cube of six levels, and 24 greys.
enum Palette {
  private static let levels = [0, 95, 135, 175, 215, 255]

  static func nearest(to colour: PictureColour) -> UInt8 {
    // The first step is wider than the others.
    func step(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40) }
    let cube = 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue)
    let mean = (colour.red + colour.green + colour.blue) / 3
    let grey = 232 + min(23, max(0, (mean - 3) / 10))
    let isGreyNearer = distance(colour, Self.colour(grey)) < distance(colour, Self.colour(cube))
    return UInt8(clamping: isGreyNearer ? grey : cube)
  }

  static func colour(_ number: Int) -> PictureColour {
    if number >= 232 {
      let level = 8 + 10 * (number - 232)
      return PictureColour(red: level, green: level, blue: level)
    }
    let place = min(215, max(0, number - 16))
    return PictureColour(red: levels[place / 36], green: levels[place / 6 % 6], blue: levels[place % 6])
  }

  private static func distance(_ one: PictureColour, _ other: PictureColour) -> Int {
    let (red, green, blue) = (one.red - other.red, one.green - other.green, one.blue - other.blue)
    return red * red + green * green + blue * blue
  }
}
