import ImgfetchCore

/// `show`: fetches images as `prefetch` does and draws them in the terminal, one under another in the order of the operands.
enum ShowCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    let messages = Messages(isQuiet: settings.messages.quiet)
    let kind = environment["TERM"] ?? ""
    if settings.show.picture == .auto, !ProcessEnvironment.isTerminal(1) || kind == "dumb" || kind.isEmpty {
      messages.error("standard output is no terminal that shows pictures; --picture blocks writes them all the same")
      return UsageError.exitCode
    }
    do throws(UsageError) {
      let accounts = S3AccountReader(environment)
      let urls = URLReader(accounts.account)
      var items: [ShownItem] = []
      for operand in settings.operands { items.append(try ShownItem(operand, urls)) }
      ProcessEnvironment.tuneMemory()
      ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
      let identity = try identity(settings, messages)
      var settings = settings
      settings.fetcher.remoteCache = try remoteCache(settings, accounts)
      settings.fetcher.stores = try stores(settings)
      // Before the terminal is asked, so that no signal ends the run while it does not echo.
      let interrupts = Interrupts()
      let asks = ProcessEnvironment.isTerminal(1) && PicturePainter.asks(settings.show.picture) { environment[$0] }
      let screen = PictureScreen(settings, environment, asks ? TerminalConversation(clock: SystemClock()) : nil)
      defer { screen.end() }
      return ShowRun(settings, environment, items, identity, messages, screen, interrupts).run()
    } catch {
      messages.error(error.message)
      return UsageError.exitCode
    }
  }

  private static func identity(_ settings: Settings, _ messages: Messages) throws(UsageError) -> FetchIdentity {
    do throws(CredentialReader.Failure) {
      return try CredentialReader.read(settings) { messages.warn($0) }
    } catch { throw UsageError(error.message, help: nil) }
  }

  private static func stores(_ settings: Settings) throws(UsageError) -> StoreIdentity {
    do throws(CredentialReader.Failure) { return try CredentialReader.stores(settings) } catch {
      throw UsageError(error.message, help: nil)
    }
  }

  private static func remoteCache(
    _ settings: Settings, _ accounts: S3AccountReader
  ) throws(UsageError) -> RemoteCacheSettings? {
    do throws(CredentialReader.Failure) {
      return try CredentialReader.remoteCache(settings, accounts)
    } catch { throw UsageError(error.message, help: nil) }
  }
}
