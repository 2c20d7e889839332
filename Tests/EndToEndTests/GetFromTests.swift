import TestSupport
import Testing

/// `--from`: the images of a source, fetched.
@Suite("Fetching the images of a source") struct GetFromTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    server.onOther { request in
      .ok(TestImages.jpeg(width: 8 + request.path.utf8.count, height: 8), type: "image/jpeg")
    }
    program = try Program()
    server.serve(
      "/page.html", Array("<img src=a.jpg alt='An A'><img src=b.jpg><img src=a.jpg>".utf8), type: "text/html")
  }

  @Test("Its images are fetched once each, with the page as their referrer")
  func get() throws {
    let outcome = try program.run("get", "-d", "out", "--from", server.url("/page.html"))
    #expect(outcome.exitCode == 0 && outcome.lines.count == 2, "\(outcome)")
    #expect(program.folder.files(in: "work/out").sorted() == ["a.jpg", "b.jpg"])
    #expect(server.requests.filter { $0.path == "/a.jpg" }.map { $0["Referer"] } == [server.url("/page.html")])
  }

  @Test("Operands and lists come before it, and a dry run asks the source alone")
  func others() throws {
    try program.folder.write("work/list.txt", server.url("/l.jpg\n"))
    let dry = try program.run("get", "-d", "out", "--dry-run", "--from", server.url("/page.html"))
    #expect(dry.exitCode == 0 && dry.lines.count == 2 && server.requests.map(\.path) == ["/page.html"], "\(dry)")
    let outcome = try program.run(
      "get", "-d", "out", "--ordered", server.url("/o.jpg"), "-i", "list.txt", "--from", server.url("/page.html"))
    #expect(
      outcome.rows.map { $0.last?.split(separator: "/").last } == ["o.jpg", "l.jpg", "a.jpg", "b.jpg"], "\(outcome)")
  }

  @Test("pack takes the URLs of a source from the column that is asked for")
  func packedColumn() throws {
    server.serve("/x.jpg", TestImages.jpeg(width: 8, height: 8))
    try program.folder.write("work/two.csv", "page,link\n\(server.url("/no")),\(server.url("/x.jpg"))\n")
    let outcome = try program.run("pack", "-d", "set", "--from", "two.csv", "--url-column", "link")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.requests.map(\.path) == ["/x.jpg"])
  }

  @Test("A source without images, and one that cannot be read, fail the run; others are fetched")
  func failures() throws {
    server.serve("/none.html", Array("<p>".utf8), type: "text/html")
    let none = try program.run("get", "-d", "out", "--from", server.url("/none.html"))
    #expect(none.exitCode == 5 && none.errorText.contains("no images in it"), "\(none)")
    server.serve("/gone.html", .status(404))
    let gone = try program.run(
      "get", "-d", "out", "--from", server.url("/gone.html"), "--from", server.url("/page.html"))
    #expect(gone.exitCode == 4 && program.folder.files(in: "work/out").count == 2, "\(gone)")
  }

  @Test("Failed images are lines of the next run, with their referrer")
  func failedList() throws {
    server.serve("/b.jpg", .status(404))
    let outcome = try program.run(
      "get", "-d", "out", "--failed-list", "again", "--from", server.url("/page.html"))
    #expect(outcome.exitCode == 4, "\(outcome)")
    let list = String(decoding: program.folder.read("work/again") ?? [], as: UTF8.self)
    #expect(list.contains(server.url("/b.jpg\treferer=" + server.url("/page.html"))), "\(list)")
  }

  @Test("prefetch takes it, and pack with the columns of the table")
  func otherCommands() throws {
    let prefetch = try program.run("prefetch", "--from", server.url("/page.html"))
    #expect(prefetch.exitCode == 0 && prefetch.lines.count == 2, "\(prefetch)")
    let pack = try program.run("pack", "-d", "set", "--rows", "--from", server.url("/page.html"))
    #expect(pack.exitCode == 0 && pack.outputText.contains("\"caption\":\"An A\""), "\(pack)")
    #expect(pack.outputText.contains("\"columns\":{\"kind\":\"image\""), "\(pack)")
  }

  @Test("The credentials of a source's URL are for its images on the same origin, and stand in no line")
  func login() throws {
    let url = server.url("/page.html").split(separator: "//").joined(separator: "//me:secret@")
    let outcome = try program.run("get", "-d", "out", "--json", "--from", url)
    #expect(outcome.exitCode == 0 && !outcome.outputText.contains("secret"), "\(outcome)")
    #expect(server.requests.count == 3 && server.requests.allSatisfy { $0["Authorization"] != nil })
  }
}
