import CPosixShim
import Glibc

/// The names in a folder, read at once: what is removed while one reads may hide others.
///
/// They stand one after another in one buffer, and are used from there: a folder with thousands of files costs a few
/// allocations and not thousands.
package struct FolderListing: Sendable {
  /// Each with a NUL behind it, as the system wants them.
  private var bytes: [UInt8] = []
  /// Where each begins, and where the last one ends.
  private var starts: [UInt32] = [0]

  package var count: Int { starts.count - 1 }

  /// The name in bytes, without the NUL.
  package func bytes(at index: Int) -> ArraySlice<UInt8> {
    guard index >= 0, index < count else { return [] }
    return bytes[Int(starts[index])..<(Int(starts[index + 1]) - 1)]
  }

  package func name(at index: Int) -> String { String(decoding: bytes(at: index), as: UTF8.self) }

  fileprivate mutating func append(_ name: UnsafePointer<CChar>) {
    let length = unsafe strlen(name) + 1
    // Proof: `length` bytes stand there, the last of them NUL, until the caller reads on in the folder.
    let raw = unsafe UnsafeRawBufferPointer(start: name, count: length)
    unsafe bytes.append(contentsOf: raw)
    starts.append(UInt32(clamping: bytes.count))
  }

  /// Calls `body` with a name as the system wants it.
  fileprivate func withName<Value>(at index: Int, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
    // Proof: the buffer outlives the closure, and behind every start a NUL follows within it.
    unsafe bytes.withUnsafeBytes { buffer in
      let start = index >= 0 && index < count ? Int(starts[index]) : 0
      guard let base = buffer.baseAddress else { return unsafe body("") }
      return unsafe body(base.advanced(by: start).assumingMemoryBound(to: CChar.self))
    }
  }
}

extension Descriptor {
  /// Whether nothing is in this folder. Of a large one only the beginning is read.
  package borrowing func isEmptyFolder() throws(SystemError) -> Bool {
    // A second opening, because reading moves the place of a descriptor.
    let own = try open(".", [.read, .directory])
    let raw = own.raw
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      // Proof: the call fills at most the bytes that it is given.
      let count = try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) -> Int in
        try SystemCall.getdents.perform { unsafe imgfetch_getdents(raw, bytes.baseAddress, bytes.count) }
      }
      if count == 0 { return true }
      // Each begins with its inode and its place (8 bytes each), its length (2) and its kind (1); then comes the name.
      var at = 0
      while at + 19 < count {
        let length = Int(bytes[at + 16]) | Int(bytes[at + 17]) << 8
        guard length > 19, at + length <= count else { break }
        let name = bytes[(at + 19)..<(at + length)].prefix { $0 != 0 }
        if name.count > 2 || !name.allSatisfy({ $0 == UInt8(ascii: ".") }) { return false }
        at += length
      }
    }
  }

  /// The names in this folder, in no order, without `.` and `..`.
  package borrowing func listing() throws(SystemError) -> FolderListing {
    // A second opening, because reading moves the place of a descriptor, and fdopendir takes it over.
    let own = try open(".", [.read, .directory])
    let raw = own.release()
    guard let stream = unsafe fdopendir(raw) else {
      let code = Errno.last
      Glibc.close(raw)
      throw SystemError(.getdents, code)
    }
    defer { unsafe closedir(stream) }
    var listing = FolderListing()
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        let code = Errno.last
        if code.rawValue != 0 { throw SystemError(.getdents, code) }
        return listing
      }
      // Proof: d_name is NUL-ended and lives until the next readdir of this stream, which is after the copy.
      unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          let isSelf = unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0
          if !isSelf { unsafe listing.append(name) }
        }
      }
    }
  }

  /// The status of a listed name, not following a link; nil if it is gone.
  package borrowing func status(of index: Int, in listing: FolderListing) throws(SystemError) -> FileStatus? {
    let folder = raw
    var answer = stat()
    do {
      _ = try SystemCall.fstatat.perform {
        unsafe listing.withName(at: index) { unsafe fstatat(folder, $0, &answer, AT_SYMLINK_NOFOLLOW) }
      }
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
    return FileStatus(answer)
  }

  /// Removes a listed name; false if it was gone already.
  package borrowing func remove(_ index: Int, in listing: FolderListing) throws(SystemError) -> Bool {
    let folder = raw
    do {
      _ = try SystemCall.unlinkat.perform { unsafe listing.withName(at: index) { unsafe unlinkat(folder, $0, 0) } }
      return true
    } catch {
      if error.code == .noSuchFile { return false }
      throw error
    }
  }
}
