import ImgfetchCore

/// From what was typed to the command that does it. The answer is the exit code.
enum Program {
  static func run(_ arguments: [[UInt8]], environment: [[UInt8]]) -> Int32 {
    do throws(UsageError) {
      let typed = try Typed(GivenText.arguments(arguments))
      let environment = try GivenText.environment(environment)
      let configuration = try read(try typed.configuration(environment))
      let parsed = try Invocation.make(typed, environment: environment, configuration: configuration)
      if !parsed.warnings.isEmpty {
        let messages = Messages(isJSON: parsed.invocation.hasJSONMessages)
        for warning in parsed.warnings { messages.warn(warning) }
      }
      return run(parsed.invocation, environment)
    } catch {
      let messages = Messages()
      messages.say(error.message)
      if let help = error.help { messages.note("Try '\(help)'.") }
      return UsageError.exitCode
    }
  }

  private static func run(_ invocation: Invocation, _ environment: Environment) -> Int32 {
    switch invocation {
    case .get(let settings): GetCommand.run(settings, environment, isPrefetch: false)
    case .prefetch(let settings): GetCommand.run(settings, environment, isPrefetch: true)
    case .inspect(let settings): InspectCommand.run(settings)
    case .cache(let command): CacheCommands.run(command)
    case .completions(let shell): HelpCommand.completions(shell)
    case .help(let topic): HelpCommand.run(topic)
    case .version: HelpCommand.version()
    }
  }

  /// A configuration file holds some dozens of lines; a larger one is something else.
  private static let configurationLimit = 1 << 20

  private static func read(_ choice: Configuration.Choice) throws(UsageError) -> Configuration {
    let path: String
    let mustExist: Bool
    switch choice {
    case .none: return .none
    case .named(let name, _): (path, mustExist) = (name, true)
    case .usual(let name): (path, mustExist) = (name, false)
    }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      let file = try Descriptor.open(path, .read)
      while bytes.count <= configurationLimit, try file.read(into: &bytes, count: 16 << 10) > 0 {}
    } catch {
      if !mustExist && (error.code == .noSuchFile || error.code == .notDirectory) { return .none }
      throw UsageError("\(path): the configuration cannot be read: \(error.code)", help: Configuration.help)
    }
    guard bytes.count <= configurationLimit else {
      throw UsageError("\(path): larger than any configuration (1 MiB)", help: Configuration.help)
    }
    return try Configuration(GivenText.configuration(bytes, path: path), path: path)
  }
}
