import ImgfetchCore

/// The answers of a terminal to the questions of ``TerminalQuestions``, picked out of its input. A pure value.
///
/// A terminal sends its answers among typed text, so the two are separated here: text that is not an answer is kept as
/// ``typed``. Bytes may come in any pieces.
package struct TerminalAnswers {
  /// True if the terminal takes kitty's pictures; nil if it has not said.
  private(set) var hasKitty: Bool?
  /// The terminal's attributes, which every terminal tells, and tells last; nil if it has not.
  private(set) var attributes: [Int]?
  /// The size of a cell in pixels.
  private(set) var cell: PixelSize?
  /// True if the terminal can be told to show a whole redraw at once.
  private(set) var isSynchronising = false
  /// The bytes that were typed, in their order.
  private(set) var typed: [UInt8] = []
  /// A sequence that has begun.
  private var open: [UInt8] = []

  /// True if the last of the answers is there.
  var areComplete: Bool { attributes != nil }

  /// True if the terminal takes sixels, by its attributes.
  var hasSixels: Bool { attributes?.dropFirst().contains(4) ?? false }

  private static let escape: UInt8 = 0x1B
  /// A longer sequence is not an answer.
  private static let longest = 256

  mutating func take(_ bytes: [UInt8]) {
    for byte in bytes { take(byte) }
  }

  /// Ends the input: a sequence that has begun and does not continue was typed, as the key that begins all sequences.
  mutating func end() {
    typed += open
    open = []
  }

  /// Takes the text typed so far, which is handed out once.
  mutating func takeTyped() -> [UInt8] { exchange(&typed, with: []) }

  private mutating func take(_ byte: UInt8) {
    guard !open.isEmpty else {
      if byte == Self.escape { open = [byte] } else { typed.append(byte) }
      return
    }
    if open.count == 1, byte == Self.escape { return typed.append(byte) }
    open.append(byte)
    if open.count > Self.longest { return end() }
    switch open[1] {
    case UInt8(ascii: "["):
      // A sequence of this kind ends with a letter; the bracket itself is none.
      if open.count > 2, (0x40...0x7E).contains(byte) { close(isAnswer: takeControl()) }
    case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"):
      guard byte == UInt8(ascii: "\\") && open.dropLast().last == Self.escape || byte == 0x07 else { return }
      close(isAnswer: takeText())
    default: end()
    }
  }

  private mutating func close(isAnswer: Bool) {
    if !isAnswer { typed += open }
    open = []
  }

  /// Takes a control sequence; false if it is no answer.
  private mutating func takeControl() -> Bool {
    guard let last = open.last else { return false }
    let inner = open.dropFirst(2).dropLast()
    let numbers = inner.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { field in
      field.filter { (48...57).contains($0) }.prefix(6).reduce(0) { $0 * 10 + Int($1 - 48) }
    }
    switch last {
    case UInt8(ascii: "c") where inner.first == UInt8(ascii: "?"):
      attributes = numbers
      return true
    case UInt8(ascii: "y") where inner.first == UInt8(ascii: "?") && inner.last == UInt8(ascii: "$"):
      if numbers.first == 2026, let state = numbers.dropFirst().first { isSynchronising = (1...3).contains(state) }
      return true
    case UInt8(ascii: "t"):
      guard numbers.count == 3, numbers[0] == 6 else { return true }
      let (height, width) = (numbers[1], numbers[2])
      if (1...Self.largestCell).contains(height), (1...Self.largestCell).contains(width) {
        cell = PixelSize(width, height)
      }
      return true
    default: return false
    }
  }

  /// No letter is larger; a larger number is a mistake.
  private static let largestCell = 512

  /// Takes a text sequence; false if it is no answer. Nothing that is typed is one.
  private mutating func takeText() -> Bool {
    let text = String(decoding: open.dropFirst(2), as: UTF8.self)
    if open[1] == UInt8(ascii: "_"), text.hasPrefix("Gi=\(TerminalQuestions.number);") {
      hasKitty = text.dropFirst("Gi=\(TerminalQuestions.number);".count).hasPrefix("OK")
    }
    return true
  }
}
