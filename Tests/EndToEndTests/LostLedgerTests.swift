import TestSupport
import Testing

/// Every storing process maps the cache's ledger. Another program may truncate it at any time.
@Suite("A ledger that is lost during a run") struct LostLedgerTests {
  @Test("Each image is fetched and stored, and the next use counts the entries", arguments: ["1", "8"])
  func cutAtEachImage(jobs: String) throws {
    let server = try TestServer()
    let program = try Program()
    let ledger = program.folder.path("home/.cache/imgfetch/v1/default/ledger")
    let names = (0..<100).map { "\($0).jpg" }
    let image = TestImages.jpeg(width: 20, height: 10)
    for (number, name) in names.enumerated() {
      server.on("/\(name)") { _ in
        // Truncated while the process has it open, between two images: to nothing, or to half.
        Command.truncate(ledger, to: number % 2 == 0 ? 0 : 4096)
        return .ok(image, type: "image/jpeg")
      }
    }
    let outcome = try program.run(["get", "-j", jobs] + names.map { server.url("/\($0)") })
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errorText == "")
    for name in names { #expect(program.folder.read("work/\(name)") == image) }
    let size = try program.run("cache", "size").outputText
    #expect(size.hasSuffix("\t100\n"), "\(size)")
    #expect(try program.run("cache", "size", "--exact").outputText == size)
    #expect(try program.run("cache", "verify").exitCode == 0)
    // From there on it is updated as usual.
    _ = try program.run("cache", "remove", server.url("/0.jpg"))
    #expect(try program.run("cache", "size").outputText.hasSuffix("\t99\n"))
  }

  @Test("A long run gets its ledger back and updates it")
  func coProcess() throws {
    let server = try TestServer()
    let program = try Program()
    let ledger = program.folder.path("home/.cache/imgfetch/v1/default/ledger")
    for name in ["a", "b", "c"] { server.serve("/\(name).jpg", TestImages.jpeg(width: 20, height: 10)) }
    let run = try program.start(["get", "-i", "-", "--no-auto-clean"])
    for name in ["a", "b", "c"] {
      run.write(server.url("/\(name).jpg") + "\n")
      #expect(try run.nextLine()?.hasPrefix("none\t") == true)
      if name == "a" { #expect(Command.truncate(ledger, to: 0)) }
      // Created again beside entries, it is counted once; then it contains what this run has stored since.
      if name == "b" { #expect(try program.run("cache", "size").outputText.hasSuffix("\t2\n")) }
    }
    run.closeInput()
    #expect(try run.wait().exitCode == 0)
    #expect(try program.run("cache", "size").outputText.hasSuffix("\t3\n"))
    #expect(Command.size(of: ledger) == 8192)
  }

  @Test("Numbers that cannot be right are counted anew", arguments: [0xFF, 0x80] as [UInt8])
  func nonsense(byte: UInt8) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    _ = try program.run("prefetch", server.url("/a.jpg"))
    let right = try program.run("cache", "size", "--exact").outputText
    let ledger = program.folder.path("home/.cache/imgfetch/v1/default/ledger")
    let head = Array(try #require(Command.contents(of: ledger)).prefix(4096))
    try Command.overwrite(ledger, with: head + Array(repeating: byte, count: 4096))
    #expect(try program.run("cache", "size").outputText == right)
    #expect(try program.run("cache", "size").outputText == right, "it was put right")
  }
}
