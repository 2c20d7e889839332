import CPosixShim
import Glibc

/// An open file, folder, pipe or device. It has one owner, and is closed when that owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, for as long as this value lives.
  package let raw: Int32

  /// Takes over a descriptor that nobody else will close.
  package init(owning raw: Int32) { self.raw = raw }

  deinit { SystemCall.close.attempt { Glibc.close(raw) } }

  /// Closes and says whether that went well: a delayed write error shows here at the latest.
  package consuming func close() throws(SystemError) {
    let raw = self.raw
    discard self
    _ = try SystemCall.close.perform { Glibc.close(raw) }
  }

  /// Gives the number away, unclosed.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// Opens a path. Close-on-exec always; what the path says is the user's, so symbolic links are followed.
  package static func open(
    _ path: String, _ flags: OpenFlags, mode: mode_t = 0o666
  ) throws(SystemError) -> Descriptor {
    let call = flags.contains(.unnamed) ? SystemCall.openUnnamed : .open
    return try Descriptor(
      owning: call.perform(path: path) {
        unsafe imgfetch_openat(AT_FDCWD, path, flags.rawValue | O_CLOEXEC, mode)
      })
  }

  /// Connects to the local socket of that name: opening one is not possible.
  package static func connected(to path: String) throws(SystemError) -> Descriptor {
    try Descriptor(owning: SystemCall.connect.perform(path: path) { unsafe imgfetch_connect_local(path) })
  }
}

/// How a file is opened.
package struct OpenFlags: OptionSet, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let read = OpenFlags(rawValue: O_RDONLY)
  package static let write = OpenFlags(rawValue: O_WRONLY)
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  package static let create = OpenFlags(rawValue: O_CREAT)
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  package static let append = OpenFlags(rawValue: O_APPEND)
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// A pipe nobody reads fails at once and does not hang the open.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  /// Reading leaves the access time alone, which is "last used" in the cache. Only the file's owner may ask for it.
  package static let noAccessTime = OpenFlags(rawValue: imgfetch_o_noatime)
  /// A file without a name, in the folder that is given as the path.
  package static let unnamed = OpenFlags(rawValue: imgfetch_o_tmpfile)
}
