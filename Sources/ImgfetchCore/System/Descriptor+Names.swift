import CPosixShim
import Glibc
import Synchronization

// Operations on names in a folder, relative to its descriptor: whatever is renamed above it meanwhile, they affect the
// folder that was opened.
//
// Names are passed to C by `withCString`, which lends the bytes of the string itself. Passed directly, each would be
// copied to an array first.
//
// Proof for all of them: the pointers are used during the call only.
extension Descriptor {
  /// Opens a folder by path. The user has given the path, so links are followed.
  package static func folder(_ path: String) throws(SystemError) -> Descriptor { try .open(path, [.read, .directory]) }

  /// True if this folder is `/dev` itself, or one of `/proc`. A link there, such as `/dev/stdout`, stands for something
  /// that is open, and replacing it would harm the whole machine. The files in `/dev/shm` are users' own.
  package borrowing func isSystems() -> Bool {
    guard let here = try? status().identity else { return false }
    if let there = try? Descriptor.folder("/dev").status().identity, here == there { return true }
    return (try? Descriptor.folder("/proc").status().identity.device) == here.device
  }

  /// Opens a name in this folder, always with close-on-exec.
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

  /// Opens a path below this folder. No part of it may be a symbolic link.
  package borrowing func openBeneath(
    _ path: String, _ flags: OpenFlags, mode: mode_t = 0o600
  ) throws(SystemError) -> Descriptor {
    let folder = raw
    return try Descriptor(
      owning: SystemCall.openat.perform(path: path) {
        unsafe path.withCString { unsafe imgfetch_openat_beneath(folder, $0, flags.rawValue | O_CLOEXEC, mode) }
      })
  }

  /// The status of a name in this folder, or nil if there is none. A link is not followed.
  package borrowing func status(of name: String) throws(SystemError) -> FileStatus? {
    let folder = raw
    var answer = stat()
    let isThere = try SystemCall.fstatat.succeeds(unless: .noSuchFile, path: name) {
      unsafe name.withCString { unsafe fstatat(folder, $0, &answer, AT_SYMLINK_NOFOLLOW) }
    }
    return isThere ? FileStatus(answer) : nil
  }

  /// The status of what a name in this folder leads to, links followed.
  package borrowing func status(behind name: String) throws(SystemError) -> FileStatus {
    let folder = raw
    var answer = stat()
    _ = try SystemCall.fstatat.perform(path: name) {
      unsafe name.withCString { unsafe fstatat(folder, $0, &answer, 0) }
    }
    return FileStatus(answer)
  }

  /// Makes a folder. Returns false if the name is taken.
  @discardableResult
  package borrowing func makeFolder(_ name: String, mode: mode_t = 0o700) throws(SystemError) -> Bool {
    let folder = raw
    return try SystemCall.mkdirat.succeeds(unless: .fileExists, path: name) { unsafe mkdirat(folder, name, mode) }
  }

  /// Removes a name. Returns false if there was none.
  @discardableResult
  package borrowing func remove(_ name: String, isFolder: Bool = false) throws(SystemError) -> Bool {
    let folder = raw
    return try SystemCall.unlinkat.succeeds(unless: .noSuchFile, path: name) {
      unsafe unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0)
    }
  }

  /// The names in this folder, in no order, without `.` and `..`.
  package borrowing func names() throws(SystemError) -> [String] {
    let listing = try FolderListing(of: self)
    return (0..<listing.count).map { listing.name(at: $0) }
  }

  /// True if this folder is empty. Only the beginning of a large folder is read.
  package borrowing func isEmptyFolder() throws(SystemError) -> Bool {
    // Opened a second time, because reading moves a descriptor's position.
    let own = try open(".", [.read, .directory])
    let raw = own.raw
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      // Proof: the call fills at most the bytes that it is given.
      let count = try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) -> Int in
        try SystemCall.getdents.perform { unsafe imgfetch_getdents(raw, bytes.baseAddress, bytes.count) }
      }
      if count == 0 { return true }
      // Each record begins with inode and offset (8 bytes each), its length (2) and type (1). Then comes the name.
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
}

// Renaming with what the file system supports: flags (`renameat2`), links, or neither.
extension Descriptor {
  /// The treatment of an existing file under a rename's new name.
  package enum Renaming: Sendable {
    /// Replaces the file that has the new name.
    case replacing
    /// Fails with ``Errno/fileExists`` if the new name is taken, and with ``Errno/notSupported`` where the file system
    /// cannot do that.
    case exclusive
    /// Exchanges the two names. Fails with ``Errno/noSuchFile`` if one is missing, and with ``Errno/notSupported``
    /// where the file system cannot do that.
    case exchanging
  }

  /// Renames a file of this folder to a name in `folder`.
  package borrowing func rename(
    _ name: String, to newName: String, in folder: borrowing Descriptor, _ how: Renaming = .replacing
  ) throws(SystemError) {
    let from = raw
    let to = folder.raw
    let flag: (value: UInt32, limit: FileSystemLimits)
    switch how {
    case .replacing:
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
      // Containers and some file systems refuse the call in this way. A folder that may not be changed is refused so,
      // too: there, the other calls fail alike, and nothing is to be remembered.
      if error.code == .notPermitted { throw SystemError(.renameat2, .notSupported, path: newName) }
      // Kernels, file systems and sandboxes that do not support a flag return these. For files, an invalid argument
      // means nothing else.
      guard [.invalidArgument, .notImplemented, .notSupported].contains(error.code) else { throw error }
      FileSystemLimits.note(flag.limit, in: folder)
      throw SystemError(.renameat2, .notSupported, path: newName)
    }
  }

  /// Renames a file and fails with ``Errno/fileExists`` if the new name is taken: in one step if the file system
  /// supports that; else by a link, before the old name is removed; else after a check. If the process ends in between,
  /// both names remain. So this is for files that are not looked up under the old name.
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
        // FUSE, FAT and other systems' servers report in these ways that there are no links.
        let refusals: [Errno] = [.notPermitted, .notSupported, .notImplemented, .invalidArgument]
        guard refusals.contains(error.code) else { throw error }
        isRefused = true
      }
    }
    // A file that takes the name between the check and the renaming is replaced. Nothing can prevent that here.
    if try folder.status(of: newName) != nil { throw SystemError(.renameat, .fileExists, path: newName) }
    try rename(name, to: newName, in: folder)
    // Only now: sshfs returns the same error if the name is taken, and each system if the folder may not be changed.
    if isRefused { FileSystemLimits.note(.linking, in: folder) }
  }

  /// Gives a file of this folder a second name in `folder`. Fails with ``Errno/fileExists`` if that is another file's.
  package borrowing func link(
    _ name: String, as newName: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    let from = raw
    let to = folder.raw
    do {
      _ = try SystemCall.linkat.perform(path: newName) {
        unsafe name.withCString { name in unsafe newName.withCString { unsafe linkat(from, name, to, $0, 0) } }
      }
    } catch {
      // If the network loses the reply, the request is repeated, and by then the link exists.
      guard error.code == .fileExists, let mine = try? status(of: name)?.identity,
        let there = try? folder.status(of: newName)?.identity, mine == there
      else { throw error }
    }
  }
}

/// The operations that a file system does not support, as this process has found out by trying. A file system that
/// refuses a flag once refuses it always, and over FUSE each refusal is a round trip to another process. So it is tried
/// once per file system and remembered by its device number. If nothing was ever refused, a check costs a relaxed load:
/// the device is looked up only in a process that has met a limit.
struct FileSystemLimits: OptionSet, Sendable {
  let rawValue: UInt8

  /// Renaming cannot fail if the name is taken.
  static let exclusiveRenaming = FileSystemLimits(rawValue: 1)
  /// Names cannot be exchanged.
  static let exchange = FileSystemLimits(rawValue: 2)
  /// Files cannot be linked.
  static let linking = FileSystemLimits(rawValue: 4)

  private static let isAnyKnown = Atomic<Bool>(false)
  private static let known = Guarded<[UInt64: FileSystemLimits]>([:])

  /// True if the folder's file system is known to have this limit.
  static func hold(_ limit: FileSystemLimits, in folder: borrowing Descriptor) -> Bool {
    guard isAnyKnown.load(ordering: .relaxed), let device = try? folder.status().identity.device else { return false }
    return known.withLock { $0[device]?.contains(limit) ?? false }
  }

  /// Remembers a limit of the folder's file system.
  static func note(_ limit: FileSystemLimits, in folder: borrowing Descriptor) {
    guard let device = try? folder.status().identity.device else { return }
    known.withLock { _ = $0[device, default: []].insert(limit) }
    isAnyKnown.store(true, ordering: .relaxed)
  }
}
