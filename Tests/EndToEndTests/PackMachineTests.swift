import TestSupport
import Testing

/// A failure for lack of something on this machine is no row of a data set: another machine would have had the image.
@Suite("Data sets on machines that lack something") struct PackMachineTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 40, height: 30))
    server.serve("/b.tif", TestImages.tiff(width: 40, height: 30))
    server.serve("/c.jpg", TestImages.jpeg(width: 41, height: 30))
    try program.folder.write(
      "work/list", ["a.jpg", "b.tif", "c.jpg"].map { server.url("/" + $0) }.joined(separator: "\n"))
  }

  /// Runs it where these libraries cannot be loaded: the loader finds files of their names first, which are none.
  /// Helpers have an environment of their own, so that images are decoded in this process.
  private func pack(lacking libraries: [String], _ arguments: String...) throws -> Outcome {
    for library in libraries { try program.folder.write("broken/\(library)", "this is no library") }
    return try program.run(
      ["pack", "-i", "list", "-d", "set", "--no-sandbox"] + arguments,
      environment: libraries.isEmpty ? [:] : ["LD_LIBRARY_PATH": program.folder.path("broken")])
  }

  private var shards: [String] { program.folder.files(in: "work/set") }

  @Test("Without libcurl no shard is made: exit 7, with the name of the package")
  func libcurl() throws {
    let outcome = try pack(lacking: ["libcurl.so.4", "libcurl-gnutls.so.4"])
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("libcurl4"), "\(outcome)")
    #expect(shards.isEmpty && server.requests.isEmpty)
    #expect(try pack(lacking: []).exitCode == 0)
  }

  @Test(
    "Without a codec that an image needs no shard is made, and --without leaves such images out on all machines alike")
  func codec() throws {
    let outcome = try pack(lacking: ["libtiff.so.6"], "--resize", "16x16")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("libtiff6"), "\(outcome)")
    #expect(shards.isEmpty)
    #expect(try pack(lacking: ["libtiff.so.6"]).exitCode == 0, "as they come no image needs it")
    #expect(
      try program.run(["pack", "-i", "list", "-d", "lacking", "--no-sandbox", "--resize", "16x16", "--without", "tiff"])
        .exitCode == 0)
    let without = try program.run(
      ["pack", "-i", "list", "-d", "having", "--no-sandbox", "--resize", "16x16", "--without", "tiff"],
      environment: ["LD_LIBRARY_PATH": program.folder.path("broken")])
    #expect(without.exitCode == 0 && without.rows.first?.prefix(4) == ["made", "00000", "2", "1"], "\(without)")
    #expect(program.folder.read("work/lacking/00000.tar") == program.folder.read("work/having/00000.tar"))
  }

  @Test("Without libexif an image that has Exif ends the run, and images without it do not")
  func exif() throws {
    let outcome = try pack(lacking: ["libexif.so.12"], "--exif")
    #expect(outcome.exitCode == 0, "\(outcome)")
    server.serve("/c.jpg", TestImages.jpeg(width: 41, height: 30) { $0.orientation = 6 })
    let lacking = try program.run(
      ["pack", "-i", "list", "-d", "other", "--no-sandbox", "--exif", "--cache", "off"],
      environment: ["LD_LIBRARY_PATH": program.folder.path("broken")])
    #expect(lacking.exitCode == 7 && lacking.errorText.contains("libexif12"), "\(lacking)")
    #expect(program.folder.files(in: "work/other").isEmpty)
  }

  @Test("A name that is not ASCII needs a library, too")
  func internationalNames() throws {
    try program.folder.write("work/list", server.url("/a.jpg") + "\nhttp://b\u{FC}cher.example/a.jpg")
    // Debian's libcurl needs it, too, so that only cached images are available without it.
    let outcome = try pack(lacking: ["libidn2.so.0"], "--offline")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("libidn2-0"), "\(outcome)")
    #expect(shards.isEmpty)
  }

  @Test("Where there is less memory than an image may take, no row says so", .needs(.plainBuild))
  func memory() throws {
    server.serve("/b.tif", Self.blank(side: 8000))
    var limited = program.command(["pack", "-i", "list", "-d", "set", "--resize", "16x16"])
    limited.arguments = ["-c", "ulimit -v 400000; exec \"$0\" \"$@\"", Program.path] + limited.arguments
    limited.path = try Command.find("sh")
    let outcome = try limited.run()
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("memory") && shards.isEmpty, "\(outcome)")
    #expect(try pack(lacking: [], "--resize", "16x16").rows.first?.prefix(4) == ["made", "00000", "3", "0"])
  }

  /// An interlaced PNG of one bit and one colour: a small file, of which a decoder holds every row.
  private static func blank(side: Int) -> [UInt8] {
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    let bytes = passes.reduce(0) { sum, pass in
      let (left, top, across, down) = pass
      return sum + (((side - left + across - 1) / across + 7) / 8 + 1) * ((side - top + down - 1) / down)
    }
    let header = TestImages.pngHeader(width: side, height: side, depth: 1, colourType: 0, interlaced: true)
    return TestImages.pngSignature + TestImages.pngChunk("IHDR", header)
      + TestImages.pngChunk("IDAT", TestImages.deflated([UInt8](repeating: 0, count: bytes)))
      + TestImages.pngChunk("IEND", [])
  }
}
