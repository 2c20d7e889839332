import Glibc

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

  /// The next place of these bytes that ends before `end`, or nil if there is none.
  package func place(of wanted: [UInt8], from start: Int = 0, before end: Int? = nil) -> Int? {
    guard let first = wanted.first else { return nil }
    let last = (end ?? count) - wanted.count
    var at = start
    while at <= last {
      at = span.extracting(first: last + 1).place(of: first, from: at)
      guard at <= last else { return nil }
      if self[at...].starts(with: wanted) { return at }
      at += 1
    }
    return nil
  }

  /// The number that is stored from a place on, its lowest byte first. It traps if the array ends before.
  func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int) -> Number {
    // Proof: any bits are a number, and the span checks its bounds.
    Number(littleEndian: unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Number.self))
  }

  package mutating func append(copying bytes: borrowing Span<UInt8>) {
    // Proof: the bytes are valid within the closure, which copies them.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
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
