/// The configuration file: `name = value` lines, and comments that begin with `#`.
struct ConfigurationFile: Hashable, Sendable {
  /// One line that says something.
  struct Line: Hashable, Sendable {
    let number: Int
    let name: String
    let value: String
  }

  let path: String
  let lines: [Line]

  /// No file.
  static let none = ConfigurationFile(path: "", lines: [])

  private init(path: String, lines: [Line]) {
    self.path = path
    self.lines = lines
  }

  /// Reads the text of the file at `path`. A `#` is a comment only where a line begins with it, since values (colours,
  /// URLs) may hold one.
  init(_ text: String, path: String) throws(UsageError) {
    var lines: [Line] = []
    // Editors of other systems begin a file with a mark that is no text.
    let mark = "\u{FEFF}".utf8
    let text = text.utf8.starts(with: mark) ? text.utf8.dropFirst(mark.count) : text.utf8[...]
    // Bytes, since to a Character the end of a line that came from Windows is another one.
    for (index, raw) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = Self.trimmed(Substring(raw))
      if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
      guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        // Its first word, since what follows may be a password.
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
  /// Which file is to be read before the rest can be understood.
  enum Choice: Hashable, Sendable {
    case none
    /// Asked for by name: not to find it is a mistake. `source` says who asked.
    case named(path: String, source: Source)
    /// The usual place: read if there is a file.
    case usual(path: String)
  }
}

extension Arguments {
  /// The configuration file to read: what `--config` and `--no-config` say, `IMGFETCH_CONFIG`, or the usual place. Nothing
  /// is ever read from the working directory.
  func configuration(_ environment: Environment) throws(UsageError) -> ConfigurationFile.Choice {
    // Neither of them looks at any setting, so a broken file does not keep one from reading the help.
    if asksForHelp != nil || asksForVersion || command == nil || command == .completions { return .none }
    if command == .help && operands != ["options"] { return .none }

    if let option = options.last(where: { $0.id == .config }) {
      guard case .text(let path) = option.value else { return .none }
      guard !path.isEmpty else { throw UsageError("\(option.spelling) needs the name of a file") }
      return .named(path: path, source: .commandLine(option.spelling))
    }
    if let path = environment["IMGFETCH_CONFIG"] {
      return path.isEmpty ? .none : .named(path: path, source: .environment("IMGFETCH_CONFIG"))
    }
    guard let folder = environment.baseFolder("XDG_CONFIG_HOME", underHome: ".config") else { return .none }
    return .usual(path: folder + "/imgfetch/config")
  }
}

/// The environment as the program was given it. A plain value: whoever stands at the rim reads it and hands it in.
///
/// Its entries stay bytes until somebody asks for one: a run asks for a dozen names, of which few are there.
struct Environment: Sendable, ExpressibleByDictionaryLiteral {
  /// `NAME=value`, each.
  private let entries: [[UInt8]]

  /// From entries of the form `NAME=value`, as the kernel hands them over.
  init(entries: [[UInt8]]) { self.entries = entries }

  init(dictionaryLiteral elements: (String, String)...) {
    self.init(entries: elements.map { Array("\($0.0)=\($0.1)".utf8) })
  }

  /// Nil: it is not set, or is no text.
  subscript(_ name: String) -> String? {
    let length = name.utf8.count
    for entry in entries
    where entry.count > length && entry[length] == UInt8(ascii: "=") && entry.starts(with: name.utf8) {
      if let value = String(validating: entry[(length + 1)...], as: UTF8.self) { return value }
    }
    return nil
  }

  /// Those whose name begins so.
  func variables(beginningWith prefix: String) -> [(name: String, value: String)] {
    entries.filter { $0.starts(with: prefix.utf8) }.compactMap { entry in
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: entry[..<equals], as: UTF8.self),
        let value = String(validating: entry[(equals + 1)...], as: UTF8.self)
      else { return nil }
      return (name: name, value: value)
    }
  }

  /// A variable that is set and not empty.
  func filled(_ name: String) -> String? {
    guard let value = self[name], !value.isEmpty else { return nil }
    return value
  }

  /// One of the XDG base directories, or its place under HOME. A relative path in the variable counts as not set, as
  /// that specification wants it.
  func baseFolder(_ variable: String, underHome fallback: String) -> String? {
    if let folder = filled(variable), folder.hasPrefix("/") { return folder }
    return filled("HOME").map { $0 + "/" + fallback }
  }
}
