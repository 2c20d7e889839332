import Foundation
import TestSupport
import Testing

/// IMGFETCH_LIBCURL, and the libcurl that a package brings along: here the system's, under the name of the package's
/// own.
@Suite("The choice of a libcurl") struct LibcurlChoiceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("bin")
    // By a process of its own: a file that this one has open for writing cannot be run while another test forks.
    let copy = try Command(Command.find("cp"), [Program.path, folder.path("bin/imgfetch")]).run()
    try #require(copy.exitCode == 0, "\(copy)")
  }

  private static func systemLibrary() throws -> String {
    let line = try Command(Command.find("ldconfig"), ["-p"]).run().lines.first { $0.contains("libcurl.so.4 ") }
    return try #require(line?.split(separator: " ").last.map(String.init), "libcurl is installed")
  }

  /// Puts a libcurl where a package has it.
  private func addOwn(in library: String = "lib") throws {
    try folder.makeFolder("\(library)/imgfetch")
    try FileManager.default.copyItem(
      atPath: URL(filePath: Self.systemLibrary()).resolvingSymlinksInPath().path,
      toPath: folder.path("\(library)/imgfetch/libcurl.so.4"))
    try folder.write("\(library)/imgfetch/libcurl.so.4.version", "1.2.3-own (OpenSSL 3)\n")
  }

  /// Runs the program of the package by a link to it.
  private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Outcome {
    if !FileManager.default.fileExists(atPath: folder.path("link")) {
      try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "bin/imgfetch")
    }
    var command = Command(folder.path("link"), arguments)
    command.environment = environment.merging(["HOME": folder.path("home"), "PATH": "/usr/bin:/bin"]) { one, _ in one }
    command.folder = folder.path("bin")
    return try command.run()
  }

  private func image() throws -> (TestServer, String) {
    let server = try TestServer()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    return (server, server.url("/a.jpg"))
  }

  /// A system whose libcurl cannot be loaded.
  private func broken() throws -> [String: String] {
    for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { try folder.write("broken/\(name)", "") }
    return ["LD_LIBRARY_PATH": folder.path("broken")]
  }

  @Test("Where the system's cannot be loaded the package's own is", arguments: ["lib", "libexec"])
  func fallsBack(_ library: String) throws {
    let (server, url) = try image()
    let broken = try broken()
    let without = try run(["get", "-o", "/dev/null", url], broken)
    #expect(without.exitCode != 0, "\(without)")
    #expect(without.errorText.contains("libcurl is needed for downloads"), "\(without)")
    try addOwn(in: library)
    let with = try run(["get", "-o", "/dev/null", url], broken)
    #expect(with.exitCode == 0, "\(with)")
    #expect(server.requests.count == 1)
  }

  @Test("A libcurl that is named and cannot be loaded is an error, and no other is tried")
  func named() throws {
    let (server, url) = try image()
    let broken = try broken()
    try addOwn()
    let cases: [(value: String, environment: [String: String])] = [
      ("system", broken), (folder.path("broken/libcurl.so.4"), [:]), ("/nowhere/libcurl.so", [:]),
    ]
    for (value, environment) in cases {
      let outcome = try run(["get", "-o", "/dev/null", url], environment.merging(["IMGFETCH_LIBCURL": value]) { $1 })
      #expect(outcome.exitCode != 0, "\(value): \(outcome)")
      if value != "system" { #expect(outcome.errorText.contains(value), "\(outcome)") }
    }
    #expect(server.requests.isEmpty)
    for value in ["own", try Self.systemLibrary()] {
      let outcome = try run(["get", "-o", "/dev/null", url], ["IMGFETCH_LIBCURL": value])
      #expect(outcome.exitCode == 0, "\(value): \(outcome)")
    }
  }

  @Test("What the variable cannot mean is a mistake, before anything is asked for")
  func mistaken() throws {
    for value in ["own", "libcurl.so.4"] {
      let outcome = try run(["get", "http://127.0.0.1:9/a.jpg"], ["IMGFETCH_LIBCURL": value])
      #expect(outcome.exitCode == 2, "\(outcome)")
      #expect(outcome.errorText.contains("IMGFETCH_LIBCURL"), "\(outcome)")
    }
  }

  @Test("One that others may write to is not the package's own")
  func strangers() throws {
    try addOwn()
    try Command.setMode(of: folder.path("lib/imgfetch/libcurl.so.4"), 0o666)
    let outcome = try run(["get", "http://127.0.0.1:9/a.jpg"], ["IMGFETCH_LIBCURL": "own"])
    #expect(outcome.exitCode == 2, "\(outcome)")
  }

  @Test("--version tells which one downloads are made with")
  func version() throws {
    func line(_ value: String?) throws -> String? {
      let outcome = try run(["--version"], value.map { ["IMGFETCH_LIBCURL": $0] } ?? [:])
      #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty)
      return outcome.lines.first { $0.hasPrefix("downloads by: ") }.map { String($0.dropFirst(14)) }
    }
    #expect(try line(nil) == "libcurl of the system")
    try addOwn()
    #expect(
      try line(nil) == "libcurl of the system, or where there is none libcurl 1.2.3-own (OpenSSL 3), in the package")
    #expect(try line("own") == "libcurl 1.2.3-own (OpenSSL 3), in the package")
    #expect(try line("system") == "libcurl of the system")
    #expect(try line("/opt/libcurl.so.4") == "/opt/libcurl.so.4")
  }
}
