import ImgfetchCore

@main
struct Main {
  static func main() {
    Surroundings.holdStandardStreams()
    Surroundings.ignoreWriteSignals()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Asked by scripts before each use: answered without the table of options, which is half of what it would cost.
    if arguments == ["--version"] { Surroundings.exit(HelpCommand.version()) }
    let status = Program.run(arguments, Environment(entries: Surroundings.environment))
    Surroundings.exit(status)
  }
}
