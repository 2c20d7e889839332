/// Why an image could not be written where it was to go.
package enum OutputFailure: Error, Hashable, Sendable {
  /// The stored bytes are not those that were stored. Nothing was published; the image can be fetched anew.
  case damaged
  /// The stored bytes could not be read.
  case source(SystemError)
  /// The file could not be written. Nothing of it is left, and what was there before still is.
  case file(path: String, Errno)
  /// There is a folder of that name.
  case isFolder(path: String)

  /// The file that it is about; nil where it is about the source.
  package var path: String? {
    switch self {
    case .damaged, .source: nil
    case .file(let path, _), .isFolder(let path): path
    }
  }

  /// What happened and what can be done, as a clause that follows the file's name and a colon.
  package var reason: String {
    switch self {
    case .damaged: "the stored image is damaged"
    case .source(let error): "the stored image cannot be read: \(error.code)"
    case .isFolder: "cannot be written: a folder has that name"
    case .file(_, let code): "cannot be written: \(code)\(OutputFailure.advice(code))"
    }
  }

  /// What a person can do about it, where that is more than the error says by itself.
  private static func advice(_ code: Errno) -> String {
    switch code {
    case .noSpace: "; free some space there, or write to another disk"
    case .overQuota: "; remove something there, or write to another disk"
    case .accessDenied, .notPermitted: "; choose a folder in which you may write"
    case .readOnlyFileSystem: "; choose a folder on another disk"
    case .nameTooLong: "; choose a shorter name"
    case .notDirectory: "; a part of its path is a file"
    case .noSuchFile: "; its folder does not exist"
    case .noSuchDevice, .connectionRefused: "; nothing listens there"
    default: ""
    }
  }
}
