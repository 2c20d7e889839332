import ImgfetchCore

/// Draws a picture as text: each character is the upper half of its cell in one colour, over the lower half in another.
///
/// It needs no other ability of a terminal than colours, and leaves nothing behind: each line ends with the usual
/// colours.
package struct HalfBlocks: Sendable {
  private enum Fill: Hashable {
    /// The terminal's own background, where the picture is transparent.
    case none
    case colour(UInt8, UInt8, UInt8)
    case number(UInt8)
  }

  package let colours: TerminalColours

  package init(colours: TerminalColours) { self.colours = colours }

  /// The lines of a picture, each with its line break.
  package func text(_ picture: PixelBuffer) -> [UInt8] {
    let (width, height) = (picture.size.width, picture.size.height)
    guard width > 0, height > 0, picture.bytes.count == width * height * 4 else { return [] }
    let fills = colours == .all ? Self.fills(picture) : Self.dithered(picture)
    var text: [UInt8] = []
    for row in stride(from: 0, to: height, by: 2) {
      var (front, back) = (Fill.none, Fill.none)
      for column in 0..<width {
        let upper = fills[row * width + column]
        let lower = row + 1 < height ? fills[(row + 1) * width + column] : .none
        // The front colour cannot be none, so a cell with an empty upper half is drawn with the lower one in front.
        let isLower = upper == .none && lower != .none
        let (newFront, newBack) = isLower ? (lower, upper) : (upper, lower)
        if newBack != back {
          Self.append(newBack, "48", "49", to: &text)
          back = newBack
        }
        if newFront != .none, newFront != front {
          Self.append(newFront, "38", "39", to: &text)
          front = newFront
        }
        text.append(contentsOf: (newFront == .none ? " " : isLower ? "\u{2584}" : "\u{2580}").utf8)
      }
      text.append(contentsOf: "\u{1B}[0m\n".utf8)
    }
    return text
  }

  private static func append(_ fill: Fill, _ lead: String, _ none: String, to text: inout [UInt8]) {
    switch fill {
    case .none: text.append(contentsOf: "\u{1B}[\(none)m".utf8)
    case .colour(let red, let green, let blue):
      text.append(contentsOf: "\u{1B}[\(lead);2;\(red);\(green);\(blue)m".utf8)
    case .number(let number): text.append(contentsOf: "\u{1B}[\(lead);5;\(number)m".utf8)
    }
  }

  private static func fills(_ picture: PixelBuffer) -> [Fill] {
    let pixels = picture.bytes
    return stride(from: 0, to: pixels.count, by: 4).map { at in
      pixels[at + 3] < Dithering.opaque ? .none : .colour(pixels[at], pixels[at + 1], pixels[at + 2])
    }
  }

  private static func dithered(_ picture: PixelBuffer) -> [Fill] {
    Dithering.numbers(picture).map { $0 < 0 ? .none : .number(UInt8(clamping: $0)) }
  }
}
