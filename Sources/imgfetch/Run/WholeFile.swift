import ImgfetchCore

/// A file that gets its name when it is whole, and whatever had that name stays until then: also the list that is being read
/// meanwhile. A device or pipe of that name is written straight.
struct WholeFile: ~Copyable {
  enum Mode: UInt32 {
    case ownersOnly = 0o600
    /// As far as the umask lets.
    case everybodys = 0o666
  }

  private let name: String
  // One of the two.
  private var file: TemporaryFile?
  private var stream: Descriptor?

  /// A folder, and the name in it that a path means.
  struct Place {
    let folder: SharedDescriptor
    let name: String
  }

  static func place(of path: String) throws(SystemError) -> Place {
    let slash = path.lastIndex(of: "/")
    let folder = try Descriptor.folder(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    return Place(folder: SharedDescriptor(folder), name: slash.map { String(path[path.index(after: $0)...]) } ?? path)
  }

  /// Whether what has a path is written straight, being no file. `/dev/stderr` is a link, and replacing it would do harm. Below
  /// `/dev/shm` there are files like anywhere else.
  static func isStream(_ kind: FileStatus.Kind?, at path: String) -> Bool {
    kind == .other || (kind == .symbolicLink && (path.hasPrefix("/dev/") || path.hasPrefix("/proc/")))
  }

  /// - Parameter mode: who may read it. What may hold secrets is for its owner only.
  static func create(_ path: String, mode: Mode) throws(SystemError) -> WholeFile {
    let place = try place(of: path)
    let name = place.name
    if isStream(try place.folder.file.status(of: name)?.kind, at: path) {
      return WholeFile(name: name, file: nil, stream: try .open(path, .write))
    }
    return WholeFile(name: name, file: try TemporaryFile(in: place.folder, mode: mode.rawValue), stream: nil)
  }

  /// Whether it is a device or a pipe, which has no name of ours.
  var isStream: Bool { stream != nil }

  mutating func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try file?.descriptor.write(bytes)
    try stream?.write(bytes)
  }

  mutating func publish() throws(SystemError) {
    try file.take()?.publish(as: name, replacing: true)
  }
}
