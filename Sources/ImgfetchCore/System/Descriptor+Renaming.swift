import CPosixShim
import Glibc

// Giving a file another name, by what the file system knows: flags (`renameat2`), links, or neither of them.
extension Descriptor {
  package enum Renaming: Sendable {
    /// What has the new name is replaced.
    case replacing
    /// Fails with ``Errno/fileExists`` if the new name is taken, and with ``Errno/notSupported`` where that cannot be had.
    case exclusive
    /// The two names change places. Fails with ``Errno/noSuchFile`` if there is no second, and with ``Errno/notSupported`` where that
    /// cannot be had.
    case exchanging
  }

  package borrowing func rename(
    _ name: String, to newName: String, in folder: borrowing Descriptor, _ how: Renaming = .replacing
  ) throws(SystemError) {
    let from = raw
    let to = folder.raw
    let flag: (value: UInt32, limit: FileSystemLimits)
    switch how {
    case .replacing:
      // Proof: the names' bytes are used during the call only; so they are in the other calls of this file.
      _ = try SystemCall.renameat.perform(path: newName) {
        unsafe name.withCString { name in unsafe newName.withCString { unsafe renameat(from, name, to, $0) } }
      }
      return
    case .exclusive: flag = (imgfetch_rename_noreplace, .exclusiveRenaming)
    case .exchanging: flag = (imgfetch_rename_exchange, .exchange)
    }
    if FileSystemLimits.hold(flag.limit, in: folder) { throw SystemError(.renameat2, .notSupported, path: newName) }
    do {
      _ = try SystemCall.renameat2.perform(path: newName) {
        unsafe name.withCString { name in
          unsafe newName.withCString { unsafe imgfetch_renameat2(from, name, to, $0, flag.value) }
        }
      }
    } catch {
      // What kernels, file systems and sandboxes answer who do not know a flag. Of files, an invalid argument is nothing else.
      guard [.invalidArgument, .notImplemented, .notSupported].contains(error.code) else { throw error }
      FileSystemLimits.note(flag.limit, in: folder)
      throw SystemError(.renameat2, .notSupported, path: newName)
    }
  }

  /// Renames a file, and fails with ``Errno/fileExists`` if the new name is taken: in one step where the file system knows one; else
  /// by a second name, before the first is given up; else after a look.
  ///
  /// A process that ends in between leaves both names. So this is for files that are not looked for under the first.
  package borrowing func renameUnlessTaken(
    _ name: String, to newName: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    do { return try rename(name, to: newName, in: folder, .exclusive) } catch {
      if error.code != .notSupported { throw error }
    }
    var isRefused = false
    if !FileSystemLimits.hold(.linking, in: folder) {
      do {
        try link(name, as: newName, in: folder)
        _ = try? remove(name)
        return
      } catch {
        // In these ways FUSE, FAT and the servers of others say that there are no links.
        let refusals: [Errno] = [.notPermitted, .notSupported, .notImplemented, .invalidArgument]
        guard refusals.contains(error.code) else { throw error }
        isRefused = true
      }
    }
    // Who takes the name between the look and the renaming loses it: here is nothing that could tell.
    if try folder.status(of: newName) != nil { throw SystemError(.renameat, .fileExists, path: newName) }
    // Only now: sshfs gives the same answer where the name is taken.
    if isRefused { FileSystemLimits.note(.linking, in: folder) }
    try rename(name, to: newName, in: folder)
  }

  private borrowing func link(
    _ name: String, as newName: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    let from = raw
    let to = folder.raw
    do {
      _ = try SystemCall.linkat.perform(path: newName) {
        unsafe name.withCString { name in unsafe newName.withCString { unsafe linkat(from, name, to, $0, 0) } }
      }
    } catch {
      // A network that loses the answer has the question asked again, and the link is there by then.
      guard error.code == .fileExists, let mine = try? status(of: name)?.identity,
        let there = try? folder.status(of: newName)?.identity, mine == there
      else { throw error }
    }
  }
}
