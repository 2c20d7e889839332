/// The libcurl that downloads are made with.
///
/// The library is loaded with the first download, and serves the whole process from then on: the choice of a later
/// fetcher has no effect.
public enum LibcurlChoice: Sendable, Hashable {
  /// The system's.
  case system
  /// The one in that file, and no other.
  case file(String)
  /// The system's where it can be loaded and is recent enough, else the one in that file.
  case systemElse(String)

  /// The files that are tried, one after the other; nil stands for the system's.
  var files: [String?] {
    switch self {
    case .system: [nil]
    case .file(let path): [path]
    case .systemElse(let path): [nil, path]
    }
  }
}
