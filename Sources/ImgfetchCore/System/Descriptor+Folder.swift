import CPosixShim
import Glibc

// What is done with names in a folder, relative to its descriptor: whatever is renamed or replaced above it meanwhile, the
// call still means the folder that was opened.
//
// Names go to C by `withCString`, which hands over the bytes of the string itself: passed as they are, each would be copied to an
// array first.
//
// Proof for all of them: the pointer is used during the call only.
extension Descriptor {
  /// Opens a folder by path, following links: the path is the user's.
  package static func folder(_ path: String) throws(SystemError) -> Descriptor {
    try .open(path, [.read, .directory])
  }

  package borrowing func open(
    _ name: String, _ flags: OpenFlags, mode: mode_t = 0o600
  ) throws(SystemError) -> Descriptor {
    let folder = raw
    let call = flags.contains(.unnamed) ? SystemCall.openUnnamed : .openat
    return try Descriptor(
      owning: call.perform(path: name) {
        unsafe name.withCString { unsafe imgfetch_openat(folder, $0, flags.rawValue | O_CLOEXEC, mode) }
      })
  }

  /// Opens a path below this folder, in which no part may be a symbolic link.
  package borrowing func openBeneath(
    _ path: String, _ flags: OpenFlags, mode: mode_t = 0o600
  ) throws(SystemError) -> Descriptor {
    let folder = raw
    return try Descriptor(
      owning: SystemCall.openat.perform(path: path) {
        unsafe path.withCString { unsafe imgfetch_openat_beneath(folder, $0, flags.rawValue | O_CLOEXEC, mode) }
      })
  }

  /// The status of a name in this folder, not following a link; nil if there is none.
  package borrowing func status(of name: String) throws(SystemError) -> FileStatus? {
    var answer = stat()
    do {
      let folder = raw
      _ = try SystemCall.fstatat.perform(path: name) {
        unsafe name.withCString { unsafe fstatat(folder, $0, &answer, AT_SYMLINK_NOFOLLOW) }
      }
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
    return FileStatus(answer)
  }

  /// Makes a folder; false if one of that name is there.
  @discardableResult
  package borrowing func makeFolder(_ name: String, mode: mode_t = 0o700) throws(SystemError) -> Bool {
    do {
      _ = try SystemCall.mkdirat.perform(path: name) { unsafe mkdirat(raw, name, mode) }
      return true
    } catch {
      if error.code == .fileExists { return false }
      throw error
    }
  }

  /// Removes a name; false if it was gone already.
  @discardableResult
  package borrowing func remove(_ name: String, isFolder: Bool = false) throws(SystemError) -> Bool {
    do {
      _ = try SystemCall.unlinkat.perform(path: name) { unsafe unlinkat(raw, name, isFolder ? AT_REMOVEDIR : 0) }
      return true
    } catch {
      if error.code == .noSuchFile { return false }
      throw error
    }
  }

  /// The names in this folder, in no order, without `.` and `..`.
  package borrowing func names() throws(SystemError) -> [String] {
    let listing = try listing()
    return (0..<listing.count).map { listing.name(at: $0) }
  }
}
