import CPosixShim
import Glibc

/// Flags for opening a file, see open(2).
package struct OpenFlags: OptionSet, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let read = OpenFlags(rawValue: O_RDONLY)
  package static let write = OpenFlags(rawValue: O_WRONLY)
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  package static let create = OpenFlags(rawValue: O_CREAT)
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// Opening a pipe without a reader fails at once instead of blocking.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  /// Reading does not change the access time, which is "last used" in the cache. Only the file's owner may use it.
  package static let noAccessTime = OpenFlags(rawValue: imgfetch_o_noatime)
  /// A file without a name, in the folder that is given as the path.
  package static let unnamed = OpenFlags(rawValue: imgfetch_o_tmpfile)
}
