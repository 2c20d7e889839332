import CHeapShim
import ImgfetchCore

@main
struct Main {
  static func main() {
    // The process that decodes for another one: nothing else is done in it, least of all with what was typed.
    if Surroundings.programName == SandboxHelper.name {
      imgfetch_heap_stand_aside()
      SandboxHelper.serve()
      Surroundings.exit(0)
    }
    Surroundings.holdStandardStreams()
    Surroundings.ignoreWriteSignals()
    let arguments = Surroundings.arguments
    // Asked by scripts before each use: answered without the table of options, which is half of what it would cost.
    if arguments.count == 1, arguments[0].elementsEqual("--version".utf8) { Surroundings.exit(HelpCommand.version()) }
    Surroundings.leaveGnuTLSAsleep()
    Surroundings.exit(Program.run(arguments, environment: Surroundings.environment))
  }
}
