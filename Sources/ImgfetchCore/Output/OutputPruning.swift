/// Finds and removes files of an output folder that this program wrote and that are not wanted any more.
///
/// Only files with a valid mark are looked at, which excludes the files that the user has put there, copied or edited.
package struct OutputPruning: Sendable {
  /// A file that is this program's.
  package struct Found: Sendable {
    package let path: String
    package let key: OutputKey
  }

  /// The folder with everything below it, without links.
  private let root: String
  private let folders: OutputFolders

  /// Creates the pruning of a folder.
  ///
  /// - Parameter folder: its path, or empty for the working directory.
  package init(_ folder: String) {
    root = folder.endsInSlash && folder.utf8.count > 1 ? String(folder.withoutLastByte) : folder
    folders = OutputFolders(below: root, makesMissing: false)
  }

  /// The most levels of folders that are searched. Names made from URLs have fewer.
  private static let depth = 64

  /// All files that are this program's. A folder that cannot be read is skipped, and so is one below that another
  /// list prunes.
  package func files(of list: String) -> [Found] {
    var found: [Found] = []
    look(into: root, depth: 0, list, &found)
    return found
  }

  private func look(into folder: String, depth: Int, _ list: String, _ found: inout [Found]) {
    guard depth < Self.depth, let open = try? folders.folder(folder, making: false),
      depth == 0 || Self.list(of: open.descriptor.file).map({ $0.hasBytes(of: list) }) ?? true,
      let listing = try? FolderListing(of: open.descriptor.file)
    else { return }
    for index in 0..<listing.count {
      // Each name that this program gives is UTF-8.
      guard let name = Self.text(listing.bytes(at: index)),
        let status = try? listing.status(at: index, in: open.descriptor.file)
      else { continue }
      let path = folder.isEmpty ? name : folder.endsInSlash ? folder + name : "\(folder)/\(name)"
      switch status.kind {
      case .directory: look(into: path, depth: depth + 1, list, &found)
      case .regular:
        guard let mark = folders.existing(path)?.file.mark else { continue }
        found.append(Found(path: path, key: mark.key))
      case .symbolicLink, .other: continue
      }
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let span = try? UTF8Span(validating: bytes.span) else { return nil }
    return String(copying: span)
  }

  /// Removes a file if it has not changed since it was found. Returns true if it is gone.
  package func remove(_ found: Found) -> Bool {
    guard let (target, existing) = folders.existing(found.path), existing.mark?.key == found.key else { return false }
    return target.remove(existing)
  }

  private static let attribute = "user.imgfetch.list"

  /// The lists that prune the folder, or one above it, whose files this folder may hold.
  package var lists: [String] {
    var path = root.isEmpty ? "." : root
    // A folder that is not there yet will be in this one.
    while path != ".", !ProcessEnvironment.exists(path) { path = path.pathSplit.folder.map(String.init) ?? "." }
    guard let folder = try? Descriptor.folder(path) else { return [] }
    var lists = [Self.list(of: folder)]
    var below = try? folder.status().identity
    for _ in 0..<Self.depth {
      path += "/.."
      guard let above = try? Descriptor.folder(path), let identity = try? above.status().identity, identity != below
      else { break }
      lists.append(Self.list(of: above))
      below = identity
    }
    return lists.compactMap(\.self)
  }

  /// The list that prunes a folder, or nil if none does.
  private static func list(of folder: borrowing Descriptor) -> String? {
    folder.attribute(attribute).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Notes which list prunes the folder. Throws ``Errno/notSupported`` where the file system keeps no attributes, and
  /// so no marks either. A folder that is not there needs no note.
  package func note(list: String) throws(SystemError) {
    guard let folder = try? folders.folder(root, making: false) else { return }
    if Self.list(of: folder.descriptor.file)?.hasBytes(of: list) == true { return }
    try folder.descriptor.file.setAttribute(Self.attribute, to: Array(list.utf8))
  }
}
