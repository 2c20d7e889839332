/// Characters that change what a person sees without being visible. From a server, they are allowed neither on a
/// terminal nor in a file name.
enum Unprintable {
  /// True if a scalar is a control character, changes the direction of text, is invisible, or is not a character.
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x7F { return value < 0x20 }
    if value < 0xAD { return value <= 0x9F }
    // There is none between the last range of the basic plane and the next plane.
    return ranges.contains { $0.contains(value) }
  }

  /// Unicode's default-ignorable and bidirectional control characters, line and paragraph separators, the replacement
  /// character (which stands for invalid bytes), non-characters and annotation marks.
  private static let ranges: [ClosedRange<UInt32>] = [
    0x00AD...0x00AD,  // soft hyphen
    0x034F...0x034F,  // grapheme joiner
    0x061C...0x061C,  // Arabic letter mark
    0x115F...0x1160,  // Hangul fillers
    0x17B4...0x17B5,  // Khmer inherent vowels
    0x180B...0x180F,  // Mongolian selectors
    0x200B...0x200F,  // zero-width space, joiners, direction marks
    0x2028...0x202E,  // separators, embeddings and overrides
    0x2060...0x206F,  // joiners, isolates, deprecated formats
    0x3164...0x3164,  // Hangul filler
    0xFDD0...0xFDEF,  // non-characters
    0xFE00...0xFE0F,  // variation selectors
    0xFEFF...0xFEFF,  // byte order mark
    0xFFA0...0xFFA0,  // half-width Hangul filler
    0xFFF0...0xFFFF,  // annotations, replacement character, non-characters
    0x1BCA0...0x1BCA3,  // shorthand formats
    0x1D173...0x1D17A,  // musical formats
    0x1FFFE...0x1FFFF,
    0xE0000...0xE0FFF,  // tags and selectors
    0xFFFFE...0xFFFFF,
    0x10FFFE...0x10FFFF,
  ]
}
