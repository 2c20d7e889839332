import Synchronization

/// What a file system cannot do, as this process has found out by trying.
///
/// What refuses a flag once refuses it always, and over FUSE each refusal is a way to another process and back. So it is asked once
/// for each file system, and remembered by its device number. Where nothing was ever refused, this costs a relaxed load; the file
/// system is looked up only in a process that has met one with a limit.
struct FileSystemLimits: OptionSet, Sendable {
  let rawValue: UInt8

  /// No renaming that fails where the name is taken.
  static let exclusiveRenaming = FileSystemLimits(rawValue: 1)
  /// No two names change places.
  static let exchange = FileSystemLimits(rawValue: 2)
  /// No file has two names.
  static let linking = FileSystemLimits(rawValue: 4)

  private static let isAnyKnown = Atomic<Bool>(false)
  private static let known = Guarded<[UInt64: FileSystemLimits]>([:])

  /// Whether that is known of the file system that a folder lies on.
  static func hold(_ limit: FileSystemLimits, in folder: borrowing Descriptor) -> Bool {
    guard isAnyKnown.load(ordering: .relaxed), let device = try? folder.status().identity.device else { return false }
    return known.withLock { $0[device]?.contains(limit) ?? false }
  }

  static func note(_ limit: FileSystemLimits, in folder: borrowing Descriptor) {
    guard let device = try? folder.status().identity.device else { return }
    known.withLock { _ = $0[device, default: []].insert(limit) }
    isAnyKnown.store(true, ordering: .relaxed)
  }
}
