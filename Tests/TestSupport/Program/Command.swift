import CTestSupport
import Glibc
import ImgfetchCore

/// A program to be started: its arguments and its environment.
package struct Command: Sendable {
  /// The source of the standard input.
  package enum Input: Sendable {
    /// An empty one.
    case none
    /// The given bytes, then the end.
    case bytes([UInt8])
    /// The bytes that the test writes while the program runs, see ``Running/write(_:)``.
    case open
  }

  /// A terminal that it runs at, and which of its streams are that terminal.
  package struct Terminal: Sendable {
    package var columns = 80
    package var rows = 24
    package var input = false
    package var output = true
    package var error = true
    /// The emulator that shows the output, and answers. With nil the terminal only remembers.
    package var emulator: TerminalEmulator?

    /// A terminal that shows pictures, with all streams.
    package init(_ emulator: TerminalEmulator) {
      self.emulator = emulator
      let screen = emulator.screen
      (columns, rows, input) = (screen.columns, screen.rows, true)
    }

    package init(columns: Int = 80, rows: Int = 24, input: Bool = false, output: Bool = true, error: Bool = true) {
      (self.columns, self.rows) = (columns, rows)
      (self.input, self.output, self.error) = (input, output, error)
    }
  }

  package var path: String
  package var arguments: [String]
  /// All of it: nothing is inherited.
  package var environment: [String: String] = [:]
  /// The working directory.
  package var folder = "/"
  package var input = Input.none
  package var terminal: Terminal?
  /// Descriptors that it has as 3, 4 …
  package var inherited: [Int32] = []

  package init(_ path: String, _ arguments: [String]) {
    self.path = path
    self.arguments = arguments
  }

  /// Starts it.
  package func start() throws -> Running { try Running(self) }

  /// Starts it and waits for its end.
  package func run() throws -> Outcome { try start().wait() }

  /// A program of that name in the folders where Debian keeps them.
  package static func find(_ name: String) throws -> String {
    for folder in ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    where access("\(folder)/\(name)", X_OK) == 0 {
      return "\(folder)/\(name)"
    }
    throw CommandError("\(name) is not installed; Scripts/test installs what the tests need")
  }
}

/// A command that could not be started, or did not do in time what the test waited for.
package struct CommandError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// The end of a program, and its output.
package struct Outcome: Sendable, CustomStringConvertible {
  /// Nil if a signal ended it.
  package let exitCode: Int32?
  /// Nil if it exited.
  package let signal: Int32?
  package let output: [UInt8]
  package let error: [UInt8]
  /// The output of a terminal, with its escape sequences.
  package let terminal: [UInt8]

  package var outputText: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: error, as: UTF8.self) }
  package var terminalText: String { String(decoding: terminal, as: UTF8.self) }
  /// The lines of the output, without their ends.
  package var lines: [String] { outputText.split(separator: "\n").map(String.init) }
  /// The lines of the output, each cut at its tabs.
  package var rows: [[String]] {
    lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  package var description: String {
    let ending = exitCode.map { "exit \($0)" } ?? "signal \(signal ?? 0)"
    return
      "\(ending)\noutput: \(outputText)\nerror: \(errorText)\(terminal.isEmpty ? "" : "\nterminal: \(terminalText)")"
  }
}
