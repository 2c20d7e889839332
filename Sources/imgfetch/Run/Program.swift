import CStartShim
import ImgfetchCore

/// Runs the command that was typed, and returns the exit code.
enum Program {
  static func run(_ arguments: [[UInt8]], environment: [[UInt8]]) -> Int32 {
    // The package's libcurl has libidn2 in it.
    if let own = LibcurlSetting.own { InternationalName.use(else: own) }
    do throws(UsageError) {
      let arguments = try Arguments(UTF8Text.arguments(arguments))
      let environment = try UTF8Text.environment(environment)
      let configuration = try ConfigurationReader.read(try arguments.configuration(environment))
      let parsed = try Invocation.make(arguments, environment: environment, configuration: configuration)
      if !parsed.warnings.isEmpty {
        let messages = Messages(isJSON: parsed.invocation.hasJSONMessages)
        for warning in parsed.warnings { messages.warn(warning) }
      }
      return run(parsed.invocation, environment)
    } catch {
      let messages = Messages()
      messages.error(error.message)
      if let help = error.help { messages.note("Try '\(help)'.") }
      return UsageError.exitCode
    }
  }

  private static func run(_ invocation: Invocation, _ environment: Environment) -> Int32 {
    Fetcher.handleBusErrors()
    ProcessEnvironment.endWithoutMemory(
      "imgfetch: the memory that this process may have is used up (see 'ulimit -v')\n", exitCode: ExitCode.file)
    return switch invocation {
    case .get(let settings), .prefetch(let settings), .pack(let settings): GetCommand.run(settings, environment)
    case .show(let settings): ShowCommand.run(settings, environment)
    case .report(let settings): ReportCommand.run(settings, environment)
    case .find(let settings): FindCommand.run(settings, environment)
    case .inspect(let settings): InspectCommand.run(settings)
    case .cache(let action, let settings): CacheCommands.run(action, settings, environment)
    case .completions(let shell): HelpCommand.completions(shell)
    case .help(let topic): HelpCommand.run(topic)
    case .version: HelpCommand.version(environment)
    }
  }
}

/// Prints help, completions, the manual and the version.
enum HelpCommand {
  static func run(_ topic: Invocation.HelpTopic) -> Int32 {
    let status = write(Help.text(topic))
    // Nothing was done: a script that forgot its arguments should notice.
    if case .bare = topic { return ExitCode.usage }
    return status
  }

  static func completions(_ shell: Choices.Shell) -> Int32 { write(Completions.text(shell)) }

  static func version(_ environment: Environment) -> Int32 {
    let written = ImageFormat.allCases.filter(\.isWritten).flatMap(\.names).joined(separator: " ")
    let late = ImageFormat.allCases.compactMap(\.lateLibrary) + ["libidn2", "Little CMS"]
    // Proof: a constant, which ends with a NUL.
    let linked = unsafe String(cString: imgfetch_linked())
    return write(
      """
      imgfetch \(ImgfetchVersion.number)
      reads: \(Choices.Format.words.joined(separator: " "))
      writes: \(written)
      built with: libcurl \(BuildVersions.libcurl) (loaded when needed), zlib \(BuildVersions.zlib), libdeflate \(BuildVersions.libdeflate), \
      xxHash \(BuildVersions.xxHash), \(CodecVersions.text)
      downloads by: \(LibcurlSetting.text(environment))
      loads when needed: \(late.joined(separator: ", "))
      \(linked.isEmpty ? "" : "linked in: \(linked)\n")
      """)
  }

  private static func write(_ text: String) -> Int32 {
    let printer = Printer(.standardOutput, flushing: .whenFull)
    printer.print { $0.append(text: text) }
    printer.flush()
    if let failure = printer.failure, failure.code != .brokenPipe {
      Messages().error(Printer.message(of: failure))
      return ExitCode.file
    }
    return ExitCode.success
  }
}

/// Converts bytes from the system to text. Invalid UTF-8 is not repaired, since a changed name would be another file's.
enum UTF8Text {
  static func arguments(_ arguments: [[UInt8]]) throws(UsageError) -> [String] {
    var texts: [String] = []
    for bytes in arguments {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw UsageError(
          "argument \(texts.count + 1)\(shown(bytes, after: texts.last)) is not UTF-8, as options, URLs and names of files "
            + "must be; a file with another name can be given as standard input",
          help: nil)
      }
      texts.append(text)
    }
    return texts
  }

  /// The argument, if it is an operand: the value of an option may be a password.
  private static func shown(_ bytes: [UInt8], after previous: String?) -> String {
    guard let previous, bytes.first != UInt8(ascii: "-"), !previous.hasPrefix("-") else { return "" }
    var text: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(text: "\\x")
        text.append(hex: [byte])
      }
    }
    return ", '\(WebURL.masked(String(decoding: text, as: UTF8.self)))',"
  }

  /// Invalid UTF-8 is an error in this program's variables; other variables then count as unset.
  static func environment(_ entries: [[UInt8]]) throws(UsageError) -> Environment {
    for bytes in entries
    where bytes.starts(with: ResolvedOptions.prefix.utf8) && String(validating: bytes, as: UTF8.self) == nil {
      let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      throw UsageError("the value of \(name) is not UTF-8", help: nil)
    }
    return Environment(entries: entries)
  }

  /// The text of a configuration file. An error names the line that is not UTF-8.
  static func configuration(_ bytes: [UInt8], path: String) throws(UsageError) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw UsageError("\(path):\(line + 1): the line is not UTF-8", help: ConfigurationFile.help)
  }
}
