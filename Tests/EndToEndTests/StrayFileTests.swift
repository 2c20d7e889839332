import Glibc
import TestSupport
import Testing

/// The cache's folder belongs to its user, who may have put anything there.
@Suite("A stray file in place of a cache folder") struct StrayFileTests {
  private let server: TestServer
  private let program: Program
  private let stray: String

  /// A cache with two images, and a stray file where neither is stored. Their URLs, and so their folders, are others
  /// each time.
  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.jpg", TestImages.jpeg(width: 9, height: 9))
    var namespace = ""
    var free: Set = ["ab", "cd", "ef"]
    for url in [server.url("/a.jpg"), server.url("/b.jpg")] {
      _ = try program.run("prefetch", url)
      let path = try #require(try program.run("cache", "path", url).lines.first)
      let parts = path.split(separator: "/")
      free.remove(String(parts[parts.count - 2]))
      namespace = "/" + parts.dropLast(2).joined(separator: "/")
    }
    stray = "\(namespace)/\(try #require(free.min()))"
    try program.folder.write(String(stray.dropFirst(program.folder.path.utf8.count + 1)), Array("notes".utf8))
  }

  @Test("A folder in place of an entry keeps nothing else from being removed", arguments: [["clear"], ["remove"]])
  func folder(arguments: [String]) throws {
    let url = server.url("/b.jpg")
    let path = try #require(try program.run("cache", "path", url).lines.first)
    // It is put aside when the image is stored again. A second one, and a link where a part would be, are
    // there when all is removed.
    let script = """
      rm "$1" && mkdir "$1" && : > "$1/notes" && "$0" prefetch "$2" && rm "$1" && mkdir "$1" && : > "$1/notes" && ln -s / "$1.part"
      """
    var command = Command("/bin/sh", ["-c", script, Program.path, path, url])
    command.environment = program.command([]).environment
    #expect(try command.run().exitCode == 0)
    let verified = try program.run("cache", "verify")
    #expect(verified.exitCode == 0 && verified.errorText.contains("\(path): passed over"), "\(verified)")
    let outcome = try program.run(["cache"] + arguments + (arguments == ["clear"] ? [] : [url]))
    #expect(outcome.exitCode == 0 && outcome.errorText.contains("\(path): passed over"), "\(outcome)")
    #expect(Command.contents(of: path + "/notes") == [])
    let isLeft = arguments != ["clear"]
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).exitCode == (isLeft ? 0 : 6))
  }

  /// Returns the path of the part of an image that is not stored any more.
  private func part(of url: String) throws -> String {
    _ = try program.run("prefetch", url)
    let path = try #require(try program.run("cache", "path", url).lines.first)
    _ = try program.run("cache", "remove", url)
    return path + ".part"
  }

  private func expectStored(_ url: String) throws {
    for cache in ["none", "disk"] {
      let outcome = try program.run("get", url)
      #expect(outcome.rows.first?.first == cache && outcome.errorText.isEmpty, "\(outcome)")
    }
  }

  @Test(
    "What is no file in place of a download in progress goes, and the image is stored",
    arguments: ["mkfifo", "mkdir", "ln -s /etc/passwd"])
  func part(making: String) throws {
    let url = server.url("/a.jpg")
    let part = try part(of: url)
    var command = Command("/bin/sh", ["-c", "\(making) \"$0\"", part])
    command.environment = program.command([]).environment
    #expect(try command.run().exitCode == 0)
    try expectStored(url)
  }

  @Test("So does another user's file, which would make an entry that is not believed", .needs(.root))
  func anothersPart() throws {
    let url = server.url("/a.jpg")
    let part = try part(of: url)
    try program.folder.write(String(part.dropFirst(program.folder.path.utf8.count + 1)), "theirs")
    #expect(lchown(part, 65_534, 65_534) == 0)
    try expectStored(url)
  }

  @Test(
    "Every command skips it with a message",
    arguments: [
      ["size", "--exact"], ["clean", "--max-age", "0s"], ["clean", "--dry-run"], ["verify"], ["list"], ["clear"],
    ])
  func commands(arguments: [String]) throws {
    let outcome = try program.run(["cache"] + arguments)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText.contains(stray), "\(outcome)")
    #expect(Command.contents(of: stray) == Array("notes".utf8))
    let isEmptied = arguments[0] == "clear" || arguments.contains("0s")
    #expect(try program.run("get", "--offline", server.url("/a.jpg")).exitCode == (isEmptied ? 6 : 0))
  }
}
