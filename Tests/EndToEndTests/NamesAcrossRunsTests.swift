import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// Images of several URLs that want one name, fetched by several runs into one folder.
@Suite("Stable names across runs") struct NamesAcrossRunsTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for name in Self.folders { server.serve("/\(name)/cat.jpg", Self.image(name)) }
  }

  private static let folders = ["a", "b", "c", "d", "e", "f"]

  private static func image(_ folder: String) -> [UInt8] {
    TestImages.jpeg(width: 20, height: 10, seed: UInt64(folder.utf8.first ?? 0))
  }

  private func url(_ folder: String) -> String { server.url("/\(folder)/cat.jpg") }

  /// The suffix that the name gets beside another image of that name.
  private func digits(_ folder: String) -> String { "cat-\(ContentHash(of: url(folder)).hex.prefix(8)).jpg" }

  /// The image under each name; `?` for none of these.
  private func pictures() -> [String: String] {
    let files = program.folder.files(in: "work").filter { $0.hasSuffix(".jpg") }
    return Dictionary(
      uniqueKeysWithValues: files.map { file in
        let bytes = program.folder.read("work/\(file)")
        return (file, Self.folders.first { Self.image($0) == bytes } ?? "?")
      })
  }

  private func get(_ arguments: [String], input: String? = nil) throws -> Outcome {
    let outcome = try program.run(["get"] + arguments, input: input)
    #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
    return outcome
  }

  private func list(_ name: String, _ folders: [String]) throws -> String {
    try program.folder.write("work/\(name)", folders.map { url($0) + "\n" }.joined())
  }

  @Test("Retrying the failed list gives the names that the whole list would give")
  func failedList() throws {
    server.serve("/b/cat.jpg", inTurn: [.status(404), .ok(Self.image("b"))])
    _ = try list("list.txt", ["a", "b"])
    let first = try program.run("get", "-i", "list.txt", "--failed-list", "again.txt")
    #expect(first.exitCode == 4, "\(first)")
    #expect(
      program.folder.text("work/again.txt")?.contains("\(url("b"))\tstem=\(digits("b").dropLast(4))\twas=http:404\n")
        == true)
    #expect(try get(["-i", "again.txt"]).error.isEmpty)
    #expect(pictures() == ["cat.jpg": "a", digits("b"): "b"])
    // The whole list again: no name changes.
    _ = try get(["-i", "list.txt"])
    #expect(pictures() == ["cat.jpg": "a", digits("b"): "b"])
  }

  @Test("One run for each image, in any order and then in another", arguments: [["a", "b", "c"], ["c", "a", "b"]])
  func oneByOne(_ order: [String]) throws {
    for folder in order { _ = try get([url(folder)]) }
    var expected = ["cat.jpg": order[0]]
    for folder in order.dropFirst() { expected[digits(folder)] = folder }
    #expect(pictures() == expected)
    for folder in order.reversed() { _ = try get([url(folder)]) }
    _ = try get(["-i", try list("list.txt", ["b", "c", "a"])])
    #expect(pictures() == expected)
    #expect(server.requests.count == 3)
  }

  @Test("xargs with several processes, each with a part of the list")
  func xargs() throws {
    _ = try list("list.txt", Self.folders)
    for _ in 0..<2 {
      let command = program.command([])
      var xargs = Command("/bin/sh", ["-c", "xargs -a list.txt -n 2 -P 3 \"$0\" get --", command.path])
      (xargs.environment, xargs.folder) = (command.environment, command.folder)
      let outcome = try xargs.run()
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(pictures().count == Self.folders.count)
      #expect(pictures().values.sorted() == Self.folders)
    }
  }

  @Test("The shards of a list, and the whole list")
  func shards() throws {
    _ = try list("list.txt", Self.folders)
    for shard in [2, 3, 1, 1, 2, 3] { _ = try get(["-i", "list.txt", "--shard", "\(shard)/3"]) }
    #expect(pictures().values.sorted() == Self.folders)
    _ = try get(["-i", "list.txt"])
    #expect(pictures().values.sorted() == Self.folders)
  }

  @Test("The folders of shards can be put together: each image has the name that it has without them")
  func mergedShards() throws {
    _ = try list("list.txt", Self.folders)
    let whole = try program.run("get", "-d", "whole", "-i", "list.txt")
    #expect(whole.exitCode == 0 && program.folder.files(in: "work/whole").count == Self.folders.count, "\(whole)")
    for shard in 1...3 {
      let part = try program.run("get", "-d", "part\(shard)", "-i", "list.txt", "--shard", "\(shard)/3")
      #expect(part.exitCode == 0, "\(part)")
    }
    let parts = (1...3).flatMap { program.folder.files(in: "work/part\($0)") }
    #expect(parts.sorted() == program.folder.files(in: "work/whole").sorted())
  }

  @Test("A second list, and the first one in reverse")
  func lists() throws {
    _ = try get(["-i", try list("one.txt", ["a", "b"])])
    _ = try get(["-i", try list("two.txt", ["c", "b", "d"])])
    let expected = ["cat.jpg": "a", digits("b"): "b", digits("c"): "c", digits("d"): "d"]
    #expect(pictures() == expected)
    _ = try get(["-i", try list("three.txt", ["d", "c", "b", "a"])])
    #expect(pictures() == expected)
  }

  @Test("Processes that want one name at the same time")
  func together() throws {
    let running = try Self.folders.map { try program.start(["get", url($0)]) }
    for process in running { #expect(try process.wait().exitCode == 0) }
    #expect(pictures().values.sorted() == Self.folders)
  }

  @Test("--no-clobber does not mistake another image's file for its own")
  func noClobber() throws {
    _ = try get([url("a")])
    let other = try get(["--no-clobber", url("b")])
    #expect(other.rows.first?.first == "none", "\(other)")
    #expect(pictures() == ["cat.jpg": "a", digits("b"): "b"])
    // Both have their images now, and neither is requested.
    let requests = server.requests.count
    for (folder, file) in [("a", "cat.jpg"), ("b", digits("b"))] {
      let kept = try get(["--no-clobber", "--cache", "reload", url(folder)])
      #expect(kept.rows.first?.first == "-", "\(kept)")
      #expect(kept.rows.first?.contains(file) == true, "\(kept)")
    }
    #expect(server.requests.count == requests)
  }

  @Test("--overwrite replaces an earlier run's file silently, and still separates two images of one run")
  func overwrite() throws {
    _ = try get([url("a")])
    #expect(try get(["--overwrite", url("b")]).error.isEmpty)
    #expect(pictures() == ["cat.jpg": "b"])
    _ = try get(["--overwrite", url("c"), url("b")])
    #expect(pictures() == ["cat.jpg": "c", digits("b"): "b"])
    let refused = try program.run("get", "--overwrite", "--no-clobber", url("a"))
    #expect(refused.exitCode == 2)
    #expect(refused.errorText.contains("--overwrite replaces files and --no-clobber keeps them"), "\(refused)")
  }

  @Test("One warning counts the names that got digits because of earlier files")
  func warning() throws {
    for folder in ["a", "b"] { server.serve("/\(folder)/dog.jpg", Self.image(folder)) }
    _ = try get([url("a"), server.url("/a/dog.jpg")])
    let urls = [url("b"), server.url("/b/dog.jpg")]
    let told = try get(urls).errorText
    #expect(
      told == """
        imgfetch: warning: 2 images were given names with digits: files of other URLs have the names without; if such \
        URLs differ only in a signature or a date, --key-ignore-param makes them one

        """)
    #expect(try get(urls).error.isEmpty)
    #expect(try get([url("d")]).errorText.contains("1 image was given a name with digits"))
    #expect(try get(["-q", url("e")]).error.isEmpty)
  }

  @Test("A file of unknown origin is kept, and one warning counts the names with digits")
  func unknownFiles() throws {
    let mine = TestImages.jpeg(bytes: 5000)
    for folder in Self.folders.prefix(5) {
      server.serve("/\(folder).jpg", Self.image(folder))
      try program.folder.write("work/\(folder).jpg", folder == "c" ? Self.image("c") : mine)
    }
    let urls = Self.folders.prefix(5).map { server.url("/\($0).jpg") }
    let told = try get(urls).errorText
    #expect(told.hasPrefix("imgfetch: warning: 4 images were given names with digits ("), "\(told)")
    #expect(told.split(separator: "\n").count == 1)
    #expect(pictures().values.filter { $0 != "?" }.sorted() == ["a", "b", "c", "d", "e"])
    for folder in Self.folders.prefix(5) where folder != "c" {
      #expect(program.folder.read("work/\(folder).jpg") == mine)
    }
    #expect(try get(urls).error.isEmpty)
    // The image itself may change.
    server.serve("/a.jpg", Self.image("f"))
    #expect(try get(["--cache", "reload", urls[0]]).error.isEmpty)
    #expect(pictures().values.filter { $0 != "?" }.sorted() == ["b", "c", "d", "e", "f"])
    #expect(program.folder.read("work/a.jpg") == mine)
  }

  @Test("A name from -o, a line, or a template without parts of the URL goes from one image to the next")
  func givenNames() throws {
    for (arguments, input) in [
      (["-o", "x.jpg"], nil), (["-i", "-"], "\tx.jpg\n"), (["-i", "-"], "\tstem=x\n"), (["--name", "x.jpg"], nil),
      (["--name", "x.{ext}"], nil),
    ] as [([String], String?)] {
      for folder in ["a", "b", "a"] {
        let outcome = try get(arguments + (input == nil ? [url(folder)] : []), input: input.map { url(folder) + $0 })
        #expect(outcome.error.isEmpty, "\(arguments): \(outcome)")
        #expect(pictures() == ["x.jpg": folder], "\(arguments)")
      }
    }
  }

  @Test("Names from templates with parts of the URL hold, too", arguments: ["{name}.{ext}", "{host}/{name}-x.{ext}"])
  func templates(_ template: String) throws {
    for folder in ["a", "b", "a"] { _ = try get(["--name", template, url(folder)]) }
    #expect(pictures().values.sorted() == ["a", "b"])
  }

  @Test("A name with digits may also be the last segment of another URL")
  func preparedName() throws {
    // Its own name is the one that b gets beside a.
    let path = "/x/\(digits("b"))"
    server.serve(path, Self.image("f"))
    _ = try get([url("a"), server.url(path)])
    _ = try get([url("b")])
    #expect(pictures().values.sorted() == ["a", "b", "f"])
    _ = try get([url("b"), url("a"), server.url(path)])
    #expect(pictures().values.sorted() == ["a", "b", "f"])
  }

  @Test("Two URLs whose hashes agree in 36 bits are two images")
  func claims() throws {
    server.onOther { request in
      .ok(TestImages.jpeg(width: 20, height: 10, seed: ContentHash(of: request.target).low), type: "image/jpeg")
    }
    // By the birthday paradox, there are two among some hundred thousand.
    var seen: [UInt64: Int] = [:]
    var pair: (Int, Int)?
    var number = 0
    while pair == nil {
      let bits = ContentHash(of: server.url("/\(number)/cat.jpg")).low & 0xF_FFFF_FFFE
      pair = seen.updateValue(number, forKey: bits).map { ($0, number) }
      number += 1
    }
    let found = try #require(pair)
    let outcome = try get([server.url("/\(found.0)/cat.jpg"), server.url("/\(found.1)/cat.jpg")])
    #expect(Set(program.folder.files(in: "work")).count == 2, "\(outcome)")
  }

  @Test("An image that comes in another format keeps the digits of its name, and leaves the plain one to its owner")
  func format() throws {
    _ = try get([url("a")])
    _ = try get([url("b")])
    let own = digits("b")
    for folder in ["b", "a"] {
      server.serve("/\(folder)/cat.jpg", TestImages.png(width: 20, height: folder == "a" ? 10 : 11))
      _ = try get(["--cache", "reload", url(folder)])
    }
    #expect(program.folder.files(in: "work") == [own.replacing(".jpg", with: ".png"), "cat.png"])
    #expect(program.folder.read("work/cat.png") == TestImages.png(width: 20, height: 10))
  }

  @Test("With --overwrite, all lines of an image that comes in another format have one name")
  func formatOverwritten() throws {
    _ = try get([url("a"), url("b")])
    server.serve("/b/cat.jpg", TestImages.png(width: 20, height: 11))
    _ = try get(["--cache", "refresh", "--overwrite", url("b"), url("b")])
    #expect(program.folder.files(in: "work") == ["cat.jpg", "cat.png"])
  }

  @Test("Digits follow a name, and the extension follows them", arguments: ["{path}{path}", "{host}/{path}{path}"])
  func emptyPart(template: String) throws {
    server.serve("/one.jpg", Self.image("a"))
    server.serve("/two.jpg", Self.image("b"))
    _ = try get(["--name", template, "-d", "out", server.url("/one.jpg"), server.url("/two.jpg")])
    let folder = template == "{path}{path}" ? "work/out" : "work/out/127.0.0.1"
    let files = program.folder.files(in: folder)
    #expect(files == ["image", "image-\(ContentHash(of: server.url("/two.jpg")).hex.prefix(8))"])
  }

  @Test(
    "A template that ends in the folders of a URL names the files in them",
    arguments: ["{host}/{path}", "./{host}/{path}", "{path}"])
  func folders(template: String) throws {
    for path in ["/x/y/a.php", "/x/y/b.jpg", "/c.jpg"] { server.serve(path, Self.image(path)) }
    let outcome = try get(
      ["--name", template, "-d", "out"] + ["/x/y/a.php", "/x/y/b.jpg", "/c.jpg"].map { server.url($0) })
    let folder = template == "{path}" ? "work/out" : "work/out/127.0.0.1"
    #expect(program.folder.files(in: folder) == ["c.jpg", "x/y/a.php.jpg", "x/y/b.jpg"], "\(outcome)")
  }

  @Test("A given name without an extension gets one with its digits, too")
  func givenStem() throws {
    try program.folder.write("work/list", "\(url("a"))\tnm\tstem=nm-1234\n\(url("b"))\tnm.txt\tstem=nm-5\n")
    _ = try get(["-d", "out", "-i", "list"])
    #expect(program.folder.files(in: "work/out") == ["nm-1234.jpg", "nm-5"])
  }

  @Test(
    "--no-clobber keeps a file whose extension is in capitals, and one that is written as the URL writes it",
    arguments: [("H.JPG", "H.JPG"), ("H.JPG", "H.jpg"), ("H.PNG", "H.jpg"), ("H.Jpg", "H.Jpg")])
  func capitals(file: String, asked: String) throws {
    try program.folder.write("work/out/" + file, [1, 2, 3])
    server.serve("/" + asked, Self.image("a"))
    let outcome = try get(["--no-clobber", "-d", "out", server.url("/" + asked)])
    #expect(program.folder.files(in: "work/out") == [file] && server.requests.isEmpty, "\(outcome)")
  }
}
