/// Cuts a terminal's output into characters and sequences.
struct SequenceParser: Sendable {
  enum Sequence {
    case character(Character)
    case control(UInt8)
    case escape(UInt8)
    case csi(String, Character)
    case apc([UInt8])
    case osc([UInt8])
    case dcs([UInt8])
  }

  private enum Kind { case text, escape, csi, apc, osc, dcs }

  private var kind = Kind.text
  private var held: [UInt8] = []

  /// True if no sequence has begun.
  var isIdle: Bool { kind == .text && held.isEmpty }

  mutating func take(_ byte: UInt8) -> Sequence? {
    switch kind {
    case .text: return takeText(byte)
    case .escape: return takeEscape(byte)
    case .csi:
      guard (0x40...0x7E).contains(byte) else {
        held.append(byte)
        return nil
      }
      return end(.csi(String(decoding: held, as: UTF8.self), Character(Unicode.Scalar(byte))))
    case .apc, .osc, .dcs: return takeString(byte)
    }
  }

  private mutating func end(_ sequence: Sequence) -> Sequence {
    kind = .text
    held = []
    return sequence
  }

  private mutating func takeText(_ byte: UInt8) -> Sequence? {
    if byte == 0x1B {
      kind = .escape
      return nil
    }
    if byte < 0x20 { return .control(byte) }
    held.append(byte)
    let length = held[0] < 0x80 ? 1 : held[0] < 0xE0 ? 2 : held[0] < 0xF0 ? 3 : 4
    if held.count < length { return nil }
    return end(.character(String(decoding: held, as: UTF8.self).first ?? "\u{FFFD}"))
  }

  private mutating func takeEscape(_ byte: UInt8) -> Sequence? {
    switch byte {
    case UInt8(ascii: "["): kind = .csi
    case UInt8(ascii: "_"): kind = .apc
    case UInt8(ascii: "]"): kind = .osc
    case UInt8(ascii: "P"): kind = .dcs
    default: return end(.escape(byte))
    }
    return nil
  }

  private mutating func takeString(_ byte: UInt8) -> Sequence? {
    let isEnd = byte == UInt8(ascii: "\\") && held.last == 0x1B
    guard isEnd || (byte == 0x07 && kind == .osc) else {
      held.append(byte)
      return nil
    }
    let content = isEnd ? Array(held.dropLast()) : held
    return end(kind == .apc ? .apc(content) : kind == .osc ? .osc(content) : .dcs(content))
  }
}
