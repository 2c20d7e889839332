import ImgfetchCore

/// A file that gets its name when it is complete. An existing file of that name stays until then, even if it is the
/// list being read. A device or pipe is written directly.
struct AtomicFile: ~Copyable {
  enum Mode: UInt32 {
    case ownersOnly = 0o600
    /// Restricted by the umask.
    case readableByAll = 0o666
  }

  private let name: String
  // One of the two is set.
  private var file: TemporaryFile?
  private var stream: Descriptor?

  /// A path, as a folder and a name in it.
  struct Place {
    let folder: SharedDescriptor
    let name: String
  }

  /// - Throws: the system's error, which is that of a folder for a path that ends in a slash.
  static func place(of path: String) throws(SystemError) -> Place {
    let (folder, name) = path.pathSplit
    if name.isEmpty { throw SystemError(.open, .isDirectory, path: path) }
    return Place(folder: SharedDescriptor(try .folder(folder.map(String.init) ?? ".")), name: String(name))
  }

  /// True if two paths name the same file, however they are spelt and even where it does not exist yet.
  static func isSame(_ path: String, _ other: String) -> Bool {
    if path.hasBytes(of: other) { return true }
    guard let one = try? place(of: path), let two = try? place(of: other) else { return false }
    if let file = try? one.folder.file.status(behind: one.name), file.kind == .regular {
      return (try? two.folder.file.status(behind: two.name))?.identity == file.identity
    }
    guard one.name.hasBytes(of: two.name), let folder = try? one.folder.file.status() else { return false }
    return (try? two.folder.file.status())?.identity == folder.identity
  }

  /// True if the name belongs to something that is no file, and so is written directly. `/dev/stderr` is a link that
  /// must not be replaced.
  static func isStream(_ kind: FileStatus.Kind?, in folder: borrowing Descriptor) -> Bool {
    kind == .other || (kind == .symbolicLink && folder.isSystems())
  }

  /// Creates a file.
  ///
  /// - Parameter mode: the permissions. A file that may hold secrets is for its owner only.
  static func create(_ path: String, mode: Mode) throws(SystemError) -> AtomicFile {
    if let stream = ProcessEnvironment.stream(named: path) {
      return AtomicFile(name: path, file: nil, stream: try .duplicate(of: stream))
    }
    let place = try place(of: path)
    let name = place.name
    if isStream(try place.folder.file.status(of: name)?.kind, in: place.folder.file) {
      return AtomicFile(name: name, file: nil, stream: try openedStream(path))
    }
    return AtomicFile(name: name, file: try TemporaryFile(in: place.folder, mode: mode.rawValue), stream: nil)
  }

  /// Opens a device or a pipe, or connects to a socket. The reader of a pipe, which may start beside this program, has
  /// two seconds: a call that waits for it could not be interrupted.
  static func openedStream(_ path: String) throws(SystemError) -> Descriptor {
    var looks = 0
    while true {
      do throws(SystemError) { return try .open(path, [.write, .nonBlocking]) } catch {
        guard error.code == .noSuchDevice else { throw error }
        if let socket = try? Descriptor.connected(to: path) { return socket }
        guard looks < mostLooks else { throw error }
      }
      looks += 1
      Threads.sleep(milliseconds: pause)
    }
  }

  /// The milliseconds between two looks for the reader of a pipe.
  private static let pause = 20
  /// The number of looks.
  private static let mostLooks = 100

  mutating func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try file?.descriptor.write(bytes)
    try stream?.write(bytes)
  }

  mutating func publish() throws(SystemError) { try file.take()?.publish(as: name, replacing: true) }
}
