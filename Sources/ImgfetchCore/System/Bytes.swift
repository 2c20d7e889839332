import Glibc

/// Encodes numbers and strings as bytes: numbers little-endian, strings after a length of 32 bits.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func put(_ value: some FixedWidthInteger) {
    var rest = value.littleEndian
    for _ in 0..<(value.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Appends a hash as `xxhsum -H2` prints it: the high half first, each half big-endian.
  mutating func put(_ hash: ContentHash) {
    put(hash.high.byteSwapped)
    put(hash.low.byteSwapped)
  }

  mutating func put(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

  /// Appends a string of any length, after a length of 32 bits.
  mutating func put(_ text: String) {
    put(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

/// Decodes what ``ByteWriter`` wrote. Every read is checked against the end and returns nil beyond it. No input can
/// make it trap.
struct ByteReader {
  private let bytes: [UInt8]
  private var place: Int
  private let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    let range = range.clamped(to: 0..<bytes.count)
    place = range.lowerBound
    end = range.upperBound
  }

  init(_ bytes: [UInt8]) { self.init(bytes, in: 0..<bytes.count) }

  var isAtEnd: Bool { place == end }

  mutating func take<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let width = Number.bitWidth / 8
    guard end - place >= width else { return nil }
    var value: Number = 0
    for at in 0..<width { value |= Number(truncatingIfNeeded: bytes[place + at]) << (8 * at) }
    place += width
    return value
  }

  mutating func takeHash() -> ContentHash? {
    guard let high = take(UInt64.self), let low = take(UInt64.self) else { return nil }
    return ContentHash(high: high.byteSwapped, low: low.byteSwapped)
  }

  mutating func takeRaw(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, end - place >= count else { return nil }
    defer { place += count }
    return bytes[place..<(place + count)]
  }

  mutating func takeText() -> String? {
    guard let count = take(UInt32.self), let raw = takeRaw(Int(count)) else { return nil }
    return String(decoding: raw, as: UTF8.self)
  }

  /// The texts that take up all of some bytes.
  static func texts(in bytes: ArraySlice<UInt8>) -> [String]? {
    if bytes.isEmpty { return [] }
    var reader = ByteReader([UInt8](bytes))
    var texts: [String] = []
    while !reader.isAtEnd {
      guard let text = reader.takeText() else { return nil }
      texts.append(text)
    }
    return texts
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends all bytes with one copy. There must be room for them, which is checked. Appending byte by byte checks for
  /// room at each byte, which took a third of the time of reading a response's header fields.
  package mutating func append(copying bytes: borrowing Span<UInt8>) {
    // Proof: `source.count` bytes are read and as many are written behind the initialised ones, where the precondition
    // has checked that there is room. The two do not overlap: the target has one owner, which is this call.
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe withUnsafeMutableBufferPointer { target, count in
        precondition(source.count <= target.count - count)
        guard let from = source.baseAddress, let start = target.baseAddress else { return }
        unsafe (start + count).initialize(from: from, count: source.count)
        count += source.count
      }
    }
  }
}

extension Span where Element == UInt8 {
  /// The index of the first `byte` at or after `start`; `count` if there is none.
  package func place(of byte: UInt8, from start: Int) -> Int {
    if start >= count { return count }
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return buffer.count }
      // Proof: `start` lies within the buffer and no byte beyond it is read. The result points into it or is null.
      guard let found = unsafe memchr(base + start, Int32(byte), buffer.count - start) else { return buffer.count }
      return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
  }
}

extension Array<UInt8> {
  /// True if both hold the same bytes. `==` compares one element at a time, which took a sixth of a cache hit whose
  /// output file exists.
  package func isSame(as other: [UInt8]) -> Bool { span.isSame(as: other.span) }
}

extension Span where Element == UInt8 {
  /// True if both hold the same bytes.
  package func isSame(as other: borrowing Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // Proof: both pointers are valid for `count` bytes within the closures. Empty spans may have none, and are equal.
    return unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
        return unsafe memcmp(left, right, mine.count) == 0
      }
    }
  }
}

extension String {
  /// The text of a range of bytes. Bytes that are not UTF-8 become U+FFFD. It makes no array or slice, either of which
  /// costs several times the copy, and names and URLs are cut for every image.
  package init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    if let text = try? UTF8Span(validating: bytes.extracting(range)) {
      self.init(copying: text)
      return
    }
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for index in range { copy.append(bytes[index]) }
    self.init(decoding: copy, as: UTF8.self)
  }
}

extension String {
  /// True if the text contains `part`. The standard library's own search links the regular expression engine.
  package func holds(_ part: String) -> Bool {
    var rest = utf8[...]
    while !rest.isEmpty {
      if rest.starts(with: part.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
