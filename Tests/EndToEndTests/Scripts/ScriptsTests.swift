import Foundation
import TestSupport
import Testing

/// The set-up scripts in a copy of the tree, with stand-ins for `swift` and `apt-get` that record their arguments.
@Suite("The scripts") struct ScriptsTests {
  let folder: TemporaryFolder
  let tools: String

  init() throws {
    folder = try TemporaryFolder()
    let here = URL(fileURLWithPath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    try folder.makeFolder("tree")
    // Foundation's own copy fails if it may not give the files the group that they have.
    let copied = try Command(
      Command.find("cp"), ["-R", root.appendingPathComponent("Scripts").path, folder.path("tree/Scripts")]
    ).run()
    #expect(copied.exitCode == 0, "\(copied.errorText)")
    try folder.write("tree/Package.swift", "")
    try folder.write("tree/Sources/a.swift", "")
    try folder.write("tree/man/imgfetch.1", "page")
    tools = try folder.makeFolder("tools")
    try tool(
      "swift",
      """
      echo "building $*"
      echo "swift $*" >>"\(folder.path)/log"
      mkdir -p "\(folder.path)/tree/.build/release"
      cp "\(folder.path)/tools/built" "\(folder.path)/tree/.build/release/imgfetch"
      """)
    try tool(
      "built",
      """
      if [ "$1" = completions ]; then echo "completions for $2"; exit; fi
      echo "ran in $PWD:"; for word; do echo "[$word]"; done
      exit 5
      """)
    // A test installs nothing, whatever this machine lacks.
    try tool("apt-get", #"echo "apt-get $*" >>"\#(folder.path)/log""#)
  }

  private func tool(_ name: String, _ script: String) throws {
    let path = try folder.write("tools/\(name)", "#!/bin/sh\n\(script)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private func run(_ script: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws -> Outcome
  {
    var command = Command(folder.path("tree/Scripts/\(script)"), arguments)
    command.environment = ["PATH": "\(tools):/usr/bin:/bin", "HOME": folder.path].merging(environment) { $1 }
    command.folder = try folder.makeFolder("elsewhere")
    return try command.run()
  }

  /// The number of times that the stand-in was asked to build.
  private var builds: Int { (folder.text("log") ?? "").split(separator: "\n").count { $0.hasPrefix("swift build") } }

  @Test(
    "A comment that breaks a rule of form is refused",
    arguments: [
      ("/// What is stored.", "name the subject first"), ("/// By which it is found.", "name the subject first"),
      ("/// The limit; nil: none.", "nil means"), ("// Nobody reads it.", "who is meant"),
      ("// \(String(repeating: "ä", count: 118))", "120 columns"),
    ])
  func formOfComments(_ line: String, _ rule: String) throws {
    let right = "/// The entry, or nil if there is none.\n/// What follows the first line is free.\nlet a = 1\n"
    try folder.write("tree/Sources/a.swift", "\(right)// \(String(repeating: "ä", count: 117))\n")
    #expect(try run("comments", ["Sources"]).exitCode == 0)
    try folder.write("tree/Sources/a.swift", "\(right)  \(line)\n")
    let outcome = try run("comments", ["Sources"])
    #expect(outcome.exitCode == 1 && outcome.outputText.contains("Sources/a.swift:4:"), "\(outcome)")
    #expect(outcome.outputText.contains(rule), "\(outcome)")
  }

  @Test func buildOnceAndHandArgumentsOn() throws {
    for _ in 0..<2 {
      let outcome = try run("imgfetch", ["get", "a b", "--", ""])
      #expect(outcome.lines == ["ran in \(folder.path("elsewhere")):", "[get]", "[a b]", "[--]", "[]"])
      #expect(outcome.exitCode == 5)
    }
    #expect(builds == 1)
    #expect(try run("imgfetch").error.isEmpty)
  }

  @Test func buildAgainWhenASourceChangesOrGoes() throws {
    _ = try run("imgfetch")
    try makeBuildOlder()
    try folder.write("tree/Sources/b.swift", "")
    _ = try run("imgfetch")
    #expect(builds == 2)
    try makeBuildOlder()
    try folder.remove("tree/Sources/b.swift")
    _ = try run("imgfetch")
    #expect(builds == 3)
    _ = try run("imgfetch")
    #expect(builds == 3)
  }

  /// Sets all times back by an hour, so that a change is newer whatever the clock's resolution.
  private func makeBuildOlder() throws {
    for name in [
      "tree/.build/release.stamp", "tree/Package.swift", "tree/Sources", "tree/Sources/a.swift", "tree/Sources/b.swift",
    ]
    where FileManager.default.fileExists(atPath: folder.path(name)) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder.path(name))
    }
  }

  @Test func runThroughALink() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("tools/linked"), withDestinationPath: folder.path("tree/Scripts/imgfetch"))
    var command = Command(folder.path("tools/linked"), ["x"])
    command.environment = ["PATH": "\(tools):/usr/bin:/bin"]
    #expect(try command.run().lines.last == "[x]")
  }

  @Test func failAndBuildAgainWhenTheBuildFails() throws {
    try tool("swift", #"echo "swift $*" >>"\#(folder.path)/log"; exit 1"#)
    #expect(try run("imgfetch").exitCode == 1)
    #expect(try run("imgfetch").exitCode == 1)
    #expect(builds == 2)
  }

  @Test func sayWhatIsWrongWithoutAToolchain() throws {
    // A PATH with only what the scripts use, since this machine may have its toolchain beside them.
    try folder.makeFolder("few")
    for name in ["bash", "env", "find", "dirname", "readlink"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("few/\(name)"), withDestinationPath: Command.find(name))
    }
    try FileManager.default.copyItem(atPath: folder.path("tools/apt-get"), toPath: folder.path("few/apt-get"))
    let outcome = try run("imgfetch", environment: ["PATH": folder.path("few")])
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.contains("no swift on the PATH"))
  }

  @Test func installWhatIsMissingOnce() throws {
    try folder.write(
      "try", #". "$1"; packages_for() { echo imgfetch-no-such-$1 dash; }; require one two one && echo done"#)
    var command = Command("/bin/bash", [folder.path("try"), folder.path("tree/Scripts/lib/packages")])
    command.environment = ["PATH": "\(tools):/usr/bin:/bin", "TMPDIR": folder.path]
    try tool("sudo", #"exec "$@""#)
    let outcome = try command.run()
    #expect(outcome.outputText == "done\n")
    #expect(outcome.errorText == "imgfetch: installing imgfetch-no-such-one imgfetch-no-such-two\n")
    let log = try #require(folder.text("log"))
    #expect(log.hasSuffix("imgfetch-no-such-one imgfetch-no-such-two\n"))
    #expect(!log.contains("update"))
  }

  @Test func refreshTheListsWhenAnInstallationFails() throws {
    try folder.write("try", #". "$1"; packages_for() { echo imgfetch-no-such; }; require one"#)
    try tool("sudo", #"exec "$@""#)
    try tool("apt-get", #"echo "$*" >>"\#(folder.path)/log"; echo "cannot find it"; exit 100"#)
    var command = Command("/bin/bash", [folder.path("try"), folder.path("tree/Scripts/lib/packages")])
    command.environment = ["PATH": "\(tools):/usr/bin:/bin", "TMPDIR": folder.path]
    let outcome = try command.run()
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.contains("cannot find it"))
    #expect(folder.text("log")?.split(separator: "\n").last == "-qq update")
  }

  @Test func installUnderAPrefix() throws {
    let outcome = try run("install", ["--prefix", "/opt/x"], environment: ["DESTDIR": folder.path("root")])
    #expect(outcome.exitCode == 0)
    #expect(
      folder.files(in: "root") == [
        "opt/x/bin/imgfetch", "opt/x/share/bash-completion/completions/imgfetch",
        "opt/x/share/fish/vendor_completions.d/imgfetch.fish", "opt/x/share/man/man1/imgfetch.1",
        "opt/x/share/zsh/site-functions/_imgfetch",
      ])
    #expect(folder.text("root/opt/x/share/zsh/site-functions/_imgfetch") == "completions for zsh\n")
    #expect(folder.text("root/opt/x/share/man/man1/imgfetch.1") == "page")
    #expect(try run("install", ["--perfix=/x"]).exitCode == 2)
  }
}
