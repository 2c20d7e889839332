import CDeflate
import CImageShim

/// The two loops over all bytes of an image, in C code that uses vector instructions.
enum FastBytes {
  /// The place, from `start` on, of the first 0xFF that is not followed by 0x00, or that is the last byte;
  /// the end if there is none.
  static func mark(in bytes: Span<UInt8>, from start: Int) -> Int {
    // Proof: pointer and count belong to one live buffer and are used inside the closure only; no
    // more than the count is read.
    let rest = bytes.extracting(droppingFirst: start)
    return unsafe start
      + rest.withUnsafeBufferPointer { unsafe Int(imgfetch_find_mark($0.baseAddress, $0.count)) }
  }

  /// The CRC-32 of the bytes in `range`, continued from `running`, which is 0 at first.
  static func crc32(_ running: UInt32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    // Proof: as above. A null pointer would reset the checksum, so an empty range is handled first.
    guard !range.isEmpty else { return running }
    return unsafe bytes.extracting(range).withUnsafeBufferPointer {
      unsafe libdeflate_crc32(running, $0.baseAddress, $0.count)
    }
  }
}
