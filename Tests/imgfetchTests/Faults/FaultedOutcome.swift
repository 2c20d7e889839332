/// What a failing call does to a run.
enum FaultedOutcome: Sendable {
  /// The run ends as it would have: with its exit code, and not a word of it.
  case nothing
  /// Exit code 0 and one warning. The image is written; the cache is as it was.
  case noCache
  /// This exit code, and a message with these words. The image is stored; its file is as it was.
  case noOutput(Int32, String)
  /// Exit code 7, and a message about standard output. The image is written and stored.
  case noReport
  /// This exit code, and a message with these words. File and cache are as they were.
  case refused(Int32, String)
  /// The run ends as it would have, and the next one has nothing to go on with.
  case forgotten

  static let noOutput = noOutput(7, "cannot be written")
  static let reportFailure = "standard output: "

  /// Whether the image is in its file afterwards.
  var writes: Bool {
    switch self {
    case .nothing, .forgotten, .noCache, .noReport: true
    case .noOutput, .refused: false
    }
  }

  /// Whether it is in the cache, where it would be.
  var stores: Bool {
    switch self {
    case .nothing, .forgotten, .noOutput, .noReport: true
    case .noCache, .refused: false
    }
  }

  /// How a run ends, as the one who started it sees it.
  struct Ending: Equatable {
    let code: Int32
    /// Some of its only message; nil: there is none.
    let words: String?

    static let wordless = Ending(code: 0, words: nil)
  }

  /// How the run ends that would else have ended with `usual`.
  func ending(_ usual: Ending) -> Ending {
    switch self {
    case .nothing, .forgotten: usual
    case .noCache: .init(code: 0, words: "warning: ")
    case .noOutput(let code, let words), .refused(let code, let words): .init(code: code, words: words)
    case .noReport: .init(code: 7, words: Self.reportFailure)
    }
  }
}
