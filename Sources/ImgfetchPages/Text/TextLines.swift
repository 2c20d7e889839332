/// The lines of a text while its bytes arrive. A line that is too long is cut.
struct TextLines: Sendable {
  private var line: [UInt8] = []

  static let longest = 1 << 16

  /// Takes the next byte, and returns the line that it ends.
  mutating func take(_ byte: UInt8) -> [UInt8]? {
    if byte == UInt8(ascii: "\n") { return takeLine() }
    if line.count < Self.longest { line.append(byte) }
    return nil
  }

  /// Takes what has come of the line.
  mutating func takeLine() -> [UInt8] { exchange(&line, with: []) }
}
