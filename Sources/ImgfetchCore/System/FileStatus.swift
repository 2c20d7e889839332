import Glibc

/// A file's status.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, other }

  package let kind: Kind
  /// True for a named pipe, whose reader may be yet to come.
  package let isPipe: Bool
  package let size: Int64
  /// The bytes that the disk has allocated for the file.
  package let allocated: Int64
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  package let links: Int
  /// Identifies the file: two names with the same identity are one file.
  package let identity: Identity
  package let modified: WallTime
  package let accessed: WallTime
  /// The last change to the file or its status, its name included. It cannot be set by anyone.
  package let changed: WallTime

  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  init(_ raw: stat) {
    kind =
      switch raw.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    isPipe = raw.st_mode & S_IFMT == S_IFIFO
    size = Int64(raw.st_size)
    // In units of 512 bytes, whatever the file system's own are.
    allocated = Int64(raw.st_blocks).multipliedReportingOverflow(by: 512).partialValue
    mode = raw.st_mode & 0o7777
    owner = raw.st_uid
    group = raw.st_gid
    links = Int(raw.st_nlink)
    identity = Identity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    modified = WallTime(raw.st_mtim)
    accessed = WallTime(raw.st_atim)
    changed = WallTime(raw.st_ctim)
  }
}
