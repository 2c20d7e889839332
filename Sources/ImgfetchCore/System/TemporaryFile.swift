import CPosixShim
import Glibc
import Synchronization

/// A file that is being written and is not visible under its final name yet.
///
/// ``publish(as:replacing:)`` gives it its name in one step. If it is dropped instead, it is removed. Where the file
/// system supports it, the file has no name until then (`O_TMPFILE`), so that even a killed process leaves nothing
/// behind.
package struct TemporaryFile: ~Copyable {
  /// The descriptor that the file is written to.
  package let descriptor: Descriptor
  private let folder: SharedDescriptor
  /// The file's temporary name, if it needed one, until it is published.
  private var name: String?

  /// Creates a file in `folder`.
  package init(in folder: consuming Descriptor, mode: mode_t = 0o666, named: Bool = false) throws(SystemError) {
    try self.init(in: SharedDescriptor(folder), mode: mode, named: named)
  }

  /// Creates a file in a shared `folder`. `named` gives it a temporary name at once: replacing by rename needs one in
  /// the end anyway.
  package init(in folder: SharedDescriptor, mode: mode_t = 0o666, named: Bool = false) throws(SystemError) {
    if !named, Self.canBeLinked {
      do {
        descriptor = try folder.file.open(".", [.unnamed, .readWrite], mode: mode)
        self.folder = folder
        name = nil
        return
      } catch {
        // Old kernels, overlays and network file systems do not support unnamed files, and report that in several ways.
        guard [.isDirectory, .notSupported, .notImplemented, .noSuchFile, .invalidArgument].contains(error.code) else {
          throw error
        }
      }
    }
    let name = TemporaryFile.freshName()
    descriptor = try folder.file.open(name, [.readWrite, .create, .exclusive, .noFollow], mode: mode)
    self.folder = folder
    self.name = name
  }

  /// Takes a file without a name over. It gets its name in `folder`, which must be on the same file system.
  package init(unnamed file: consuming Descriptor, in folder: SharedDescriptor) {
    descriptor = file
    self.folder = folder
    name = nil
  }

  deinit {
    if let name { _ = try? folder.file.remove(name) }
  }

  /// Gives the file its name in its folder, in one step. With `replacing`, whatever has the name (a link too) is
  /// replaced; without, it fails with ``Errno/fileExists`` if the name is taken.
  package consuming func publish(as target: String, replacing: Bool) throws(SystemError) {
    if let name {
      // A network's file systems know no unnamed files, and may not have written yet what they have accepted.
      try descriptor.flush()
      if replacing {
        try folder.file.rename(name, to: target, in: folder.file)
      } else {
        try folder.file.renameUnlessTaken(name, to: target, in: folder.file)
      }
      self.name = nil  // Saves the call by which deinit would remove it.
    } else {
      do {
        try TemporaryFile.link(descriptor, as: target, in: folder.file)
      } catch {
        guard error.code == .fileExists && replacing else { throw error }
        // `linkat` never replaces: link under another name, then rename.
        let beside = TemporaryFile.freshName()
        try TemporaryFile.link(descriptor, as: beside, in: folder.file)
        do { try folder.file.rename(beside, to: target, in: folder.file) } catch {
          _ = try? folder.file.remove(beside)
          throw error
        }
      }
    }
  }

  /// Gives an unnamed file its name. Fails with ``Errno/fileExists`` if that is taken.
  package static func link(
    _ descriptor: borrowing Descriptor, as name: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    let target = folder.raw
    if linksByDescriptor.load(ordering: .relaxed) {
      do {
        let file = descriptor.raw
        // Proof: the name's bytes are used during the call only.
        _ = try SystemCall.linkat.perform(path: name) {
          unsafe name.withCString { unsafe linkat(file, "", target, $0, imgfetch_at_empty_path) }
        }
        return
      } catch {
        // An older kernel returns this if the process may not. So it does if the folder is gone, and then the next call
        // fails too.
        guard error.code == .noSuchFile else { throw error }
      }
    }
    let source = "/proc/self/fd/\(descriptor.raw)"
    _ = try SystemCall.linkat.perform(path: name) {
      unsafe linkat(AT_FDCWD, source, target, name, AT_SYMLINK_FOLLOW)
    }
    linksByDescriptor.store(false, ordering: .relaxed)
  }

  /// True if a file may be linked by its descriptor alone, which older kernels allow to the privileged only. Linking
  /// through `/proc` takes longer.
  private static let linksByDescriptor = Atomic<Bool>(true)

  /// True if a file without a name can get one: in a root without `/proc`, not by every kernel and user.
  private static let canBeLinked = unsafe access("/proc/self/fd", X_OK) == 0

  /// Identifies the file's origin to the cleaner, and to a person who finds one after a power cut.
  package static let prefix = ".imgfetch-"

  fileprivate static func freshName() -> String {
    prefix + String(getpid(), radix: 36) + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}

extension TemporaryFile {
  /// The same for a file that is needed for a while only: in memory if the folder is missing or cannot be written to,
  /// as in containers with a read-only root. A full disk is no reason: there may be less memory than that.
  package static func scratch(in folder: String) throws(SystemError) -> Descriptor {
    do { return try anonymous(in: folder) } catch {
      guard [.readOnlyFileSystem, .accessDenied, .noSuchFile].contains(error.code) else { throw error }
      // Injected faults and errors treat it as an unnamed file.
      return Descriptor(owning: try SystemCall.openUnnamed.perform(path: folder) { imgfetch_memory_file() })
    }
  }

  /// A file without a name, which exists for as long as it is open.
  package static func anonymous(in folder: String) throws(SystemError) -> Descriptor {
    do {
      return try Descriptor.open(folder, [.unnamed, .readWrite], mode: 0o600)
    } catch {
      guard [.isDirectory, .notSupported, .notImplemented, .invalidArgument].contains(error.code) else { throw error }
    }
    let place = try Descriptor.folder(folder)
    let name = freshName()
    let file = try place.open(name, [.readWrite, .create, .exclusive, .noFollow], mode: 0o600)
    _ = try place.remove(name)
    return file
  }
}
