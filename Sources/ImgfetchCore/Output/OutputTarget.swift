/// One name in one open folder, which an image is to have.
struct OutputTarget {
  /// As reports and errors show it.
  let path: String
  let name: String
  let folder: OutputFolder
  /// Where the name begins in `path`, in bytes.
  private let nameStart: Int

  init(_ path: String, in folders: OutputFolders, makingFolder: Bool = true) throws(OutputFailure) {
    self.path = path
    let bytes = path.utf8Span.span
    var start = bytes.count
    while start > 0, bytes[start - 1] != UInt8(ascii: "/") { start -= 1 }
    if start > 0, start == bytes.count { throw .isFolder(path: path) }
    nameStart = start
    name = start == 0 ? path : String(bytes, start..<bytes.count)
    do {
      folder = try folders.folder(path, upTo: OutputTarget.folderEnd(start), making: makingFolder)
    } catch { throw .file(path: path, error.code) }
  }

  /// The folder's path; empty for the working directory.
  var folderPath: String { String(path.utf8Span.span, 0..<OutputTarget.folderEnd(nameStart)) }

  /// Where the folder's path ends: before the slash, unless that is all of it.
  private static func folderEnd(_ nameStart: Int) -> Int { nameStart <= 1 ? nameStart : nameStart - 1 }

  func failure(_ error: SystemError) -> OutputFailure { .file(path: path, error.code) }

  /// Which folder is open.
  var folderIdentity: FileStatus.Identity? { try? folder.descriptor.file.status().identity }

  func status() throws(OutputFailure) -> FileStatus? {
    do { return try folder.descriptor.file.status(of: name) } catch { throw failure(error) }
  }

  /// Opens whatever has the name. It is the user's own device or pipe, so a pipe waits here for its reader.
  func opened(_ flags: OpenFlags) throws(OutputFailure) -> Descriptor {
    do throws(SystemError) {
      do { return try folder.descriptor.file.open(name, flags) } catch {
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
      let seen = try folder.descriptor.file.open(name, [.read, .nonBlocking])
      let status = try seen.status()
      if status.kind == .directory || (status.kind == .regular && !isSystems) { return nil }
    } catch {
      if !isSystems && error.code != .noSuchDevice { return nil }
    }
    return try opened([.write])
  }
}
