import TestSupport
import Testing

@testable import imgfetch

@Suite struct CompletionsTests {
  private static let bash = Completions.bash()
  private static let zsh = Completions.zsh()
  private static let fish = Completions.fish()

  @Test(arguments: Flag.all)
  func everyOptionIsCompleted(_ flag: Flag) {
    let spellings = Completions.spellings(flag)
    for spelling in spellings where spelling.hasPrefix("--") {
      #expect(Self.bash.contains(" \(spelling) ") || Self.bash.contains(" \(spelling)\n"), "\(spelling)")
      #expect(Self.zsh.contains(")\(spelling)") || Self.zsh.contains("'*\(spelling)"), "\(spelling)")
      #expect(Self.fish.contains(" -l \(spelling.dropFirst(2)) "), "\(spelling)")
    }
  }

  @Test func nothingIsEvaluated() {
    for shell in Choices.Shell.allCases {
      for line in Completions.text(shell).split(separator: "\n") where !line.hasPrefix("#") {
        let words = line.split { " ;(){}'".contains($0) }
        #expect(!words.contains("eval") && !words.contains("compgen"), "\(line)")
      }
    }
  }

  @Test(arguments: [(Choices.Shell.bash, ["-n"]), (.zsh, ["-n"]), (.fish, ["--no-execute"])])
  func scriptIsWellFormed(_ shell: Choices.Shell, _ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("script", Completions.text(shell))
    var command = TestSupport.Command(try TestSupport.Command.find(shell.rawValue), arguments + [path])
    command.environment = ["HOME": folder.path]
    let outcome = try command.run()
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
  }

  /// The offers of bash's completion function for these words, the last of which is being typed.
  private func bash(_ words: String...) throws -> [String] {
    let folder = try TemporaryFolder()
    let script = try folder.write("script", Completions.bash())
    let program = """
      source "$1"; shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _imgfetch
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    var command = TestSupport.Command(
      try TestSupport.Command.find("bash"), ["--norc", "-c", program, "bash", script, "imgfetch"] + words)
    command.environment = ["HOME": folder.path]
    let outcome = try command.run()
    #expect(outcome.error.isEmpty, "\(outcome)")
    return outcome.lines
  }

  @Test func bashOffersWhatFits() throws {
    #expect(try bash("ca") == ["cache"])
    #expect(try bash("cache", "cl") == ["clean", "clear"])
    #expect(try bash("get", "--cache", "re") == ["refresh", "reload"])
    #expect(try bash("get", "--cache", "=", "re") == ["refresh", "reload"])
    #expect(try bash("get", "--cache", "=") == ["age", "http", "refresh", "reload", "only", "memory", "off"])
    #expect(try bash("get", "--only-format", "png,jp") == ["png,jpeg"])
    #expect(try bash("get", "-q", "--no-clob") == ["--no-clobber"])
    #expect(try bash("prefetch", "--resi") == [])
    #expect(try bash("-q", "cache", "-v", "verify", "--rep") == ["--repair"])
    #expect(try bash("get", "--", "--cac") == [])
    #expect(try bash("help", "cache", "cl") == ["clean", "clear"])
    #expect(try bash("completions", "") == ["bash", "zsh", "fish"])
    #expect(try bash("get", "https://example.org/$(touch x)") == [])
  }

  @Test func bashKnowsValuesFromCommandsAndOptions() throws {
    #expect(try bash("-d", "cache", "ge") == ["get"])
    #expect(try bash("--config", "=", "cache", "ge") == ["get"])
    #expect(try bash("get", "-qj", "8", "--offl") == ["--offline"])
    #expect(try bash("get", "-qo", "--js") == [])
    // The value of these may be missing.
    #expect(try bash("get", "--unique", "lo") == ["looks", "looks:2", "looks:6"])
    #expect(try bash("get", "--unique", "--fail-") == ["--fail-fast"])
    #expect(try bash("inspect", "--duplicates", "--chec") == ["--checksum"])
  }

  /// A file named like a command stays a file name, with readline's own quoting.
  @Test func bashCompletesAFileWithoutRunningItsName() throws {
    let folder = try TemporaryFolder()
    let files = try folder.makeFolder("files")
    try folder.write("files/$(touch x)", "")
    let script = try folder.write("script", Completions.bash())
    var command = TestSupport.Command(try TestSupport.Command.find("bash"), ["--norc", "--noprofile", "-i"])
    command.environment = ["HOME": folder.path, "TERM": "dumb", "PS1": "ready> ", "PATH": "/usr/bin:/bin"]
    command.folder = files
    command.input = .open
    command.terminal = TestSupport.Command.Terminal(columns: 200, input: true)
    let running = try command.start()
    try running.waitForTerminal("ready> ")
    running.write("source \(script); imgfetch() { printf 'got <%s>\\n' \"$2\"; }; echo sour''ced\n")
    try running.waitForTerminal("sourced")
    running.write("imgfetch inspect \t\n")
    try running.waitForTerminal("got <$(touch x)>")
    running.write("imgfetch get -i \t\n")
    try running.waitForTerminal("got <-i>")
    running.write("exit\n")
    _ = try running.wait()
    #expect(folder.files(in: "files") == ["$(touch x)"])
  }

  /// zsh runs what a Tab completes unless it is told to complete only, so the function must not.
  @Test func zshCompletesWithoutRunningWhatIsThereOrTyped() throws {
    let folder = try TemporaryFolder()
    let files = try folder.makeFolder("files")
    try folder.write("files/$(touch x)", "")
    try folder.write("functions/_imgfetch", Completions.zsh())
    var command = TestSupport.Command(try TestSupport.Command.find("zsh"), ["-f", "-i"])
    command.environment = ["HOME": folder.path, "TERM": "dumb", "PS1": "ready> ", "PATH": "/usr/bin:/bin"]
    command.folder = files
    command.input = .open
    command.terminal = TestSupport.Command.Terminal(columns: 200, input: true)
    let running = try command.start()
    try running.waitForTerminal("ready> ")
    running.write(
      "fpath=(\(folder.path)/functions $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; "
        + "imgfetch() { print -r -- \"got <$*>\" }; print sour''ced\n")
    try running.waitForTerminal("sourced")
    running.write("imgfetch inspect \t\n")
    try running.waitForTerminal("got <inspect $(touch x)>")
    running.write("imgfetch get --cache rel\t\n")
    try running.waitForTerminal("got <get --cache reload>")
    // One of the other words has a colon, which has a meaning there.
    running.write("imgfetch get --unique byt\t\n")
    try running.waitForTerminal("got <get --unique bytes>")
    running.write("imgfetch help cache veri\t\n")
    try running.waitForTerminal("got <help cache verify>")
    running.write("imgfetch get '$(touch y)'$(:; touch z)\t\u{15}print o''ver\n")
    try running.waitForTerminal("over")
    running.write("exit\n")
    _ = try running.wait()
    #expect(folder.files(in: "files") == ["$(touch x)"])
  }

  @Test func fishOffersWhatFits() throws {
    let folder = try TemporaryFolder()
    let script = try folder.write("script", Completions.fish())
    func fish(_ line: String) throws -> [String] {
      var command = TestSupport.Command(
        try TestSupport.Command.find("fish"),
        ["--no-config", "-c", "source \(script); complete -C \"$argv[1]\"", line])
      command.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
      command.folder = folder.path
      return try command.run().rows.compactMap(\.first)
    }
    #expect(try fish("imgfetch ca") == ["cache"])
    #expect(try fish("imgfetch cache cl") == ["clean", "clear"])
    #expect(try fish("imgfetch get --order ") == ["fifo", "lifo"])
    #expect(try fish("imgfetch --color never -d cache ge") == ["get"])
    #expect(try fish("imgfetch get --kind image,l") == ["image,link"])
    #expect(try fish("imgfetch get --kind=meta,image,l") == ["--kind=meta,image,link"])
    #expect(try fish("imgfetch help cache cl") == ["clean", "clear"])
    #expect(try fish("imgfetch completions bash ") == [])
    #expect(try fish("imgfetch get --unique lo") == ["looks", "looks:2", "looks:6"])
    #expect(try fish("imgfetch get --unique --fail-") == ["--fail-fast"])
    // fish 4 offers `--no-repair` too, behind it.
    #expect(try fish("imgfetch cache verify --rep").first == "--repair")
    #expect(try fish("imgfetch cache verify --rep").allSatisfy { $0.hasSuffix("repair") })
  }
}
