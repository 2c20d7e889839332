import ImgfetchCore

/// Reads the configuration file, which may be a pipe (`--config <(command)`).
enum ConfigurationReader {
  /// A configuration file has a few dozen lines; a larger file is a mistake.
  private static let limit = 1 << 20
  /// So long a pipe may have no writer. A shell that starts both sides begins with either.
  private static let patience: Int32 = 1_000

  static func read(_ choice: ConfigurationFile.Choice) throws(UsageError) -> ConfigurationFile {
    let path: String
    let mustExist: Bool
    switch choice {
    case .none: return .none
    case .named(let name, _): (path, mustExist) = (name, true)
    case .usual(let name): (path, mustExist) = (name, false)
    }
    var bytes: [UInt8] = []
    var hasWriter = true
    do throws(SystemError) {
      // Opened for waiting, a pipe without a writer would be waited for without an end.
      let file = try Descriptor.open(path, [.read, .nonBlocking])
      var count = try read(file, into: &bytes)
      if count == 0 {
        // What is no pipe is ready, and ends again.
        let isReady = try file.waitForBytes(atMost: patience)
        count = try read(file, into: &bytes)
        hasWriter = isReady || count > 0
      }
      while count > 0, bytes.count <= limit { count = try read(file, into: &bytes) }
    } catch {
      if !mustExist && (error.code == .noSuchFile || error.code == .notDirectory) { return .none }
      // What starts a service as another user may leave HOME as it was (setpriv, chpst).
      let advice =
        !mustExist && error.code == .accessDenied
        ? "; if that is another user's, set HOME or XDG_CONFIG_HOME, or add --no-config" : ""
      throw UsageError(
        "\(path): the configuration cannot be read: \(error.code)\(advice)", help: ConfigurationFile.help)
    }
    guard hasWriter else {
      throw UsageError(
        "\(path): this is a pipe, and no program writes a configuration to it", help: ConfigurationFile.help)
    }
    guard bytes.count <= limit else {
      throw UsageError("\(path): larger than any configuration (1 MiB)", help: ConfigurationFile.help)
    }
    return try ConfigurationFile(UTF8Text.configuration(bytes, path: path), path: path)
  }

  /// Reads on. A pipe that has a writer and no bytes is waited for.
  private static func read(_ file: borrowing Descriptor, into bytes: inout [UInt8]) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) { return try file.read(into: &bytes, count: 16 << 10) } catch {
        guard error.code == .tryAgain else { throw error }
        _ = try file.waitForBytes(atMost: nil)
      }
    }
  }
}
