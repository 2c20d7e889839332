import ImgfetchCore

/// A line that waits for its host: where to read it again, and its numbers. Up to 200,000 of them exist at once, so
/// that each has 16 bytes.
struct DeferredLine {
  /// The index of its source.
  var source: Int { Int(place >> 56) }
  /// The line's offset in its source.
  var offset: Int64 { Int64(place & ((1 << 40) - 1)) }
  /// Fifteen bits of its hash, since a list may change while it is read.
  var check: UInt16 { UInt16(truncatingIfNeeded: place >> 40) & Self.checkMask }
  /// True if an earlier line has the same name.
  var isRepeated: Bool { place >> 55 & 1 == 1 }
  var index: Int { Int(order) }
  /// The line's number in its list; nil for an operand.
  var number: Int? { numberOrZero == 0 ? nil : Int(numberOrZero) }

  private let place: UInt64
  private let order: UInt32
  private let numberOrZero: UInt32

  static let checkMask: UInt16 = 0x7FFF
  /// The maximum number of sources.
  static let sources = 1 << 8

  /// Nil if a value does not fit: a list of a terabyte, or of four thousand million lines.
  init?(source: Int, offset: Int64, check: UInt16, isRepeated: Bool, index: Int, number: Int?) {
    guard
      let source = UInt8(exactly: source), offset >= 0, offset < 1 << 40, let order = UInt32(exactly: index),
      let numberOrZero = UInt32(exactly: number ?? 0)
    else { return nil }
    place = UInt64(source) << 56 | (isRepeated ? 1 << 55 : 0) | UInt64(check & Self.checkMask) << 40 | UInt64(offset)
    self.order = order
    self.numberOrZero = numberOrZero
  }

  init(_ note: LookAhead.Note) {
    place = note.first
    order = UInt32(truncatingIfNeeded: note.second >> 32)
    numberOrZero = UInt32(truncatingIfNeeded: note.second)
  }

  var note: LookAhead.Note { LookAhead.Note(place, UInt64(order) << 32 | UInt64(numberOrZero)) }
}
