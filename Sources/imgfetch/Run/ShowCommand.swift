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
      var items: [ShownItem] = []
      for operand in settings.operands { items.append(try ShownItem(operand)) }
      ProcessEnvironment.tuneMemory()
      ProcessEnvironment.allowFiles(Fetcher.filesNeeded(forJobs: settings.fetcher.jobs))
      let identity = try identity(settings, messages)
      let screen = PictureScreen(settings, environment)
      return ShowRun(settings, environment, items, identity, messages, screen).run()
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
}
