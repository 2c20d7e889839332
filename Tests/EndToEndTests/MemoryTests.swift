import Glibc
import TestSupport
import Testing

/// This process's memory keeps requested images of any size and source.
@Suite("What memory keeps") struct MemoryTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// The cache types of requests for these paths, one after another in one run.
  private func words(
    _ paths: [String], _ arguments: String..., hasHome: Bool = true, between: (Int) throws -> Void = { _ in }
  ) throws -> [String] {
    var command = program.command(["get", "-i", "-", "-w", "{cache}\\n"] + arguments, input: .open)
    if !hasHome {
      command.environment["HOME"] = nil
      command.environment["XDG_CACHE_HOME"] = nil
    }
    let run = try command.start()
    var words: [String] = []
    for (number, path) in paths.enumerated() {
      run.write("\(server.url(path))\tout/\(number).jpg\n")
      words.append(try run.nextLine() ?? "")
      try between(number)
    }
    run.closeInput()
    _ = try run.wait()
    return words
  }

  @Test("What was downloaded answers again, whatever its size, with and without a disk", arguments: [true, false])
  func downloaded(hasHome: Bool) throws {
    for size in [20_000, 68_000, 300_000, 2_000_000] {
      let image = TestImages.jpeg(bytes: size)
      server.serve("/\(size).jpg", image)
      let got = try words(["/\(size).jpg", "/\(size).jpg", "/\(size).jpg"], hasHome: hasHome)
      #expect(got == ["none", "memory", "memory"], "\(size)")
      #expect(server.count("/\(size).jpg") == 1)
      for number in 0..<3 { #expect(program.folder.read("work/out/\(number).jpg") == image) }
      try program.folder.remove("work/out")
    }
  }

  @Test("So does what was read from disk while no origin may be asked")
  func offline() throws {
    server.serve("/a.jpg", TestImages.jpeg(bytes: 20_000))
    #expect(try words(["/a.jpg"]) == ["none"])
    try program.folder.remove("work/out")
    #expect(try words(["/a.jpg", "/a.jpg", "/a.jpg"], "--offline") == ["disk", "memory", "memory"])
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("So does what was read from disk, also where its outputs stand already")
  func read() throws {
    let paths = (0..<40).map { "/\($0).jpg" } + ["/large.jpg"]
    let large = TestImages.jpeg(bytes: 1_500_000)
    server.onOther { request in
      .ok(request.path == "/large.jpg" ? large : TestImages.jpeg(width: 9, height: 9), type: "image/jpeg")
    }
    _ = try program.run(["prefetch"] + paths.map { server.url($0) })
    for _ in 0..<2 {
      let got = try words(paths + paths)
      #expect(got == paths.map { _ in "disk" } + paths.map { _ in "memory" })
      #expect(program.folder.read("work/out/40.jpg") == large)
    }
    #expect(server.requests.count == paths.count)
  }

  @Test("An image of more than a quarter of the limit is not kept")
  func tooLarge() throws {
    server.serve("/a.jpg", TestImages.jpeg(bytes: 300_000))
    #expect(try words(["/a.jpg", "/a.jpg"], "--memory-limit", "1M") == ["none", "disk"])
    #expect(try words(["/a.jpg", "/a.jpg"], "--memory-limit", "2M") == ["disk", "memory"])
  }

  @Test("With --memory-count, the least recently used make room")
  func count() throws {
    server.onOther { _ in .ok(TestImages.jpeg(width: 9, height: 9), type: "image/jpeg") }
    let paths = ["/a.jpg", "/b.jpg", "/a.jpg", "/b.jpg"]
    #expect(try words(paths, "--memory-count", "1") == ["none", "none", "disk", "disk"])
    #expect(try words(paths, "--memory-count", "2") == ["disk", "disk", "memory", "memory"])
    #expect(try words(["/a.jpg", "/a.jpg"], "--memory-count", "0") == ["disk", "disk"])
    #expect(try program.run("get", "--memory-count", "many", server.url("/a.jpg")).exitCode == 2)
  }

  @Test("An output that was edited meanwhile is not taken for the image")
  func editedOutput() throws {
    let image = TestImages.jpeg(bytes: 200_000)
    server.serve("/a.jpg", image)
    let got = try words(["/a.jpg", "/a.jpg"], hasHome: false) { number in
      // The file that came is the output itself: it is changed in place.
      guard number == 0 else { return }
      let file = open(program.folder.path("work/out/0.jpg"), O_WRONLY)
      let written = pwrite(file, image[100_000..<100_004].map { ~$0 }, 4, 100_000)
      #expect(written == 4)
      close(file)
    }
    #expect(got == ["none", "none"])
    #expect(program.folder.read("work/out/1.jpg") == image)
  }
}
