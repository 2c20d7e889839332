import ImgfetchCore

/// Colours on a terminal, or none. Only the eight that every terminal has, in the user's own shades.
struct Style: Sendable {
  enum Tone: String, Sendable {
    case good = "32"
    case cached = "36"
    case warning = "33"
    case bad = "31"
    case faint = "2"
    case strong = "1"
  }

  let hasColour: Bool

  func text(_ text: String, _ tone: Tone) -> String {
    hasColour && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
  }
}
