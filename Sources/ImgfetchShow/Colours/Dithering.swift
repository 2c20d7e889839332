import ImgfetchCore

/// The colours of a picture where only those of ``Palette`` are there.
enum Dithering {
  /// The least alpha of a pixel that is drawn. A pixel with less is not drawn at all.
  static let opaque: UInt8 = 128

  /// The number of the nearest colour for each pixel, -1 if it is transparent. The error of each pixel is divided among
  /// those to come (Floyd and Steinberg).
  static func numbers(_ picture: PixelBuffer) -> [Int16] {
    let (width, height) = (picture.size.width, picture.size.height)
    let pixels = picture.bytes
    var numbers: [Int16] = []
    numbers.reserveCapacity(width * height)
    // The errors of this row and the next, three for each pixel, with a pixel of room on both sides.
    var errors = [Int32](repeating: 0, count: (width + 2) * 3)
    var next = errors
    for row in 0..<height {
      for column in 0..<width {
        let (at, place) = ((row * width + column) * 4, (column + 1) * 3)
        guard pixels[at + 3] >= opaque else {
          numbers.append(-1)
          continue
        }
        func wanted(_ channel: Int) -> Int {
          min(255, max(0, Int(pixels[at + channel]) + Int(errors[place + channel]) / 16))
        }
        let colour = PictureColour(red: wanted(0), green: wanted(1), blue: wanted(2))
        let number = Palette.nearest(to: colour)
        numbers.append(Int16(number))
        let found = Palette.colour(Int(number))
        func pass(_ error: Int, _ channel: Int) {
          let error = Int32(error)
          errors[place + 3 + channel] += error * 7
          next[place - 3 + channel] += error * 3
          next[place + channel] += error * 5
          next[place + 3 + channel] += error
        }
        pass(colour.red - found.red, 0)
        pass(colour.green - found.green, 1)
        pass(colour.blue - found.blue, 2)
      }
      swap(&errors, &next)
      for at in next.indices { next[at] = 0 }
    }
    return numbers
  }
}
