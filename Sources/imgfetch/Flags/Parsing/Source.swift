/// Where the value of an option came from. The order is the precedence: a later case wins over an earlier one.
enum Source: Hashable, Sendable {
  case standard
  case file(path: String, line: Int)
  case environment(String)
  case commandLine(String)

  var strength: Int {
    switch self {
    case .standard: 0
    case .file: 1
    case .environment: 2
    case .commandLine: 3
    }
  }

  /// How a message names the option, given its long name: as the user wrote it, at the place where it was written.
  func naming(_ flag: Flag) -> String {
    switch self {
    case .standard: flag.spelling
    case .file(let path, let line): "\(path):\(line): \(flag.long)"
    case .environment(let variable): variable
    case .commandLine(let spelling): spelling
    }
  }
}
