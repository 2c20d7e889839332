import ImgfetchCore

/// Reads the configuration file, which may be a pipe (`--config <(command)`).
enum ConfigurationReader {
  /// A configuration file has a few dozen lines; a larger file is a mistake.
  private static let limit = 1 << 20

  static func read(_ choice: ConfigurationFile.Choice) throws(UsageError) -> ConfigurationFile {
    let path: String
    let mustExist: Bool
    switch choice {
    case .none: return .none
    case .named(let name, _): (path, mustExist) = (name, true)
    case .usual(let name): (path, mustExist) = (name, false)
    }
    let file: GivenFile
    do throws(SystemError) { file = try GivenFile(path, limit: limit) } catch {
      if !mustExist && (error.code == .noSuchFile || error.code == .notDirectory) { return .none }
      // What starts a service as another user may leave HOME as it was (setpriv, chpst).
      let advice =
        !mustExist && error.code == .accessDenied
        ? "; if that is another user's, set HOME or XDG_CONFIG_HOME, or add --no-config" : ""
      throw UsageError(
        "\(path): the configuration cannot be read: \(error.code)\(advice)", help: ConfigurationFile.help)
    }
    guard file.hasWriter else {
      throw UsageError(
        "\(path): this is a pipe, and no program writes a configuration to it", help: ConfigurationFile.help)
    }
    guard file.bytes.count <= limit else {
      throw UsageError("\(path): larger than any configuration (1 MiB)", help: ConfigurationFile.help)
    }
    return try ConfigurationFile(UTF8Text.configuration(file.bytes, path: path), path: path)
  }
}
