import Foundation
import TestSupport
import Testing

/// The part of the packages that can be tried without building any; `Scripts/test-all` makes and installs them.
@Suite("What is shipped") struct PackageScriptTests {
  private static let root = String(#filePath.dropLast("/Tests/EndToEndTests/Scripts/PackageScriptTests.swift".count))

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("home")
  }

  @discardableResult
  private func script(_ path: String, _ text: String) throws -> String {
    let path = try folder.write(path, "#!/bin/sh\n\(text)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// An unpacked tarball with such a program in it.
  private func unpack(program: String) throws {
    try script("unpacked/bin/imgfetch", program)
    try folder.write("unpacked/share/man/man1/imgfetch.1", "page")
    try folder.write("unpacked/lib/imgfetch/libcurl.so.4", "library")
    try folder.write("unpacked/LICENSE", "MIT")
    try FileManager.default.copyItem(
      atPath: Self.root + "/Scripts/package.d/install.sh", toPath: folder.path("unpacked/install.sh"))
  }

  private func install(_ arguments: String...) throws -> Outcome {
    var command = Command(folder.path("unpacked/install.sh"), arguments)
    command.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path("home")]
    return try command.run()
  }

  @Test("The tarball's script installs what is to be installed, and removes it again with its folders")
  func tarball() throws {
    try unpack(program: "true")
    let prefix = folder.path("home/.local")
    let outcome = try install("--prefix", prefix)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      outcome.lines == [
        "\(prefix)/bin/imgfetch", "\(prefix)/lib/imgfetch/libcurl.so.4", "\(prefix)/share/man/man1/imgfetch.1",
      ])
    #expect(outcome.errorText.contains("add \(prefix)/bin to your PATH"))
    #expect(
      folder.files(in: "home") == [
        ".local/bin/imgfetch", ".local/lib/imgfetch/libcurl.so.4", ".local/share/man/man1/imgfetch.1",
      ])
    try folder.write("home/.local/share/another", "not ours")
    #expect(try install("--prefix=\(prefix)", "--uninstall").exitCode == 0)
    #expect(folder.files(in: "home") == [".local/share/another"])
    #expect(!FileManager.default.fileExists(atPath: "\(prefix)/bin"))
    #expect(try install("--perfix", prefix).exitCode == 2)
  }

  @Test("Where the program does not start nothing is installed, and the loader's words are told")
  func older() throws {
    try unpack(program: "echo \"version 'GLIBC_2.34' not found\" >&2; exit 1")
    let outcome = try install("--prefix", folder.path("home/.local"))
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.contains("does not start on this system") && outcome.errorText.contains("GLIBC_2.34"))
    #expect(folder.files(in: "home").isEmpty)
  }

  @Test("A binary without protections is refused, each by its name")
  func hardening() throws {
    // A program of the system, which is not made of our objects.
    try FileManager.default.copyItem(atPath: Command.find("true"), toPath: folder.path("imgfetch"))
    var command = try Command(
      Command.find("bash"),
      ["-c", #". "$0"; check_hardening "$1""#, Self.root + "/Scripts/package.d/hardening", folder.path("imgfetch")])
    command.environment = ["PATH": "/usr/bin:/bin"]
    let outcome = try command.run()
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.contains("fewer objects of C beside it"), "\(outcome)")
  }

  @Test("Debian's changelog has each release of ours, and each item whole")
  func changelog() throws {
    try folder.write(
      "CHANGELOG.md",
      """
      ## [Unreleased]

      - Not yet.

      ## [1.2.0] - 2026-11-25

      ### Added

      - An item that is wrapped where a line of the changelog
        ends, and goes on
        for three.
      - Another.

      """)
    let script = #"""
      root=$1 work=x binary=x version=x architecture=x
      . "$0"
      maintainer='A <a@b>' debian_changelog
      """#
    var command = try Command(
      Command.find("bash"), ["-c", script, Self.root + "/Scripts/package.d/deb", folder.path])
    command.environment = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8"]
    #expect(
      try command.run().outputText == """
        imgfetch (1.2.0) unstable; urgency=medium

          * An item that is wrapped where a line of the changelog ends, and goes on
            for three.
          * Another.

         -- A <a@b>  Wed, 25 Nov 2026 00:00:00 +0000


        """)
  }

  @Test("The released binary names the packages that are linked in, with the system's revisions", .needs(.releaseBuild))
  func revisions() throws {
    let line = try Program().run("--version").lines.first { $0.hasPrefix("linked in: ") }
    for package in ["libpng-dev", "libwebp-dev", "zlib1g-dev"] {
      let revision = try Command(Command.find("dpkg-query"), ["-W", "-f", "${Package} ${Version}", package]).run()
      #expect(line?.contains(revision.outputText) == true, "\(line ?? "")")
    }
  }

  @Test("An archive that was installed after the build has it built anew, however old its bytes are")
  func newerArchive() throws {
    let archive = try folder.write("libpng16.a", "")
    try script("tree/.build/release/imgfetch", "true")
    for name in ["tree/Package.swift", "tree/Sources/a.swift", "tree/Scripts/link/a", "tree/.build/release.stamp"] {
      try folder.write(name, "")
    }
    // The archive's own date is that of Debian's build; its change time is now.
    for name in [
      "libpng16.a", "tree/Package.swift", "tree/Sources", "tree/Sources/a.swift", "tree/Scripts/link",
      "tree/Scripts/link/a",
    ] {
      try date(name, -7200)
    }
    let ask =
      #"root=$1 archive=$2; . "$0"; linked_archives() { echo "$archive"; }; is_current && echo current || echo older"#
    func answer() throws -> [String] {
      var command = try Command(
        Command.find("bash"), ["-c", ask, Self.root + "/Scripts/lib/binary", folder.path("tree"), archive])
      command.environment = ["PATH": "/usr/bin:/bin"]
      return try command.run().lines
    }
    try date("tree/.build/release.stamp", -3600)
    #expect(try answer() == ["older"])
    try date("tree/.build/release.stamp", 3600)
    #expect(try answer() == ["current"])
  }

  private func date(_ name: String, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: folder.path(name))
  }

  @Test("Scripts/test-all runs every trial, and tells at the end which failed and which were left out, and why")
  func trials() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("tree/Scripts/test-all.d"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Self.root + "/Scripts/test-all", toPath: folder.path("tree/Scripts/test-all"))
    try folder.write("tree/Scripts/test-all.d/good", #"[ -d "$TRIAL" ] && [ -d "$root/Scripts" ]"#)
    try folder.write("tree/Scripts/test-all.d/left", "echo 'left out: no browser is installed'; exit 77")
    func run(_ trials: String...) throws -> Outcome {
      var command = Command(folder.path("tree/Scripts/test-all"), trials)
      command.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": folder.path]
      return try command.run()
    }
    var outcome = try run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      outcome.outputText.hasSuffix("== 1 passed, 0 failed, 1 left out\nleft out: left: no browser is installed\n"))
    try folder.write("tree/Scripts/test-all.d/bad", "exit 3")
    outcome = try run("bad", "good")
    #expect(outcome.exitCode == 1)
    #expect(outcome.outputText.hasSuffix("== 1 passed, 1 failed, 0 left out\nfailed: bad\n"))
    #expect(folder.files().allSatisfy { $0.hasPrefix("tree/") }, "a trial left something behind")
  }
}
