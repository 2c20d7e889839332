/// The effect of a failing call on a run.
enum FaultedOutcome: Sendable {
  /// The run ends as it would have: with its exit code, and not a word of it.
  case nothing
  /// Exit code 0 and one warning. The image is written; the cache is as it was.
  case noCache
  /// Exit code 0 and one warning. The image is written and stored.
  case noTime
  /// The run has this exit code, and a message with these words. The image is stored; its file is unchanged.
  case noOutput(Int32, String)
  /// Exit code 7, and a message about standard output. The image is written and stored.
  case noReport
  /// The run has this exit code, and a message with these words. File and cache are unchanged.
  case refused(Int32, String)
  /// The run ends as it would have, and the next one has nothing to resume.
  case forgotten

  static let noOutput = noOutput(7, "cannot be written")
  static let reportFailure = "standard output: "

  /// True if the image is in its file afterwards.
  var writes: Bool {
    switch self {
    case .nothing, .forgotten, .noCache, .noTime, .noReport: true
    case .noOutput, .refused: false
    }
  }

  /// True if the image is in the cache, where it would be.
  var stores: Bool {
    switch self {
    case .nothing, .forgotten, .noTime, .noOutput, .noReport: true
    case .noCache, .refused: false
    }
  }

  /// The end of a run, as its user sees it.
  struct Ending: Equatable {
    let code: Int32
    /// A part of the only message, or nil if there is none.
    let words: String?

    static let wordless = Ending(code: 0, words: nil)
  }

  /// The end of the run that would else have ended with `usual`.
  func ending(_ usual: Ending) -> Ending {
    switch self {
    case .nothing, .forgotten: usual
    case .noCache, .noTime: .init(code: 0, words: "warning: ")
    case .noOutput(let code, let words), .refused(let code, let words): .init(code: code, words: words)
    case .noReport: .init(code: 7, words: Self.reportFailure)
    }
  }
}
