import TestSupport
import Testing

/// Fingerprints and Exif, in rows and in names.
@Suite("Fingerprints and Exif") struct ImageDetailTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 160, height: 120) { $0.orientation = 6 })
    server.serve("/b.png", TestImages.png(width: 40, height: 30, seed: 2))
  }

  private func row(_ arguments: String...) throws -> [String: Any] {
    let outcome = try program.run(["get", "--json"] + arguments)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return try JSON.object(try #require(outcome.lines.first))
  }

  @Test("Those that are asked for are told, of the image as it was fetched, and there are none else")
  func rows() throws {
    let all = try row("--fingerprint", "thumbhash,blurhash,dhash,phash", "--exif", server.url("/a.jpg"))
    let texts = try #require(all["fingerprints"] as? [String: String])
    #expect(texts.keys.sorted() == ["blurhash", "dhash", "phash", "thumbhash"])
    #expect(texts["phash"]?.count == 16 && texts["dhash"]?.count == 16 && texts["blurhash"]?.count == 28)
    let exif = try #require(all["exif"] as? [String: Any])
    #expect(exif["orientation"] as? Int == 6 && exif.count == 1)
    let made = try row("--fingerprint", "phash", "--resize", "20x", "--flip", "h", "-d", "o", server.url("/a.jpg"))
    #expect(
      made["fingerprints"] as? [String: String] == ["phash": texts["phash"] ?? ""],
      "and not the others, which are known")
    let plain = try row(server.url("/a.jpg"))
    #expect(!plain.keys.contains("fingerprints") && !plain.keys.contains("exif"))
    #expect(!(try row("--exif", server.url("/b.png"))).keys.contains("exif"), "it has none")
  }

  @Test("A format without Exif is not decoded for it, so that an SVG that needs fonts is an image all the same")
  func formatWithoutExif() throws {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text x='1' y='9'>text</text></svg>"
    server.serve("/text.svg", .ok(Array(svg.utf8), type: "image/svg+xml"))
    server.serve("/c.bmp", TestImages.bmp())
    for name in ["/text.svg", "/c.bmp"] {
      #expect(!(try row("--exif", server.url(name))).keys.contains("exif"), "\(name)")
    }
  }

  @Test("The Exif of an AVIF and of a HEIC is read without decoding a pixel, which their library may not be able to")
  func exifWithoutPixels() throws {
    for image in TestImages.talkative() where ["avif", "heic"].contains(image.name) {
      let name = "/x.\(image.name)"
      server.serve(name, image.bytes)
      let exif = try #require(try row("--exif", server.url(name))["exif"] as? [String: Any])
      #expect(exif["camera"] as? String == "A Camera", "\(image.name)")
      #expect(try program.run("get", "--verify", "decode", server.url(name)).exitCode == 5, "its pixels are noise")
    }
  }

  @Test("Of an animation the first frame is decoded, and counts for --max-pixels")
  func longAnimation() throws {
    let animations: [(String, [UInt8])] = [
      ("a.gif", TestImages.gif(width: 80, height: 60, frames: 5)),
      ("a.webp", TestImages.animatedWebP(width: 80, height: 60, frames: 5)),
      ("a.apng", TestImages.png(width: 80, height: 60) { $0.frames = 5 }),
    ]
    for (name, bytes) in animations {
      server.serve("/\(name)", bytes)
      let limit = ["--max-pixels", "4800", "--json", "--fingerprint", "dhash,phash,thumbhash", "--exif"]
      let outcome = try program.run(["get"] + limit + [server.url("/\(name)")])
      #expect(outcome.exitCode == 0, "\(outcome)")
      let row = try JSON.object(try #require(outcome.lines.first))
      #expect(row["frames"] as? Int == 5 && (row["fingerprints"] as? [String: String])?.count == 3, "\(outcome)")
      try program.folder.write("work/copy", bytes)
      let same = try program.run("inspect", "--max-pixels", "4800", "--same", "looks", "copy", "copy")
      #expect(same.exitCode == 0, "\(same)")
      let shown = try program.run("show", "--max-pixels", "4800", "--still", "--picture", "blocks", "copy")
      #expect(shown.exitCode == 0, "\(shown)")
      let unique = try program.run(
        "get", "--max-pixels", "4800", "--unique", "looks", "-d", "o", server.url("/\(name)"))
      #expect(unique.exitCode == 0, "\(unique)")
    }
  }

  @Test("A TIFF has its Exif in its directories")
  func tiff() throws {
    func field(_ tag: Int, _ text: String) -> (Int, Int, [Int]) { (tag, 2, (Array(text.utf8) + [0]).map { Int($0) }) }
    // A directory of one field, the sensitivity.
    let camera: [UInt8] = [1, 0, 0x27, 0x88, 3, 0, 1, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0]
    func image(_ place: Int) -> [UInt8] {
      TestImages.tiff {
        $0.orientation = 6
        $0.extra = [field(271, "ACME"), field(272, "One"), field(306, "2024:05:01 12:34:56"), (34665, 4, [place])]
        $0.end = camera
      }
    }
    server.serve("/c.tiff", .ok(image(image(0).count - camera.count), type: "image/tiff"))
    for more in [[], ["--fingerprint", "dhash", "--cache", "off"]] {
      let outcome = try program.run(["get", "--json", "--overwrite", "--exif"] + more + [server.url("/c.tiff")])
      let row = try JSON.object(try #require(outcome.lines.first))
      let exif = try #require(row["exif"] as? [String: Any], "\(outcome)")
      #expect(exif["camera"] as? String == "ACME One" && exif["orientation"] as? Int == 6)
      #expect(exif["time"] as? String == "2024-05-01T12:34:56")
      #expect((exif["exposure"] as? [String: Any])?["iso"] as? Int == 200)
    }
  }

  @Test("Beside a transform, image and details are what each is by itself")
  func besideTransform() throws {
    let fingerprints = ["--fingerprint", "thumbhash,blurhash,dhash,phash", "--exif"]
    let transform = ["--resize", "30x", "--convert", "png"]
    for path in ["/a.jpg", "/b.png"] {
      let url = server.url(path)
      func row(_ more: [String]) throws -> [String: Any] {
        let outcome = try program.run(["get", "--json", "--cache", "off"] + more + [url])
        #expect(outcome.exitCode == 0, "\(outcome)")
        return try JSON.object(try #require(outcome.lines.first))
      }
      let both = try row(fingerprints + transform + ["-o", "both.png", "--overwrite"])
      let described = try row(fingerprints)
      _ = try row(transform + ["-o", "made.png", "--overwrite"])
      #expect(both["fingerprints"] as? [String: String] == described["fingerprints"] as? [String: String])
      #expect("\(both["exif"] ?? "")" == "\(described["exif"] ?? "")" && both["width"] as? Int == 30)
      let made = try #require(program.folder.read("work/made.png"))
      #expect(program.folder.read("work/both.png") == made)
    }
  }

  @Test("Where the transform fails, it says so, and the details are kept")
  func besideFailingTransform() throws {
    let url = server.url("/b.png")
    let outcome = try program.run(
      "get", "--json", "--fingerprint", "dhash", "--crop", "10x10+500+500", "-o", "x.png", url)
    #expect(outcome.exitCode == 5 && outcome.outputText.contains("lies outside"), "\(outcome)")
    let again = try program.run("get", "-v", "--json", "--fingerprint", "dhash", "--offline", url)
    #expect(again.exitCode == 0 && !again.errorText.contains("worked out"), "\(again)")
    #expect(again.outputText.contains("\"dhash\":\""))
  }

  @Test("Templates ask for what they name, and names of files are safe")
  func templates() throws {
    let told = try row("--fingerprint", "thumbhash,dhash", server.url("/b.png"))
    let texts = try #require(told["fingerprints"] as? [String: String])
    let printed = try program.run("get", "-w", "{thumbhash} {dhash} {phash}\\n", server.url("/b.png"))
    let words = try #require(printed.lines.first).split(separator: " ").map(String.init)
    #expect(words.prefix(2) == [texts["thumbhash"] ?? "", texts["dhash"] ?? ""] && words[2].count == 16)
    let objects = try program.run(
      "get", "-w", "{exif}\\n{fingerprints}\\n{source}\\n", "--fingerprint", "dhash", server.url("/a.jpg"))
    #expect(try JSON.object(objects.lines[0])["orientation"] as? Int == 6, "\(objects)")
    #expect(try JSON.object(objects.lines[1]).keys.sorted() == ["dhash"] && objects.lines[2] == "-", "\(objects)")
    let named = try program.run("get", "-d", "out", "--name", "{thumbhash}/{dhash}.{ext}", server.url("/b.png"))
    #expect(named.exitCode == 0, "\(named)")
    let folder = (texts["thumbhash"] ?? "").replacing("/", with: "_").replacing("+", with: "-")
    #expect(program.folder.read("work/out/\(folder)/\(texts["dhash"] ?? "").png") != nil)
  }

  @Test("Exif is looked for before a decoder is asked, which costs most images nothing")
  func withoutHelper() throws {
    let running = try program.start(["get", "--json", "--exif", "-i", "-"])
    running.write(server.url("/b.png") + "\n")
    let none = try #require(try running.nextLine())
    #expect(running.children.isEmpty && !none.contains("\"exif\""), "\(none)")
    running.write(server.url("/a.jpg") + "\n")
    let some = try #require(try running.nextLine())
    #expect(running.children.count == 1 && some.contains("\"orientation\":6"), "\(some)")
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }

  @Test("They are kept in the cache: a hit decodes nothing, and an older entry gains them without looking younger")
  func hits() throws {
    #expect(try program.run("prefetch", "--fingerprint", "phash", "--exif", server.url("/a.jpg")).exitCode == 0)
    let running = try program.start(["get", "--json", "-i", "-", "--fingerprint", "phash", "--exif"])
    running.write(server.url("/a.jpg") + "\n")
    let line = try #require(try running.nextLine())
    #expect(running.children.isEmpty && line.contains("\"phash\":\"") && line.contains("\"orientation\":6"), "\(line)")
    running.closeInput()
    #expect(try running.wait().exitCode == 0)

    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    func modified() throws -> String { try Command(try Command.find("stat"), ["-c", "%y", path]).run().outputText }
    let before = try modified()
    let more = try program.run("get", "-v", "--json", "--fingerprint", "dhash", server.url("/a.jpg"))
    #expect(more.errorText.contains("its details were not stored with it"), "\(more)")
    #expect(try modified() == before)
    let again = try program.run(
      "get", "-v", "--json", "--fingerprint", "dhash,phash", "--offline", server.url("/a.jpg"))
    #expect(!again.errorText.contains("details") && again.outputText.contains("\"dhash\":\""), "\(again)")
    #expect(try program.run("cache", "verify").exitCode == 0)
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("An image whose pixels cannot be decoded has none, and is told so")
  func damaged() throws {
    var bytes = TestImages.png(width: 40, height: 30)
    let data = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("IDAT".utf8)) })
    let length = bytes[data - 4..<data].reduce(0) { $0 << 8 | Int($1) }
    let rubbish = TestImages.pngChunk("IDAT", [UInt8](repeating: 7, count: length))
    bytes.replaceSubrange(data - 4..<data + 8 + length, with: rubbish)
    server.serve("/bad.png", bytes)
    let outcome = try program.run("get", "--json", "--fingerprint", "phash", server.url("/bad.png"))
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(outcome.outputText.contains("\"kind\":\"damaged\""))
  }

  @Test("A shard's rows have them")
  func shards() throws {
    let list = try program.folder.write("list", server.url("/b.png") + "\n")
    let outcome = try program.run("pack", "-i", list, "-d", "set", "--fingerprint", "dhash")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let shard = program.folder.read("work/set/00000.tar") ?? []
    #expect(String(decoding: shard, as: UTF8.self).contains("\"fingerprints\":{\"dhash\":\""))
  }

  @Test("Servers are asked for the named formats first")
  func accept() throws {
    _ = try program.run("get", "--cache", "off", "--accept-formats", "avif,webp,png,apng", server.url("/a.jpg"))
    _ = try program.run("get", "--cache", "off", server.url("/a.jpg"))
    _ = try program.run(
      "get", "--cache", "off", "--accept-formats", "avif", "-H", "Accept: image/png", server.url("/a.jpg"))
    #expect(
      server.requests(for: "/a.jpg").map { $0["accept"] } == [
        "image/avif,image/webp,image/png,image/*;q=0.8,*/*;q=0.5", "image/*,*/*;q=0.8", "image/png",
      ])
    // An image that was fetched in one way is not served to a request of the other.
    for options in [[], ["--accept-formats", "webp,avif"], ["--accept-formats", "webp"]] {
      let caches = try (0..<2).map { _ in
        try program.run(["get", "-o", "x"] + options + [server.url("/a.jpg")]).rows.first?.first
      }
      #expect(caches == ["none", "disk"])
    }
    #expect(try program.run("get", "--accept-formats", "bitmap", server.url("/a.jpg")).exitCode == 2)
  }
}
