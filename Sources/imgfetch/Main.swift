import ImgfetchCore

@main
struct Main {
  static func main() {
    Surroundings.holdStandardStreams()
    Surroundings.ignoreWriteSignals()
    let arguments = Surroundings.arguments
    // Asked by scripts before each use: answered without the table of options, which is half of what it would cost.
    if arguments.count == 1, arguments[0].elementsEqual("--version".utf8) { Surroundings.exit(HelpCommand.version()) }
    Surroundings.exit(Program.run(arguments, environment: Surroundings.environment))
  }
}
