/// The origin of an option's value, in the order of precedence: a later case wins over an earlier one.
enum Source: Hashable, Sendable {
  case defaultValue
  case file(path: String, line: Int)
  case environment(String)
  case commandLine(String)

  var strength: Int {
    switch self {
    case .defaultValue: 0
    case .file: 1
    case .environment: 2
    case .commandLine: 3
    }
  }

  /// The option's name in messages: as the user wrote it, with its place.
  func naming(_ flag: Flag) -> String {
    switch self {
    case .defaultValue: flag.spelling
    case .file(let path, let line): "\(path):\(line): \(flag.long)"
    case .environment(let variable): variable
    case .commandLine(let spelling): spelling
    }
  }
}
