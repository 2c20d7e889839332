import ImgfetchCore
import ImgfetchShow

/// `get`, `prefetch` and `pack`: sets up a run and runs it.
enum GetCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    if let objection = FailedList.objection(settings) {
      Messages().error(objection)
      return UsageError.exitCode
    }
    ProcessEnvironment.tuneMemory()
    ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
    ProcessEnvironment.makeRoomForFiles()
    var settings = settings
    settings.takeLoginOfSource()
    let identity: FetchIdentity
    // Before the progress bars, since the user may be asked for a password at the terminal.
    do throws(RunFailure) {
      identity = try readIdentities(into: &settings, environment)
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).error(error.message)
      return error.exitCode
    }
    var file: ReportFile?
    do throws(FetchError) {
      if let path = settings.report.file { file = try ReportFile(path, ResultJSON(settings.report)) }
    } catch {
      Messages(isJSON: settings.report.hasJSONMessages).error(error.message)
      return ExitCode.code(of: error.kind)
    }
    let bars = ProgressDisplay(settings, environment)
    let messages = Messages(
      isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages, bars: bars)
    if settings.list.inputs.contains("-") || settings.find.sources.contains("-"), ProcessEnvironment.isTerminal(0) {
      messages.note("reading URLs from this terminal, one a line; Ctrl-D at the beginning of a line ends the list")
    }
    if let obstacle = Pruning(settings)?.obstacle {
      file?.discard()
      messages.error(obstacle)
      return ExitCode.usage
    }
    if let path = settings.output.failedList, let obstacle = FailedList.obstacle(path) {
      messages.warn(obstacle.message)
    }
    let earlier =
      settings.report.printing == .new
      ? settings.output.failedList.flatMap {
        EarlierFailures($0, settings.list)
      } : nil
    let reporter = Reporter(
      settings, messages: messages, file: file, bars: bars, environment: environment, earlier: earlier)
    do throws(RunFailure) {
      return try GetRun(
        settings, environment, identity, reporter: reporter, bars: bars, earlier: earlier
      ).run()
    } catch {
      bars?.end()
      file?.discard()
      messages.error(error.message)
      return error.exitCode
    }
  }

  /// Reads the run's identity, and those at stores, which become settings.
  private static func readIdentities(
    into settings: inout Settings, _ environment: Environment
  ) throws(RunFailure) -> FetchIdentity {
    let messages = Messages(isQuiet: settings.messages.quiet, isJSON: settings.report.hasJSONMessages)
    let identity = try CredentialReader.read(settings) { messages.warn($0) }
    let accounts = S3AccountReader(environment)
    settings.list.urls = URLReader(accounts.account) { accounts.failure }
    settings.fetcher.remoteCache = try CredentialReader.remoteCache(settings, accounts)
    try CredentialReader.checkLists(settings, accounts)
    settings.output.place = try CredentialReader.place(settings, accounts)
    settings.fetcher.place = settings.output.place
    settings.fetcher.stores = try CredentialReader.stores(settings)
    return identity
  }
}

extension ProgressDisplay {
  /// The requested display on standard error; nil if there is none.
  convenience init?(_ settings: Settings, _ environment: Environment) {
    let requested = settings.messages.quiet ? .none : settings.report.progress
    let mode = ProgressMode(
      requested, isTerminal: ProcessEnvironment.isTerminal(2),
      isRead: SharedDescriptor.standardOutput.file.hasLostReader() != nil, kind: environment["TERM"])
    if mode == .none { return nil }
    let window = Window(2, environment)
    var appearance = Appearance(
      mode: mode, style: Style(hasColour: Messages.hasColour(settings.messages.color, 2, environment)),
      isUnicode: ProgressMode.isUnicode { environment[$0] }, window: { (window.columns ?? 80, window.rows ?? 24) },
      isInBackground: { requested == .auto && ProcessEnvironment.isInBackground(2) })
    if mode == .bars, settings.report.showsPreview {
      appearance.preview = Preview(
        TerminalColours { environment[$0] },
        executor: settings.isSandboxed ? SandboxedExecutor(limit: 1) { _ in } : InProcessExecutor(),
        columns: { window.columns ?? 80 })
    }
    self.init(appearance, on: .standardError)
  }
}

extension Settings {
  /// The options of each request, with all that rows and names are to tell.
  var requestOptions: FetchOptions {
    var options = fetch
    options.reportsChecksum =
      report.checksum || report.writeOut.map { WriteOut($0).uses(.sha256) } == true
      || (product == .dataSet && rows.unique != nil)
    options.details = wantedDetails.union(rows.unique?.details ?? ImageDetailSet())
    return options
  }

  /// The details that are asked for: by options, and by templates that name them.
  var wantedDetails: ImageDetailSet {
    var wanted = fetch.details
    if let template = report.writeOut.map(WriteOut.init) {
      for field in ResultField.allCases where template.uses(field) {
        if let fingerprint = field.fingerprint { wanted.insert(fingerprint) }
        if field == .exif { wanted.insert(.exif) }
      }
    }
    if product != .entries, let template = output.nameTemplate {
      wanted = wanted.union(OutputTemplate(template).fingerprints)
    }
    return wanted
  }
}
