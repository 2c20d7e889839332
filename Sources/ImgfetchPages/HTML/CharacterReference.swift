import ImgfetchCore

/// Reads one character reference of HTML behind its `&`, while its bytes arrive.
struct CharacterReference: Sendable {
  enum Step: Sendable {
    /// The reference continues.
    case more
    case ended
    /// The reference has ended before this byte, which has to be read again as text.
    case endedBefore
  }

  private enum State: Sendable {
    case start, named(NamedReferences.Candidates), number, hexStart, hex(UInt32), decimal(UInt32)
  }

  /// The text of the reference, once it has ended, or the original bytes if they are not a reference.
  private(set) var text: [UInt8] = [UInt8(ascii: "&")]
  private var state = State.start
  /// True in an attribute, where `&copy=1` is a part of a URL and no reference.
  private let isInAttribute: Bool

  init(isInAttribute: Bool) { self.isInAttribute = isInAttribute }

  mutating func take(_ byte: UInt8) -> Step {
    switch state {
    case .start:
      if byte == UInt8(ascii: "#") { return keep(byte, .number) }
      guard Self.isAlphanumeric(byte) else { return .endedBefore }
      state = .named(NamedReferences.all.candidates)
      return take(byte)
    case .named(var candidates): return take(byte, &candidates)
    case .number:
      if byte | 0x20 == UInt8(ascii: "x") { return keep(byte, .hexStart) }
      return begin(byte, radix: 10)
    case .hexStart: return begin(byte, radix: 16)
    case .decimal(let value): return go(on: byte, value, radix: 10)
    case .hex(let value): return go(on: byte, value, radix: 16)
    }
  }

  /// Ends the reference where the page ends.
  mutating func finish() {
    switch state {
    case .start, .number, .hexStart: break
    case .named(let candidates): resolve(candidates, before: nil)
    case .decimal(let value), .hex(let value): replace(by: value)
    }
  }

  private mutating func keep(_ byte: UInt8, _ next: State) -> Step {
    text.append(byte)
    state = next
    return .more
  }

  // MARK: Names

  private mutating func take(_ byte: UInt8, _ candidates: inout NamedReferences.Candidates) -> Step {
    var narrowed = candidates
    NamedReferences.all.narrow(&narrowed, by: byte)
    guard narrowed.isEmpty else { return keep(byte, .named(narrowed)) }
    resolve(candidates, before: byte)
    return .endedBefore
  }

  /// Replaces the longest name in the received bytes. In an attribute, a name without a semicolon is not a reference if
  /// more letters or an equals sign follow.
  private mutating func resolve(_ candidates: NamedReferences.Candidates, before next: UInt8?) {
    guard let found = candidates.found else { return }
    let rest = text[(1 + found.length)...]
    if isInAttribute, text[found.length] != UInt8(ascii: ";"), let follower = rest.first ?? next {
      if follower == UInt8(ascii: "=") || Self.isAlphanumeric(follower) { return }
    }
    var resolved: [UInt8] = []
    NamedReferences.all.append(found, to: &resolved)
    text = resolved + rest
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  // MARK: Numbers

  private static func digit(_ byte: UInt8, radix: UInt32) -> UInt32? {
    Hex.value(byte).map(UInt32.init).flatMap { $0 < radix ? $0 : nil }
  }

  private mutating func begin(_ byte: UInt8, radix: UInt32) -> Step {
    guard let digit = Self.digit(byte, radix: radix) else { return .endedBefore }
    state = radix == 16 ? .hex(digit) : .decimal(digit)
    return .more
  }

  private mutating func go(on byte: UInt8, _ value: UInt32, radix: UInt32) -> Step {
    guard let digit = Self.digit(byte, radix: radix) else {
      replace(by: value)
      return byte == UInt8(ascii: ";") ? .ended : .endedBefore
    }
    // Beyond the last code point it no longer matters by how much.
    let next = min(value * radix + digit, 0x11_0000)
    state = radix == 16 ? .hex(next) : .decimal(next)
    return .more
  }

  private mutating func replace(by value: UInt32) {
    let point = value == 0 ? 0xFFFD : Self.windowsPoints[value] ?? value
    text = Array(Unicode.Scalar(point).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter)
  }

  /// The numbers of control characters that stand for characters of Windows-1252.
  private static let windowsPoints: [UInt32: UInt32] = [
    0x80: 0x20AC, 0x82: 0x201A, 0x83: 0x0192, 0x84: 0x201E, 0x85: 0x2026, 0x86: 0x2020, 0x87: 0x2021, 0x88: 0x02C6,
    0x89: 0x2030, 0x8A: 0x0160, 0x8B: 0x2039, 0x8C: 0x0152, 0x8E: 0x017D, 0x91: 0x2018, 0x92: 0x2019, 0x93: 0x201C,
    0x94: 0x201D, 0x95: 0x2022, 0x96: 0x2013, 0x97: 0x2014, 0x98: 0x02DC, 0x99: 0x2122, 0x9A: 0x0161, 0x9B: 0x203A,
    0x9C: 0x0153, 0x9E: 0x017E, 0x9F: 0x0178,
  ]
}
