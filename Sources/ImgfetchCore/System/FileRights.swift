import Glibc

/// The rights that a file grants, for another one that is to replace it: its mode, its group and its access control
/// list.
package struct FileRights: Sendable {
  private let mode: mode_t
  private let group: gid_t
  /// The list as Linux keeps it, or nil if the file has none.
  private let list: [UInt8]?

  private static let attribute = "system.posix_acl_access"

  /// The rights of the file with this name and status in a folder.
  package init(_ status: FileStatus, of name: String, in folder: borrowing Descriptor) {
    mode = status.mode & 0o777
    group = status.group
    let file = try? SharedDescriptor(folder.open(name, [.read, .noFollow, .nonBlocking]))
    list = file?.file.attribute(Self.attribute)
  }

  /// Gives a file of this user these rights, and no one more than that.
  package func give(to file: borrowing Descriptor) throws(SystemError) {
    var mode = mode
    if try file.status().group != group, (try? file.setGroup(group)) == nil {
      // Another group would have the rights of that one. It gets no more of them than all others.
      mode = mode & 0o707 | mode & (mode << 3) & 0o070
    }
    // The folder may have given the file a list of its own.
    switch list {
    case file.attribute(Self.attribute): break
    case nil: try file.removeAttribute(Self.attribute)
    case let list?: try file.setAttribute(Self.attribute, to: list)
    }
    // Beside a list, the group's bits are its mask: without the list they would give the group more than it had. So
    // they are set last. Mounts without modes of their own (FAT, NTFS, shares) give every file the same mode, and
    // refuse to change it.
    if try file.status().mode & 0o777 != mode { try file.setMode(mode) }
  }
}
