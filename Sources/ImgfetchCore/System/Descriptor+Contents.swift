import CPosixShim
import Glibc
import Synchronization

// Reading and writing, and extended attributes. Writes continue after a short write. A read of no bytes is the end of
// the file.
extension Descriptor {
  /// Appends up to `count` bytes from the current position to `buffer`. Returns how many there were (0 at the end).
  package borrowing func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> Int {
    try unsafe appending(count, to: &buffer) { base throws(SystemError) in
      try SystemCall.read.perform(upTo: count) { unsafe Glibc.read(raw, base, $0) }
    }
  }

  /// The first bytes of a file, or nil if it cannot be read: for small ones, as the kernel has them, at once.
  package static func beginning(of path: String, atMost count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    guard let file = try? Descriptor.open(path, .read), (try? file.read(into: &bytes, count: count)) != nil else {
      return nil
    }
    return bytes
  }

  /// Waits until there are bytes to read, or none can come any more. Returns false if there are none in that time; nil
  /// is no limit.
  package borrowing func waitForBytes(atMost milliseconds: Int32?) throws(SystemError) -> Bool {
    var end = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    return try SystemCall.poll.perform { unsafe poll(&end, 1, milliseconds ?? -1) } > 0
  }

  /// Appends up to `count` bytes from `offset` to `buffer`. There are fewer only at the end of the file. Returns how
  /// many.
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
      // Into uninitialised memory: filling it with zeros took as long as hashing an entry.
      var result = Result<Int, SystemError>.success(0)
      buffer = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        guard let base = bytes.baseAddress else { return }
        do throws(SystemError) {
          // Proof: the call fills as many bytes as it returns, and at most `count`.
          initialized = try unsafe fill(base)
          result = .success(initialized)
        } catch { result = .failure(error) }
      }
      return try result.get()
    }
    let start = buffer.count
    var got = 0
    // Proof: the pointer is used inside the closure only, for the `count` bytes that were just appended.
    buffer.append(contentsOf: repeatElement(0 as UInt8, count: count))
    defer { buffer.removeLast(count - got) }
    got = try unsafe buffer.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) -> Int in
      guard let base = bytes.baseAddress else { return 0 }
      return try unsafe fill(base + start)
    }
    return got
  }

  /// Writes all bytes at the current position.
  package borrowing func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        do throws(SystemError) {
          done += try SystemCall.write.perform(upTo: bytes.count - done) { unsafe Glibc.write(raw, base + done, $0) }
        } catch {
          guard error.code == .tryAgain else { throw error }
          try waitForRoom()
        }
      }
    }
  }

  /// Writes bytes at the current position, in pieces, as long as they are wanted: a slow terminal takes seconds for a
  /// picture. Returns whether all were written.
  package borrowing func write(
    _ bytes: borrowing Span<UInt8>, while isWanted: () -> Bool
  ) throws(SystemError) -> Bool {
    var at = 0
    while at < bytes.count {
      guard isWanted() else { return false }
      let end = min(bytes.count, at + 8192)
      try write(bytes.extracting(at..<end))
      at = end
    }
    return true
  }

  /// True once a pipe takes 4,096 bytes, or a write would fail at once; false after so much time.
  package borrowing func hasRoom(within milliseconds: Int) -> Bool {
    (try? waitForRoom(within: Int32(clamping: milliseconds))) != false
  }

  /// Waits until a full pipe, socket or terminal takes more bytes, as a write does unless the descriptor is
  /// non-blocking. Another process makes it so where it shares the open file: `ssh`, Node.js and others do that to the
  /// terminal or pipe they were given. Returns false after so many milliseconds; by default it waits without limit.
  @discardableResult
  private borrowing func waitForRoom(within milliseconds: Int32 = -1) throws(SystemError) -> Bool {
    var end = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
    return try SystemCall.poll.perform { unsafe poll(&end, 1, milliseconds) } != 0
  }

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

  /// Writes two runs of bytes at the current position, with one call if that suffices.
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

  /// Copies bytes from this file to another, in the kernel if it can. Neither file's position moves. Returns how many
  /// were copied (fewer only at the end of this file).
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

  /// The current position. It throws for pipes and the like, which have none.
  package borrowing func position() throws(SystemError) -> Int64 {
    Int64(try SystemCall.lseek.perform { lseek(raw, 0, SEEK_CUR) })
  }

  /// Sets the file's length.
  package borrowing func truncate(to length: Int64) throws(SystemError) {
    _ = try SystemCall.ftruncate.perform { ftruncate(raw, off_t(length)) }
  }

  /// Reserves space, so that later writes (and mapped pages) cannot fail for lack of it.
  package borrowing func reserve(_ length: Int64) throws(SystemError) {
    let raw = self.raw
    try SystemCall.fallocate.performReturningError { posix_fallocate(raw, 0, off_t(length)) }
  }

  /// Reports errors of earlier writes that a network's file system has held back, as it does whenever a descriptor of
  /// the file is closed. Other file systems have nothing to report, and write nothing earlier for this.
  package borrowing func flush() throws(SystemError) {
    // No number left for a second descriptor is not the file's fault.
    guard let second = try? duplicate() else { return }
    try second.close()
  }

  /// Writes the file's bytes to the disk before it returns.
  package borrowing func synchronize() throws(SystemError) {
    _ = try SystemCall.fsync.perform { fsync(raw) }
  }
}

// Extended attributes: small facts that live and die with the inode.
//
// Proof for all of them: the pointers are used during the call only, for as many bytes as they are passed with.
extension Descriptor {
  /// An attribute's bytes, at most 4 KiB, or nil if there is none (or the file system has no attributes).
  package borrowing func attribute(_ name: String) -> [UInt8]? {
    let raw = self.raw
    return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> [UInt8]? in
      guard
        let count = try? SystemCall.getxattr.perform({
          unsafe imgfetch_fgetxattr(raw, name, buffer.baseAddress, buffer.count)
        })
      else { return nil }
      return unsafe [UInt8](buffer.prefix(Int(count)))
    }
  }

  package borrowing func setAttribute(_ name: String, to value: [UInt8]) throws(SystemError) {
    _ = try SystemCall.setxattr.perform { unsafe imgfetch_fsetxattr(raw, name, value, value.count) }
  }

  /// Removes an attribute, if it is there.
  package borrowing func removeAttribute(_ name: String) throws(SystemError) {
    let raw = self.raw
    do { _ = try SystemCall.removexattr.perform { unsafe imgfetch_fremovexattr(raw, name) } } catch {
      // There is none, or there can be none.
      if error.code != .noAttribute && error.code != .notSupported { throw error }
    }
  }

  /// The attribute of this file, or nil if there is none of this length.
  package borrowing func words(of attribute: String) throws(SystemError) -> AttributeWords? {
    let raw = self.raw
    return try unsafe Self.words { (value, length) throws(SystemError) in
      try SystemCall.getxattr.perform {
        unsafe attribute.withCString { unsafe imgfetch_fgetxattr(raw, $0, value, length) }
      }
    }
  }

  /// The attribute of a file in this folder, with one system call if the kernel has it. Links are not followed.
  package borrowing func words(of attribute: String, on name: String) throws(SystemError) -> AttributeWords? {
    let raw = self.raw
    if Self.readsByName.load(ordering: .relaxed) {
      do {
        return try unsafe Self.words { (value, length) throws(SystemError) in
          try SystemCall.getxattrat.perform(path: name) {
            unsafe attribute.withCString { attribute in
              unsafe name.withCString { unsafe imgfetch_getxattrat(raw, $0, attribute, value, length) }
            }
          }
        }
      } catch {
        // Kernels before 6.13 do not have it, and container sandboxes forbid calls that they do not know.
        guard error.code == .notImplemented || error.code == .notPermitted else { throw error }
        Self.readsByName.store(false, ordering: .relaxed)
      }
    }
    return try open(name, [.read, .noFollow, .nonBlocking]).words(of: attribute)
  }

  private static let readsByName = Atomic<Bool>(true)

  private static func words(
    _ get: (UnsafeMutableRawPointer, Int) throws(SystemError) -> Int32
  ) throws(SystemError) -> AttributeWords? {
    var words = AttributeWords(repeating: 0)
    let length = MemoryLayout<AttributeWords>.size
    do throws(SystemError) {
      let count = try unsafe withUnsafeMutableBytes(of: &words) { (bytes) throws(SystemError) -> Int32 in
        guard let base = bytes.baseAddress else { return 0 }
        return try unsafe get(base, length)
      }
      return Int(count) == length ? words : nil
    } catch {
      if error.code == .noAttribute || error.code == .outOfRange { return nil }
      throw error
    }
  }

  /// Sets an attribute of fixed length.
  package borrowing func setAttribute(_ name: String, to words: AttributeWords) throws(SystemError) {
    let raw = self.raw
    _ = try unsafe withUnsafeBytes(of: words) { (bytes) throws(SystemError) in
      try SystemCall.setxattr.perform {
        unsafe name.withCString { unsafe imgfetch_fsetxattr(raw, $0, bytes.baseAddress, bytes.count) }
      }
    }
  }
}

/// An attribute value of fixed length. It is read for each output of a list, and needs no array.
package typealias AttributeWords = InlineArray<7, UInt64>
