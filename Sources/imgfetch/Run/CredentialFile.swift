import ImgfetchCore

/// Reads the files in which credentials are.
enum CredentialFile {
  /// Why the run cannot begin.
  struct Failure: Error, Hashable {
    let message: String
    let exitCode: Int32
  }

  /// Larger than any of these files.
  private static let limit = 4 << 20

  /// The text of a file.
  ///
  /// - Parameter what: what it should hold, for messages.
  static func text(_ path: String, _ what: String) throws(Failure) -> String {
    try text(path, what, unlessMissing: []) ?? ""
  }

  /// The same; nil: there is no such file.
  static func textIfThere(_ path: String, _ what: String) throws(Failure) -> String? {
    try text(path, what, unlessMissing: [.noSuchFile, .notDirectory])
  }

  private static func text(_ path: String, _ what: String, unlessMissing missing: [Errno]) throws(Failure) -> String? {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      let file = try Descriptor.open(path, .read)
      while bytes.count <= limit, try file.read(into: &bytes, count: 64 << 10) > 0 {}
    } catch {
      if missing.contains(error.code) { return nil }
      throw Failure(message: "\(path): \(what) cannot be read: \(error.code)", exitCode: ExitCode.file)
    }
    guard bytes.count <= limit else {
      throw Failure(message: "\(path): too large to hold \(what)", exitCode: ExitCode.file)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Checks a file that libcurl reads with the first connection, and would report as a failure of that connection.
  static func check(_ path: String, _ what: String) throws(Failure) {
    do throws(SystemError) { _ = try Descriptor.open(path, .read) } catch {
      throw Failure(message: "\(path): \(what) cannot be read: \(error.code)", exitCode: ExitCode.file)
    }
  }
}
