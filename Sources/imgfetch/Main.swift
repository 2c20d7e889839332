import ImgfetchCore

@main
struct Main {
  static func main() {
    // In the helper process that decodes for another one, nothing else runs, and arguments are not read.
    if let kind = HelperKind(processName: ProcessEnvironment.programName) {
      SandboxHelper.serve(kind)
      ProcessEnvironment.exit(0)
    }
    ProcessEnvironment.holdStandardStreams()
    ProcessEnvironment.ignoreWriteSignals()
    let arguments = ProcessEnvironment.arguments
    // Scripts ask for the version before each use. It is answered without the table of options, which would double the
    // cost.
    if arguments.count == 1, arguments[0].elementsEqual("--version".utf8) {
      ProcessEnvironment.exit(HelpCommand.version(Environment(entries: ProcessEnvironment.environment)))
    }
    ProcessEnvironment.exit(Program.run(arguments, environment: ProcessEnvironment.environment))
  }
}
