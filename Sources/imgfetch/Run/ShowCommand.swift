import ImgfetchCore
import ImgfetchShow

/// `show`: fetches images as `prefetch` does and draws them in the terminal, one under another in the order in which
/// they are given.
enum ShowCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    let messages = Messages(isQuiet: settings.messages.quiet)
    let kind = environment["TERM"] ?? ""
    if settings.show.picture == .auto, !ProcessEnvironment.isTerminal(1) || kind == "dumb" || kind.isEmpty {
      messages.error("standard output is no terminal that shows pictures; --picture blocks writes them all the same")
      return UsageError.exitCode
    }
    do throws(RunFailure) { return try run(settings, environment, messages) } catch {
      messages.error(error.message)
      return error.exitCode
    }
  }

  private static func run(
    _ settings: Settings, _ environment: Environment, _ messages: Messages
  ) throws(RunFailure) -> Int32 {
    let accounts = S3AccountReader(environment)
    let urls = URLReader(accounts.account)
    let items = try items(settings, urls, accounts)
    ProcessEnvironment.tuneMemory()
    ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
    let identity = try CredentialReader.read(settings) { messages.warn($0) }
    var settings = settings
    settings.list.urls = urls
    try CredentialReader.checkLists(settings, accounts)
    settings.fetcher.remoteCache = try CredentialReader.remoteCache(settings, accounts)
    settings.fetcher.stores = try CredentialReader.stores(settings)
    // Before the terminal is asked, so that no signal ends the run while it does not echo.
    let isTerminal = ProcessEnvironment.isTerminal(1)
    let interrupts = Interrupts(handlesStop: isTerminal, handlesQuit: isTerminal)
    let terminal = isTerminal ? QuietTerminal(of: 1) : nil
    let asked = PicturePainter.asks(settings.show.picture) { environment[$0] } ? terminal : nil
    let screen = PictureScreen(
      settings, environment, terminal, asked.flatMap { TerminalConversation($0, clock: SystemClock()) })
    defer { screen.end() }
    return ShowRun(settings, environment, items, identity, messages, screen, interrupts).run()
  }

  private static func items(
    _ settings: Settings, _ urls: URLReader, _ accounts: S3AccountReader
  ) throws(RunFailure) -> [ShownItem] {
    var items: [ShownItem] = []
    do throws(UsageError) {
      for operand in settings.operands { items.append(try ShownItem(operand, urls)) }
    } catch {
      throw accounts.failure ?? RunFailure(message: error.message, exitCode: UsageError.exitCode)
    }
    return items
  }
}
