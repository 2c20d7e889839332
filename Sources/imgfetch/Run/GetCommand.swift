import ImgfetchCore

/// `get` and `prefetch`: brings together those who take part in a run, and has it run.
enum GetCommand {
  static func run(_ settings: GetSettings, _ environment: Environment, isPrefetch: Bool) -> Int32 {
    if let objection = FailureList.objection(settings) {
      Messages().say(objection)
      return UsageError.exitCode
    }
    Surroundings.tuneMemory()
    Surroundings.allowFiles(Fetcher.filesNeeded(forJobs: settings.network.jobs))
    Surroundings.makeRoomForFiles()
    let identity: FetchIdentity
    // Before there are bars: a question may be asked at the terminal.
    do throws(IdentitySources.Failure) {
      identity = try IdentitySources.read(settings.identity) { warning in
        Messages(isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages).warn(warning)
      }
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).say(error.message)
      return error.exitCode
    }
    var file: ReportFile?
    do throws(FetchError) {
      if let path = settings.report.file { file = try ReportFile(path, ResultJSON(settings.report)) }
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).say(error.message)
      return ExitCode.code(of: error.kind)
    }
    let bars = ProgressDisplay(settings, environment)
    let messages = Messages(
      isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages, bars: bars)
    if settings.selection.inputs.contains("-"), Surroundings.isTerminal(0) {
      messages.note("reading URLs from this terminal, one a line; Ctrl-D at the beginning of a line ends the list")
    }
    let reporter = Reporter(
      settings, messages: messages, file: file, bars: bars, environment: environment,
      holdsImage: !isPrefetch && settings.output.single == .standardOutput)
    return GetRun(settings, environment, identity, reporter: reporter, bars: bars, isPrefetch: isPrefetch).run()
  }
}

extension ProgressDisplay {
  /// The display that was asked for, on standard error; nil where there is to be none.
  convenience init?(_ settings: GetSettings, _ environment: Environment) {
    let wish = settings.messages.quiet ? .none : settings.report.progress
    let mode = ProgressMode(wish, isTerminal: Surroundings.isTerminal(2), kind: environment["TERM"])
    if mode == .none { return nil }
    let window = Window(2, environment)
    let look = Look(
      mode: mode, style: Style(hasColour: Messages.hasColour(settings.messages.color, 2, environment)),
      isUnicode: ProgressMode.isUnicode { environment[$0] }, window: { (window.columns ?? 80, window.rows ?? 24) })
    self.init(look, on: .standardError)
  }
}
