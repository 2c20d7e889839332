/// A failed system call: which one, why, and on which file.
package struct SystemError: Error, Hashable, Sendable {
  package let call: SystemCall
  package let code: Errno
  /// The file or folder, if its name was known.
  package var path: String?

  package init(_ call: SystemCall, _ code: Errno, path: String? = nil) {
    self.call = call
    self.code = code
    self.path = path
  }

  /// The same failure with a better name for the file than the system layer has.
  package func of(_ path: String) -> SystemError { SystemError(call, code, path: path) }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    if let path { "\(path): \(code)" } else { "\(call.rawValue): \(code)" }
  }
}
