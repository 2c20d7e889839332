import ImgfetchCore

/// The features of a file system that not all of them have.
package enum FileSystemKind: String, CaseIterable, Codable, Sendable {
  case complete
  /// No unnamed files and no flags for renaming, as NFS, 9p and most of what stands on FUSE has it.
  case flagless
  /// The same, as old kernels put it.
  case flaglessOfOld
  /// The same, as others do.
  case flaglessOtherwise
  /// The same, as containers put it whose rules know no call with flags.
  case flaglessByRule
  /// No links either, as sshfs and FAT have it.
  case linkless
  case linklessOtherwise

  package static let limited = allCases.filter { $0 != .complete }

  /// The error with which the file system refuses a call, or nil if it supports it.
  package func refusal(of call: SystemCall) -> Errno? {
    switch (self, call) {
    case (.complete, _): nil
    case (.flaglessOfOld, .openUnnamed): .isDirectory
    case (_, .openUnnamed): .notSupported
    case (.flaglessOfOld, .renameat2), (.linklessOtherwise, .renameat2): .notImplemented
    case (.flaglessOtherwise, .renameat2): .notSupported
    case (.flaglessByRule, .renameat2): .notPermitted
    case (_, .renameat2): .invalidArgument
    case (.linkless, .linkat): .notPermitted
    case (.linklessOtherwise, .linkat): .notImplemented
    default: nil
    }
  }
}
