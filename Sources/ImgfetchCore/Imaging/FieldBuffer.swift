import CDeflate
import CImageShim

/// A few bytes of a field, gathered from as many chunks as it takes. All walks read their fields through it, so that
/// where chunks are cut makes no difference.
struct Gathered: Sendable {
  /// The longest field that is read: an APNG's frame control has 26 bytes.
  private static let capacity = 32
  private var bytes = InlineArray<32, UInt8>(repeating: 0)
  private(set) var count = 0
  private var wanted = 0

  /// Forgets what was gathered, and wants so many bytes (as many as there is room for, at most).
  mutating func begin(_ count: Int) {
    self.count = 0
    wanted = min(count, Self.capacity)
  }

  var isComplete: Bool { count >= wanted }

  /// Takes what is still missing from `source`, moving `at` and not reading beyond `end`; says whether all is there.
  mutating func take(_ source: Span<UInt8>, _ at: inout Int, end: Int) -> Bool {
    while count < wanted, at < end {
      bytes[count] = source[at]
      count += 1
      at += 1
    }
    return isComplete
  }

  /// Forgets the first bytes, so that as many more are wanted.
  mutating func drop(_ dropped: Int) {
    for place in 0..<max(0, count - dropped) { bytes[place] = bytes[place + dropped] }
    count = max(0, count - dropped)
  }

  /// A byte; 0 beyond what was gathered.
  subscript(place: Int) -> UInt8 { place < count ? bytes[place] : 0 }

  func big16(_ place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
  func big32(_ place: Int) -> Int { big16(place) << 16 | big16(place + 2) }
  func little16(_ place: Int) -> Int { Int(self[place + 1]) << 8 | Int(self[place]) }
  func little24(_ place: Int) -> Int { Int(self[place + 2]) << 16 | little16(place) }
  func little32(_ place: Int) -> Int { little16(place + 2) << 16 | little16(place) }

  /// Whether it begins with these characters.
  func begins(with text: StaticString) -> Bool { holds(text, at: 0) }

  /// Whether these characters stand at `place`.
  func holds(_ text: StaticString, at place: Int) -> Bool {
    var index = place
    for byte in text.description.utf8 {
      guard index < count, self[index] == byte else { return false }
      index += 1
    }
    return true
  }
}

/// The two loops over all bytes of an image, done by C code that uses vector instructions. Measured: 50 GB/s for the
/// coded data of a large JPEG, 15 GB/s for a PNG's sums (zlib's own: 2); a JPEG of 8 KB is inspected in 1.2 microseconds.
enum FastBytes {
  /// The place, at or after `start`, of the first 0xFF that no 0x00 follows (or that is the last byte); the end if
  /// there is none.
  static func mark(in bytes: Span<UInt8>, from start: Int) -> Int {
    // Proof: the pointer and count are those of one live buffer, used inside the closure only; the function reads no
    // further than the count.
    let rest = bytes.extracting(droppingFirst: start)
    return unsafe start
      + rest.withUnsafeBufferPointer { unsafe Int(imgfetch_find_mark($0.baseAddress, $0.count)) }
  }

  /// The CRC-32 of the bytes in `range`, going on from that of the bytes before (0 at first).
  static func crc32(_ running: UInt32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    // Proof: as above. A null pointer would be taken as a wish for the first value, so an empty range never gets there.
    guard !range.isEmpty else { return running }
    return unsafe bytes.extracting(range).withUnsafeBufferPointer {
      unsafe libdeflate_crc32(running, $0.baseAddress, $0.count)
    }
  }
}
