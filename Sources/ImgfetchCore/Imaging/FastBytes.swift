import CDeflate
import CImageShim

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
