import Glibc

/// Asks for a password at the terminal, without echo.
///
/// It reads key by key with echo and signal keys turned off. If Ctrl-C ended the process here, the terminal would
/// remain without echo.
package enum PasswordPrompt {
  /// The reason for which there is no password.
  package enum Failure: Error, Hashable, Sendable {
    /// There is no terminal to ask at.
    case noTerminal
    /// The person pressed Ctrl-C, or the terminal went away.
    case interrupted
  }

  /// The longest password. A longer one is a paste gone wrong.
  private static let limit = 1024

  package static func ask(_ question: String) throws(Failure) -> String {
    guard let terminal = try? Descriptor.open("/dev/tty", .readWrite) else { throw .noTerminal }
    var before = termios()
    guard unsafe tcgetattr(terminal.raw, &before) == 0 else { throw .noTerminal }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(terminal.raw, TCSAFLUSH, &silent) == 0 else { throw .noTerminal }
    defer {
      unsafe tcsetattr(terminal.raw, TCSAFLUSH, &before)
      try? terminal.write([UInt8(ascii: "\n")].span)
    }
    try? terminal.write(Array(question.utf8).span)
    var line = PasswordLine()
    while true {
      var keys: [UInt8] = []
      guard let count = try? terminal.read(into: &keys, count: 64), count > 0 else { throw .interrupted }
      for key in keys {
        switch line.press(key) {
        case .more: break
        case .done(let password): return password
        case .interrupted: throw .interrupted
        }
      }
      if line.count > limit { throw .interrupted }
    }
  }
}

/// The password line as keys are pressed, with the usual editing keys. A pure value.
struct PasswordLine {
  private var bytes: [UInt8] = []

  enum Outcome: Equatable {
    case more
    case done(String)
    case interrupted
  }

  var count: Int { bytes.count }

  mutating func press(_ key: UInt8) -> Outcome {
    switch key {
    case 0x0A, 0x0D: return .done(String(decoding: bytes, as: UTF8.self))
    case 0x03, 0x1C: return .interrupted
    case 0x04: return bytes.isEmpty ? .interrupted : .done(String(decoding: bytes, as: UTF8.self))
    case 0x15: bytes = []
    case 0x08, 0x7F:
      // Removes all bytes of a character.
      while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    default: bytes.append(key)
    }
    return .more
  }
}
