/// One name in one open folder, which an image is to have.
struct OutputTarget {
  /// As reports and errors show it.
  let path: String
  let folderPath: String
  let name: String
  let folder: SharedDescriptor

  init(_ path: String, in folders: OutputFolders, makingFolder: Bool = true) throws(OutputFailure) {
    self.path = path
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
      (folderPath, name) = ("", path)
      folder = try OutputTarget.open("", of: path, folders, makingFolder)
      return
    }
    let above = path[..<slash]
    folderPath = above.isEmpty ? "/" : String(above)
    name = String(path[bytes.index(after: slash)...])
    if name.isEmpty { throw .isFolder(path: path) }
    folder = try OutputTarget.open(folderPath, of: path, folders, makingFolder)
  }

  private static func open(
    _ folder: String, of path: String, _ folders: OutputFolders, _ making: Bool
  ) throws(OutputFailure) -> SharedDescriptor {
    do { return try folders.folder(folder, making: making) } catch { throw .file(path: path, error.code) }
  }

  func failure(_ error: SystemError) -> OutputFailure { .file(path: path, error.code) }

  /// Which folder is open.
  var folderIdentity: FileStatus.Identity? { try? folder.file.status().identity }

  func status() throws(OutputFailure) -> FileStatus? {
    do { return try folder.file.status(of: name) } catch { throw failure(error) }
  }

  /// Opens whatever has the name. It is the user's own device or pipe, so a pipe waits here for its reader.
  func opened(_ flags: OpenFlags) throws(OutputFailure) -> Descriptor {
    do throws(SystemError) {
      do { return try folder.file.open(name, flags) } catch {
        // Sockets are not opened, but connected to.
        guard error.code == .noSuchDevice else { throw error }
        return try .connected(to: path)
      }
    } catch { throw failure(error) }
  }

  /// What a symbolic link leads to, if that is a device, pipe or socket and no file.
  ///
  /// `/dev/stdout` is such a link: replacing it would do harm to the whole machine, so nothing that is a link in
  /// `/dev` or `/proc` is ever replaced, whatever it leads to.
  func streamBehindLink() throws(OutputFailure) -> Descriptor? {
    let isSystems = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    do throws(SystemError) {
      // Without waiting: a pipe that nobody reads must not hang a mere look. Without writing: a file is not ours to touch.
      let seen = try folder.file.open(name, [.read, .nonBlocking])
      let status = try seen.status()
      if status.kind == .directory || (status.kind == .regular && !isSystems) { return nil }
    } catch {
      if !isSystems && error.code != .noSuchDevice { return nil }
    }
    return try opened([.write])
  }
}
