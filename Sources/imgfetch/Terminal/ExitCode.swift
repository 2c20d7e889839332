import ImgfetchCore

/// What the program's end tells whoever started it: the documented codes, merged over everything that failed in a run.
struct ExitCode: Sendable {
  static let success: Int32 = 0
  /// Several kinds of failure in one run, or one that has no code of its own.
  static let mixed: Int32 = 1
  /// The command line, environment or configuration is wrong.
  static let usage: Int32 = 2
  static let network: Int32 = 3
  static let status: Int32 = 4
  static let image: Int32 = 5
  static let notCached: Int32 = 6
  static let file: Int32 = 7
  static let refused: Int32 = 8
  /// The results have lost their reader: what a shell says of a program that SIGPIPE ended.
  static let unheard = ended(by: 13)

  /// That of a program which a signal ended: 128 and its number, as shells have it.
  static func ended(by signal: Int32) -> Int32 { 128 + signal }

  private var failures: Set<Int32> = []
  private var interruption: Int32?

  /// The code of a run in which nothing else failed.
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

  /// Counts a failure. What was broken off from this side (the first failure of `--fail-fast` did it, or a signal) says nothing
  /// of its own beside another failure.
  mutating func add(_ error: FetchError) { add(ExitCode.code(of: error.kind)) }

  /// Counts a failure that has this code.
  mutating func add(_ code: Int32) { failures.insert(code) }

  /// The run was interrupted; the first signal counts.
  mutating func interrupt(by signal: Int32) { interrupt(with: ExitCode.ended(by: signal)) }

  /// The run ends with this code, whatever else has failed in it.
  mutating func interrupt(with code: Int32) { interruption = interruption ?? code }

  /// The code to end with: that of the only kind of failure, ``mixed`` where there are several.
  var value: Int32 {
    if let interruption { return interruption }
    let telling = failures.count > 1 ? failures.subtracting([ExitCode.mixed]) : failures
    return telling.count > 1 ? ExitCode.mixed : telling.first ?? ExitCode.success
  }
}
