import ImgfetchCore

/// The exit code of the program: the documented codes, combined over all failures of a run.
struct ExitCode: Sendable {
  static let success: Int32 = 0
  /// Several kinds of failure in one run, or one without a specific code.
  static let mixed: Int32 = 1
  /// The command line, environment or configuration is wrong.
  static let usage: Int32 = 2
  static let network: Int32 = 3
  static let status: Int32 = 4
  static let image: Int32 = 5
  static let notCached: Int32 = 6
  static let file: Int32 = 7
  static let refused: Int32 = 8
  /// The reader of the results has gone: the code that shells show for a program ended by SIGPIPE.
  static let brokenPipe = ended(by: 13)

  /// The code of a program that was ended by a signal: 128 and the signal's number, as in shells.
  static func ended(by signal: Int32) -> Int32 { 128 + signal }

  private var failures: Set<Int32> = []
  private var interruption: Int32?

  /// The code of a run with only this failure.
  static func code(of kind: FetchError.Kind) -> Int32 {
    switch kind {
    case .name, .connect, .tls, .timeout, .truncated: network
    case .http: status
    case .notImage, .damaged, .limit, .checksum: image
    case .offline: notCached
    case .file: file
    case .refused: refused
    case .cancelled: mixed
    }
  }

  /// Counts a failure. A cancelled image (after a signal, or with `--fail-fast`) does not count if there is another
  /// failure.
  mutating func add(_ error: FetchError) { add(ExitCode.code(of: error.kind)) }

  mutating func add(_ code: Int32) { failures.insert(code) }

  /// Notes that the run was interrupted. The first signal counts.
  mutating func interrupt(by signal: Int32) { interrupt(with: ExitCode.ended(by: signal)) }

  /// Sets the code of the run, which then takes precedence over all failures.
  mutating func interrupt(with code: Int32) { interruption = interruption ?? code }

  /// The exit code: that of the only kind of failure, or ``mixed``.
  var value: Int32 {
    if let interruption { return interruption }
    let telling = failures.count > 1 ? failures.subtracting([ExitCode.mixed]) : failures
    return telling.count > 1 ? ExitCode.mixed : telling.first ?? ExitCode.success
  }
}
