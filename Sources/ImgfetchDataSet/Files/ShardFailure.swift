import ImgfetchCore

/// The reason why a shard cannot be read or made.
package enum ShardFailure: Error, Hashable {
  /// A file of this machine.
  case file(SystemError)
  /// The file of this name is no shard, or not a whole one.
  case foreign(String)
  /// A request to the place failed.
  case place(FetchError)
  /// The run ends.
  case stopped

  /// True if another shard would fail in the same way, because of a full disk, or a place that does not accept files.
  package var concernsAll: Bool {
    switch self {
    case .file: true
    case .place(let error): !error.isTransient && error.kind != .cancelled
    case .foreign, .stopped: false
    }
  }

  /// The problem, with the name of the file or place.
  package var message: String {
    switch self {
    case .file(let error): "\(error)"
    case .foreign(let path): "\(path): this is no shard that imgfetch has made"
    case .place(let error): error.message
    case .stopped: "broken off"
    }
  }

  /// The problem of a shard of that name.
  package func message(of path: String, _ what: String) -> String {
    switch self {
    case .file(let error): "\(path): \(what): \(error.code)"
    case .place(let error): "\(path): \(what): \(error.reason)"
    case .foreign, .stopped: message
    }
  }
}
