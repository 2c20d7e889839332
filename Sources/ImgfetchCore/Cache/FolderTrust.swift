/// Whose folders and files a cache is taken from.
///
/// A pure value. What lies in the cache is written to the user's files and shown to programs that trust it, so nobody
/// else may have put it there.
package struct FolderTrust: Sendable {
  /// Whom this process acts for.
  package let user: UInt32
  /// A tier that is only read may be the system's too.
  package let isReadOnlyTier: Bool

  package init(user: UInt32, isReadOnlyTier: Bool) {
    self.user = user
    self.isReadOnlyTier = isReadOnlyTier
  }

  /// Why a folder is not taken; nil if it is.
  package func objection(to folder: FileStatus) -> String? {
    if folder.kind != .directory { return "it is not a folder" }
    if !isOurs(folder) { return "it belongs to another user" }
    if folder.mode & 0o022 != 0 { return "others may write in it; 'chmod go-w' helps" }
    return nil
  }

  /// Why a cache may not be made or used below this folder; nil if it may. What root makes in a user's folder, the user
  /// could neither use nor remove.
  package func objection(toParent folder: FileStatus) -> String? {
    if !caresAboutParent || folder.owner == 0 { return nil }
    return "it lies in another user's folder, and this is root; give --cache-dir"
  }

  /// Whether ``objection(toParent:)`` ever objects.
  package var caresAboutParent: Bool { user == 0 && !isReadOnlyTier }

  /// Whether an entry's file may be believed.
  package func trusts(_ file: FileStatus) -> Bool { file.kind == .regular && isOurs(file) }

  private func isOurs(_ status: FileStatus) -> Bool {
    status.owner == user || (isReadOnlyTier && status.owner == 0)
  }
}
