import ImgfetchCore

/// Prints what a `cache` command found or did: words for a terminal, TAB-separated fields for a pipe, or JSON.
struct CacheReport {
  enum Form: Sendable {
    case words
    case lines
    case json
  }

  let form: Form
  /// Whether actions are reported. What was asked for is always printed.
  let reportsActions: Bool
  private let printer: Printer

  init(_ settings: Settings) {
    form = settings.report.isJSON ? .json : Surroundings.isTerminal(1) ? .words : .lines
    reportsActions = !settings.messages.quiet || settings.report.isJSON
    printer = Printer(.standardOutput, flushing: .whenFull)
  }

  func print(_ line: String) { printer.print(line) }

  func print(_ append: (inout [UInt8]) -> Void) { printer.print(append) }

  /// Reports an action in the selected form.
  func action(words: @autoclosure () -> String, lines: @autoclosure () -> [String], json: @autoclosure () -> String) {
    guard reportsActions else { return }
    switch form {
    case .words: print(words())
    case .lines: for line in lines() { print(line) }
    case .json: print(json())
    }
  }

  /// Whether the reader has gone.
  var hasLostReader: Bool { printer.failure != nil }

  /// Writes everything out.
  func finish(_ code: Int32, _ messages: Messages) -> Int32 {
    printer.flush()
    guard let failure = printer.failure else { return code }
    if failure.code == .brokenPipe { return ExitCode.brokenPipe }
    messages.say("standard output: \(failure.code)")
    return code == ExitCode.success ? ExitCode.file : code
  }
}

extension CacheUsage {
  /// `12 images, 3.4 MB`.
  var words: String { "\(Amount.count(Int(clamping: entries), "image")), \(Amount.size(bytes))" }
  /// `ENTRIES<TAB>BYTES`.
  var line: String { "\(entries)\t\(bytes)" }
  var json: String { "{\"entries\":\(entries),\"bytes\":\(bytes)}" }
}
