/// Collects the few bytes of a field from as many chunks as they are spread over. All walks read their fields through
/// it, so the cuts between chunks make no difference.
struct FieldBuffer: Sendable {
  /// The longest field that is read is an APNG's frame control with 26 bytes.
  private static let capacity = 32
  private var bytes = InlineArray<32, UInt8>(repeating: 0)
  private(set) var count = 0
  private var wanted = 0

  /// Starts a field of `count` bytes, or as many as there is room for.
  mutating func begin(_ count: Int) {
    self.count = 0
    wanted = min(count, Self.capacity)
  }

  var isComplete: Bool { count >= wanted }

  /// Takes the missing bytes from `source`, from `at` up to `end`, and advances `at`. Returns
  /// whether the field is complete.
  mutating func take(_ source: Span<UInt8>, _ at: inout Int, end: Int) -> Bool {
    while count < wanted, at < end {
      bytes[count] = source[at]
      count += 1
      at += 1
    }
    return isComplete
  }

  /// Drops the first bytes, so that as many more are needed.
  mutating func drop(_ dropped: Int) {
    for place in 0..<max(0, count - dropped) { bytes[place] = bytes[place + dropped] }
    count = max(0, count - dropped)
  }

  /// A byte of the field, or 0 beyond its collected bytes.
  subscript(place: Int) -> UInt8 { place < count ? bytes[place] : 0 }

  func big16(_ place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
  func big32(_ place: Int) -> Int { big16(place) << 16 | big16(place + 2) }
  func little16(_ place: Int) -> Int { Int(self[place + 1]) << 8 | Int(self[place]) }
  func little24(_ place: Int) -> Int { Int(self[place + 2]) << 16 | little16(place) }
  func little32(_ place: Int) -> Int { little16(place + 2) << 16 | little16(place) }

  /// True if the field begins with these characters.
  func begins(with text: StaticString) -> Bool { holds(text, at: 0) }

  /// True if these characters are at `place`.
  func holds(_ text: StaticString, at place: Int) -> Bool {
    text.withUTF8Buffer { letters in
      letters.indices.allSatisfy { unsafe place + $0 < count && self[place + $0] == letters[$0] }
    }
  }
}
