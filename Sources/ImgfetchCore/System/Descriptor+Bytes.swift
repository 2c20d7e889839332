import CPosixShim
import Glibc

// Reading and writing. Short writes are gone on with; a read of nothing is the end.
extension Descriptor {
  /// Appends up to `count` bytes from the current place to `buffer`; the answer is how many came (0 at the end).
  package borrowing func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> Int {
    try unsafe appending(count, to: &buffer) { base throws(SystemError) in
      try SystemCall.read.perform(upTo: count) { unsafe Glibc.read(raw, base, $0) }
    }
  }

  /// Appends up to `count` bytes from `offset` to `buffer`; fewer come only at the end of the file.
  package borrowing func read(
    into buffer: inout [UInt8], count: Int, at offset: Int64
  ) throws(SystemError) -> Int {
    try unsafe appending(count, to: &buffer) { base throws(SystemError) in
      var done = 0
      while done < count {
        let got = try SystemCall.pread.perform(upTo: count - done) {
          unsafe Glibc.pread(raw, base + done, $0, off_t(offset) + done)
        }
        if got == 0 { break }
        done += got
      }
      return done
    }
  }

  private borrowing func appending(
    _ count: Int, to buffer: inout [UInt8], _ fill: (UnsafeMutableRawPointer) throws(SystemError) -> Int
  ) throws(SystemError) -> Int {
    guard count > 0 else { return 0 }
    if buffer.isEmpty && buffer.capacity < count {
      // Into new memory that nobody fills with zeros first: for an entry that took as long as hashing it.
      var result = Result<Int, SystemError>.success(0)
      buffer = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        guard let base = bytes.baseAddress else { return }
        do throws(SystemError) {
          // Proof: the call fills what it says it has filled, and no more than `count` bytes.
          initialized = try unsafe fill(base)
          result = .success(initialized)
        } catch { result = .failure(error) }
      }
      return try result.get()
    }
    let start = buffer.count
    var got = 0
    // Proof: the pointer is used only inside the closure, for `count` bytes that were appended just before.
    buffer.append(contentsOf: repeatElement(0 as UInt8, count: count))
    defer { buffer.removeLast(count - got) }
    got = try unsafe buffer.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) -> Int in
      guard let base = bytes.baseAddress else { return 0 }
      return try unsafe fill(base + start)
    }
    return got
  }

  /// Writes all of it at the current place.
  package borrowing func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        done += try SystemCall.write.perform(upTo: bytes.count - done) { unsafe Glibc.write(raw, base + done, $0) }
      }
    }
  }

  /// Writes all of it at `offset`.
  package borrowing func write(_ bytes: borrowing Span<UInt8>, at offset: Int64) throws(SystemError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        done += try SystemCall.pwrite.perform(upTo: bytes.count - done) {
          unsafe Glibc.pwrite(raw, base + done, $0, off_t(offset) + done)
        }
      }
    }
  }

  /// Writes the one and then the other at the current place, with one call where that suffices.
  package borrowing func write(_ first: borrowing Span<UInt8>, _ second: borrowing Span<UInt8>) throws(SystemError) {
    let written = try unsafe first.withUnsafeBufferPointer { (head) throws(SystemError) -> Int in
      try unsafe second.withUnsafeBufferPointer { (tail) throws(SystemError) -> Int in
        var parts = unsafe [
          iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
          iovec(iov_base: UnsafeMutableRawPointer(mutating: tail.baseAddress), iov_len: tail.count),
        ]
        return try SystemCall.writev.perform(upTo: head.count + tail.count) { count in
          unsafe parts[0].iov_len = min(head.count, count)
          unsafe parts[1].iov_len = count - min(head.count, count)
          return unsafe writev(raw, &parts, 2)
        }
      }
    }
    if written < first.count {
      try write(first.extracting(written..<first.count))
      try write(second)
    } else {
      try write(second.extracting((written - first.count)..<second.count))
    }
  }

  /// Copies bytes from this file to another, in the kernel where it can. Both places are given; neither file's own
  /// place moves. The answer is how many were copied (fewer only at the end of this file).
  package borrowing func copy(
    from offset: Int64, count: Int, to other: borrowing Descriptor, at target: Int64
  ) throws(SystemError) -> Int {
    var done = 0
    while done < count {
      var source = offset + Int64(done)
      var sink = target + Int64(done)
      let fromRaw = raw
      let toRaw = other.raw
      do {
        let got = try SystemCall.copyFileRange.perform(upTo: count - done) {
          unsafe imgfetch_copy_file_range(fromRaw, &source, toRaw, &sink, $0)
        }
        if got == 0 { return done }
        done += got
      } catch {
        guard [.crossDevice, .invalidArgument, .notImplemented, .notSupported].contains(error.code) else { throw error }
        return try done + copyByHand(from: source, count: count - done, to: other, at: sink)
      }
    }
    return done
  }

  private borrowing func copyByHand(
    from offset: Int64, count: Int, to other: borrowing Descriptor, at target: Int64
  ) throws(SystemError) -> Int {
    var done = 0
    var piece: [UInt8] = []
    while done < count {
      piece.removeAll(keepingCapacity: true)
      let got = try read(into: &piece, count: min(1 << 17, count - done), at: offset + Int64(done))
      if got == 0 { break }
      try other.write(piece.span, at: target + Int64(done))
      done += got
    }
    return done
  }

  /// Where the next read begins; an error where there are no places.
  package borrowing func position() throws(SystemError) -> Int64 {
    Int64(try SystemCall.lseek.perform { lseek(raw, 0, SEEK_CUR) })
  }

  package borrowing func truncate(to length: Int64) throws(SystemError) {
    _ = try SystemCall.ftruncate.perform { ftruncate(raw, off_t(length)) }
  }

  /// Reserves the space, so that later writes (and mapped pages) cannot fail for want of it.
  package borrowing func reserve(_ length: Int64) throws(SystemError) {
    _ = try SystemCall.fallocate.perform { () -> Int32 in
      let code = posix_fallocate(raw, 0, off_t(length))  // answers the error itself, not through errno
      if code != 0 { errno = code }
      return code == 0 ? 0 : -1
    }
  }

  /// Has the file's bytes on the disk before it returns.
  package borrowing func synchronize() throws(SystemError) {
    _ = try SystemCall.fsync.perform { fsync(raw) }
  }
}
