import Glibc

extension Span where Element == UInt8 {
  /// The place of the first such byte from `start` on; the end if there is none.
  package func place(of byte: UInt8, from start: Int) -> Int {
    if start >= count { return count }
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return buffer.count }
      // Proof: no byte is looked at beyond the buffer, of which `start` lies within; the answer points into it or is null.
      guard let found = unsafe memchr(base + start, Int32(byte), buffer.count - start) else { return buffer.count }
      return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
  }
}
