import Foundation
import TestSupport
import Testing

/// One number, in `Sources/ImgfetchCore/HTTP/ImgfetchVersion.swift`. The program prints it, and the changelog knows it.
@Suite("The version") struct VersionTests {
  /// The repository's root, derived from this file's path.
  private static let root = String(#filePath.dropLast("/Tests/EndToEndTests/VersionTests.swift".count))

  private func printed() throws -> String {
    let outcome = try Command(Program.path, ["--version"]).run()
    #expect(outcome.exitCode == 0)
    return String(outcome.lines.first?.dropFirst("imgfetch ".count) ?? "")
  }

  @Test("The newest release in CHANGELOG.md is the version that the program prints")
  func changelog() throws {
    let text = try String(contentsOfFile: Self.root + "/CHANGELOG.md", encoding: .utf8)
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("## [") }
    #expect(headings.first == "## [Unreleased]")
    let newest = try #require(headings.first { $0 != "## [Unreleased]" })
    let (number, version) = (newest.dropFirst(4).prefix { $0 != "]" }, try printed())
    #expect(number == version)
    // With its date, as Keep a Changelog has it.
    #expect(newest.wholeMatch(of: /## \[[0-9.]+\] - 20\d\d-\d\d-\d\d/) != nil, "\(newest)")
  }

  @Test("README.md asks for it, where it says how a package depends on this one")
  func readme() throws {
    let text = try String(contentsOfFile: Self.root + "/README.md", encoding: .utf8)
    let numbers = text.matches(of: /from: "([^"]*)"/).map { String($0.1) }
    #expect(numbers == [try printed()])
  }

  @Test("It is a version of SemVer, and stands in one source file only")
  func onePlace() throws {
    let version = try printed()
    #expect(version.wholeMatch(of: /(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)/) != nil, "\(version)")
    let outcome = try Command(
      Command.find("grep"), ["-rlF", "\"\(version)\"", Self.root + "/Sources", Self.root + "/Package.swift"]
    ).run()
    #expect(outcome.lines == [Self.root + "/Sources/ImgfetchCore/HTTP/ImgfetchVersion.swift"])
  }

  @Test("The licence is MIT, and is where others look for it")
  func licence() throws {
    let text = try String(contentsOfFile: Self.root + "/LICENSE", encoding: .utf8)
    #expect(text.hasPrefix("MIT License\n"))
    #expect(text.contains("The imgfetch authors"))
  }
}
