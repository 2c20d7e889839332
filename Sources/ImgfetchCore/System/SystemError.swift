/// A system call that failed: which one, why, and on what.
package struct SystemError: Error, Hashable, Sendable {
  package let call: SystemCall
  package let code: Errno
  /// The file or folder, where the caller knew its name.
  package var path: String?

  package init(_ call: SystemCall, _ code: Errno, path: String? = nil) {
    self.call = call
    self.code = code
    self.path = path
  }

  /// The same failure, said of a file that the caller can name better than the system layer could.
  package func of(_ path: String) -> SystemError { SystemError(call, code, path: path) }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    if let path { "\(path): \(code)" } else { "\(call.rawValue): \(code)" }
  }
}
