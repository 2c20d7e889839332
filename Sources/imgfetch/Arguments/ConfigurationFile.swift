/// The configuration file: `name = value` lines, and comments that begin with `#`.
struct ConfigurationFile: Hashable, Sendable {
  /// One line with a setting.
  struct Line: Hashable, Sendable {
    let number: Int
    let name: String
    let value: String
  }

  let path: String
  let lines: [Line]

  static let none = ConfigurationFile(path: "", lines: [])

  private init(path: String, lines: [Line]) {
    self.path = path
    self.lines = lines
  }

  /// Reads the text of the file at `path`. A `#` begins a comment only at the beginning of a line, since values
  /// (colours, URLs) may contain one.
  init(_ text: String, path: String) throws(UsageError) {
    var lines: [Line] = []
    // Some editors begin a file with a byte order mark.
    let mark = "\u{FEFF}".utf8
    let text = text.utf8.starts(with: mark) ? text.utf8.dropFirst(mark.count) : text.utf8[...]
    // Split by bytes: as a Character, the CR LF of a Windows line is not a newline.
    for (index, raw) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = Self.trimmed(Substring(raw))
      if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        // Only the first word, since the rest may be a password.
        let word = line.prefix { $0 != " " && $0 != "\t" }
        throw UsageError("\(path):\(index + 1): '\(word)' is not of the form 'name = value'", help: Self.help)
      }
      let name = Self.trimmed(line[..<equals])
      guard !name.isEmpty else {
        throw UsageError("\(path):\(index + 1): there is no name before the '='", help: Self.help)
      }
      lines.append(
        Line(number: index + 1, name: String(name), value: String(Self.trimmed(line[line.index(after: equals)...]))))
    }
    self.init(path: path, lines: lines)
  }

  static let help = "man imgfetch-config"

  private static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8[...]
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return Substring(bytes)
  }
}

extension ConfigurationFile {
  /// The file to read before the options can be resolved.
  enum Choice: Hashable, Sendable {
    case none
    /// Named by the user: it must exist. `source` says where it was named.
    case named(path: String, source: Source)
    /// The default path: read if the file exists.
    case usual(path: String)
  }
}

extension Arguments {
  /// The configuration file to read: as `--config`, `--no-config` or the variables of the two say, else the default
  /// path. The working directory is never read.
  func configuration(_ environment: Environment) throws(UsageError) -> ConfigurationFile.Choice {
    // These need no settings, so that a broken file does not keep the user from reading the help.
    if asksForHelp != nil || asksForVersion || command == nil || command == .completions { return .none }
    if command == .help && operands != ["options"] { return .none }

    if let option = options.last(where: { $0.id == .config }) {
      guard case .text(let path) = option.value else { return .none }
      guard !path.isEmpty else { throw UsageError("\(option.spelling) needs the name of a file") }
      return .named(path: path, source: .commandLine(option.spelling))
    }
    let negation = "IMGFETCH_NO_CONFIG"
    if let value = environment[negation],
      case .negated? = try ResolvedOptions.state(value, of: FlagID.config.flag, negated: true, .environment(negation))
    {
      return .none
    }
    if let path = environment["IMGFETCH_CONFIG"] {
      return path.isEmpty ? .none : .named(path: path, source: .environment("IMGFETCH_CONFIG"))
    }
    guard let folder = environment.baseFolder("XDG_CONFIG_HOME", underHome: ".config") else { return .none }
    return .usual(path: folder + "/imgfetch/config")
  }
}
