import ImgfetchCore

/// `find`: prints the images that sources name.
enum FindCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    let messages = Messages(isQuiet: settings.messages.quiet)
    ProcessEnvironment.tuneMemory()
    ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
    var settings = settings
    settings.operands = []
    settings.takeLoginOfSource()
    let identity: FetchIdentity
    do throws(RunFailure) {
      identity = try CredentialReader.read(settings) { messages.warn($0) }
    } catch {
      messages.error(error.message)
      return error.exitCode
    }
    let accounts = S3AccountReader(environment)
    settings.list.urls = URLReader(accounts.account) { accounts.failure }
    if settings.find.sources.contains("-"), ProcessEnvironment.isTerminal(0) {
      messages.note("reading a source from this terminal; Ctrl-D at the beginning of a line ends it")
    }
    let printer = Printer(.standardOutput, flushing: .whenFull)
    let interrupts = Interrupts()
    interrupts.onCause { cause in
      printer.stopWaiting()
      printer.flush()
      if case .signal(let number) = cause { ProcessEnvironment.exit(ExitCode.ended(by: number)) }
      ProcessEnvironment.exit(ExitCode.brokenPipe)
    }
    interrupts.listen()
    var configuration = settings.fetcher
    configuration.identity = identity
    configuration.temporaryFolder = environment.temporaryFolder
    var hooks = FetchHooks()
    hooks.warn = { messages.warn($0) }
    hooks.warnOfCache = { messages.warn($0, of: .noCache) }
    if let log = VerboseLog(settings.messages, messages) {
      hooks.tellsHeaders = log.includesHeaders
      hooks.events = { log.print($0) }
    }
    let fetcher = Fetcher(configuration, hooks: hooks)
    let code = walk(settings, fetcher, environment, printer, messages)
    return end(settings, fetcher, messages, code)
  }

  private static func walk(
    _ settings: Settings, _ fetcher: Fetcher, _ environment: Environment, _ printer: Printer, _ messages: Messages
  ) -> ExitCode {
    let format: FoundFormat =
      settings.report.isJSON ? .json : settings.find.isTable ? .table : .lines(isInternal: false)
    var code = ExitCode()
    // The sources without images fail the run only if no other one has some.
    var fruitless: [FetchError] = []
    if case .table = format { printer.print { $0.append(text: FoundFormat.header) } }
    let walk = SourceWalk(
      settings, fetcher, spoolIn: environment.temporaryFolder,
      SourceWalk.Events(
        found: { image in
          printer.print { image.append(as: format, to: &$0) }
          return printer.failure == nil
        },
        fail: { error in
          printer.flush()
          code.add(error)
          messages.error(Advice.completing(error, settings.proxy).message)
        }, nothing: { fruitless.append(Advice.completing($0, settings.proxy)) }, warn: { messages.warn($0) }))
    walk.run(settings.find.sources)
    printer.flush()
    if let failure = printer.failure {
      if failure.code == .brokenPipe { ProcessEnvironment.exit(ExitCode.brokenPipe) }
      messages.error(Printer.message(of: failure))
      code.add(ExitCode.file)
    }
    for error in fruitless {
      if walk.count == 0 { messages.error(error.message) } else { messages.warn(error.message) }
    }
    if walk.count == 0, !fruitless.isEmpty || !walk.hasFailed { code.add(ExitCode.image) }
    return code
  }

  private static func end(
    _ settings: Settings, _ fetcher: Fetcher, _ messages: Messages, _ code: ExitCode
  ) -> Int32 {
    var code = code
    do throws(FetchError) { try CookieFile.keep(of: fetcher, settings) } catch {
      messages.error(error.message)
      code.add(error)
    }
    messages.printQuietWarnings()
    return code.value
  }
}
