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

  /// - Parameter mode: who may read it. What may hold secrets is for its owner only.
  static func create(_ path: String, mode: Mode) throws(SystemError) -> WholeFile {
    let slash = path.lastIndex(of: "/")
    let folder = try Descriptor.folder(slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let kind = try folder.status(of: name)?.kind
    // `/dev/stderr` is a link, and replacing it would do harm. Below `/dev/shm` there are files like anywhere else.
    let isSystems = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    if kind == .other || (kind == .symbolicLink && isSystems) {
      return WholeFile(name: name, file: nil, stream: try .open(path, .write))
    }
    return WholeFile(name: name, file: try TemporaryFile(in: folder, mode: mode.rawValue), stream: nil)
  }

  mutating func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    try file?.descriptor.write(bytes)
    try stream?.write(bytes)
  }

  mutating func publish() throws(SystemError) {
    try file.take()?.publish(as: name, replacing: true)
  }
}
