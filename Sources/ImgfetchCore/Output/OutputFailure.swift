/// The reason why an image could not be written to its file.
package enum OutputFailure: Error, Hashable, Sendable {
  /// The cached bytes are damaged. Nothing was published, and the image can be fetched again.
  case damaged
  /// The cached bytes could not be read.
  case source(SystemError)
  /// The file could not be written. Nothing of it is left, and an earlier file is still there.
  case file(path: String, Errno)
  /// There is a folder with that name.
  case isFolder(path: String)
  /// The file of this name, and that of the name with digits, are not this program's to replace.
  case isTaken(path: String)

  /// The path of the file, or nil if the failure is about the cached bytes.
  package var path: String? {
    switch self {
    case .damaged, .source: nil
    case .file(let path, _), .isFolder(let path), .isTaken(let path): path
    }
  }

  /// The system's error, if there was one.
  package var code: Errno? {
    switch self {
    case .source(let error): error.code
    case .file(_, let code): code
    case .damaged, .isFolder, .isTaken: nil
    }
  }

  /// The event and its remedy, as a clause to follow the file's name and a colon.
  package var reason: String {
    switch self {
    case .damaged: "the stored image is damaged"
    case .source(let error): "the stored image cannot be read: \(error.code)"
    case .isFolder(let path):
      "cannot be written: " + (path.endsInSlash ? "a name that ends in / is a folder's" : "a folder has that name")
    case .isTaken:
      "cannot be written: what has that name was not written by imgfetch, or was changed since; move it away, or replace a file by --overwrite"
    case .file(_, .noSuchDevice): "cannot be written: this is a pipe, and nothing listens there"
    case .file(_, let code): "cannot be written: \(OutputFailure.text(of: code))"
    }
  }

  /// The error of a write, and what helps.
  package static func text(of code: Errno) -> String { "\(code)\(advice(code))" }

  /// The remedy that a person has, if the error's text does not name it.
  private static func advice(_ code: Errno) -> String {
    switch code {
    case .noSpace: "; free some space there, or write to another disk"
    case .fileTooLarge: "; no file may be so large there; see 'ulimit -f'"
    case .overQuota: "; remove something there, or write to another disk"
    case .accessDenied, .notPermitted: "; choose a folder in which you may write"
    case .readOnlyFileSystem: "; choose a folder on another disk"
    case .nameTooLong: "; choose a shorter name"
    case .isDirectory: "; name a file in it"
    case .notDirectory: "; a part of its path is a file"
    case .noSuchFile: "; its folder does not exist"
    case .connectionRefused: "; nothing listens there"
    case .noSuchDevice: "; nothing reads from that pipe"
    case .tryAgain: "; nothing reads there"
    case .tooManyOpenFiles: "; see 'ulimit -n'"
    case .tooManySymbolicLinks: "; a link of another user is on its way, or one that leads back to itself"
    default: ""
    }
  }
}

extension OutputFailure {
  /// The failure of reading a body while it was written to `path`.
  package init(_ failure: BodyReadFailure, _ path: String) {
    switch failure {
    case .damaged: self = .damaged
    case .source(let error): self = .source(error)
    case .sink(let error): self = .file(path: path, error.code)
    }
  }
}
