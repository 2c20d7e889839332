import CHeapShim
import ImgfetchCore

@main
struct Main {
  static func main() {
    // In the helper process that decodes for another one, nothing else runs, and arguments are not read.
    if Surroundings.programName == SandboxHelper.name {
      imgfetch_heap_stand_aside()
      SandboxHelper.serve()
      Surroundings.exit(0)
    }
    Surroundings.holdStandardStreams()
    Surroundings.ignoreWriteSignals()
    let arguments = Surroundings.arguments
    // Scripts ask for the version before each use. It is answered without the table of options, which would double the cost.
    if arguments.count == 1, arguments[0].elementsEqual("--version".utf8) { Surroundings.exit(HelpCommand.version()) }
    Surroundings.leaveGnuTLSAsleep()
    Surroundings.exit(Program.run(arguments, environment: Surroundings.environment))
  }
}
