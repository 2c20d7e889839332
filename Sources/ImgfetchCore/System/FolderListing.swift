import Glibc

/// The names in a folder, read all at once: removing files while reading may hide others.
///
/// The names stand one after another in one buffer and are used from there. A folder with thousands of files costs a
/// few allocations, not thousands.
package struct FolderListing: Sendable {
  /// Each name with a NUL after it, as system calls need it.
  private var bytes: [UInt8] = []
  /// The starts of the names, and the end of the last one.
  private var starts: [UInt32] = [0]

  package init() {}

  /// Reads the names in `folder`, in no order, without `.` and `..`, and no further ones once there are so many.
  package init(of folder: borrowing Descriptor, atMost most: Int = .max) throws(SystemError) {
    // Opened a second time, because reading moves a descriptor's position, and fdopendir takes it over.
    let raw = try folder.open(".", [.read, .directory]).release()
    guard let stream = unsafe fdopendir(raw) else {
      let code = Errno.last
      Glibc.close(raw)
      throw SystemError(.getdents, code)
    }
    defer { unsafe closedir(stream) }
    while count < most {
      var next: UnsafeMutablePointer<dirent>?
      _ = try SystemCall.getdents.perform { () -> Int32 in
        errno = 0
        unsafe next = readdir(stream)
        return unsafe next == nil && errno != 0 ? -1 : 0
      }
      guard let entry = unsafe next else { return }
      // Proof: d_name ends with NUL and is valid until the next readdir of this stream, which is after the copy.
      unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          let isSelf = unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0
          if !isSelf { unsafe append(name) }
        }
      }
    }
  }

  private mutating func append(_ name: UnsafePointer<CChar>) {
    // Proof: the name and its NUL are that long, and valid until the caller reads on in the folder.
    let raw = unsafe UnsafeRawBufferPointer(start: name, count: strlen(name) + 1)
    unsafe bytes.append(contentsOf: raw)
    starts.append(UInt32(clamping: bytes.count))
  }

  package var count: Int { starts.count - 1 }

  /// The bytes of a name, without the NUL.
  package func bytes(at index: Int) -> ArraySlice<UInt8> {
    guard index >= 0, index < count else { return [] }
    return bytes[Int(starts[index])..<(Int(starts[index + 1]) - 1)]
  }

  package func name(at index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

  /// The status of a listed name in `folder`, which was listed, or nil if it is gone. A link is not followed.
  package func status(at index: Int, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus? {
    let raw = folder.raw
    var status = stat()
    let isThere = try SystemCall.fstatat.succeeds(unless: .noSuchFile) {
      unsafe withName(at: index) { unsafe fstatat(raw, $0, &status, AT_SYMLINK_NOFOLLOW) }
    }
    return isThere ? FileStatus(status) : nil
  }

  /// Removes a listed name from `folder`, which was listed. Returns false if it was gone already.
  package func remove(at index: Int, in folder: borrowing Descriptor) throws(SystemError) -> Bool {
    let raw = folder.raw
    do {
      return try SystemCall.unlinkat.succeeds(unless: .noSuchFile) {
        unsafe withName(at: index) { unsafe unlinkat(raw, $0, 0) }
      }
    } catch { throw error.of(name(at: index)) }
  }

  /// Calls `body` with a name as system calls need it.
  private func withName<Value>(at index: Int, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
    // Proof: the buffer outlives the closure, and a NUL follows each start within it.
    unsafe bytes.withUnsafeBytes { buffer in
      let start = index >= 0 && index < count ? Int(starts[index]) : 0
      guard let base = buffer.baseAddress else { return unsafe body("") }
      return unsafe body(base.advanced(by: start).assumingMemoryBound(to: CChar.self))
    }
  }
}
