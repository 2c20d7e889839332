import TestSupport
import Testing

/// The properties of derived images: upright, of the requested size, and without anything about people but their maker.
@Suite("Images that are made") struct MadeImageTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func served(_ name: String, _ bytes: [UInt8], type: String = "image/jpeg") -> String {
    server.serve("/\(name)", bytes, type: type)
    return server.url("/\(name)")
  }

  private func made(_ url: String, _ options: String..., file: String) throws -> [UInt8] {
    let outcome = try program.run(["get", "--overwrite", "-o", file] + options + [url])
    try #require(outcome.exitCode == 0, "\(outcome)")
    let bytes = try #require(program.folder.read("work/\(file)"))
    #expect(try program.run("inspect", file).exitCode == 0, "\(options)")
    return bytes
  }

  private func size(_ file: String) throws -> String {
    let row = try #require(try program.run("inspect", file).rows.first)
    return row[2]
  }

  private func orientation(_ file: String) throws -> Int? {
    let report = try JSON.object(try #require(try program.run("inspect", "--json", file).lines.first))
    return report["orientation"] as? Int
  }

  private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
    let word = Array(text.utf8)
    return bytes.indices.contains { bytes[$0] == word[0] && bytes[$0...].starts(with: word) }
  }

  @Test("Pixels are upright, whatever is made", arguments: [3, 6, 8], ["--strip", "--convert=png", "--resize=20x20"])
  func upright(orientation: Int, option: String) throws {
    let url = served("a.jpg", TestImages.talkativeJPEG(orientation: orientation))
    _ = try made(url, option, file: "out")
    let isTurned = orientation > 4
    let whole = isTurned ? "30x40" : "40x30"
    #expect(try size("out") == (option.hasPrefix("--resize") ? (isTurned ? "15x20" : "20x15") : whole))
    #expect(try self.orientation("out") == 1)
  }

  @Test("--no-auto-orient leaves the pixels and the tag")
  func storedOrientation() throws {
    let url = served("a.jpg", TestImages.talkativeJPEG(orientation: 6))
    _ = try made(url, "--no-auto-orient", "--resize", "20x20", file: "out.jpg")
    #expect(try size("out.jpg") == "20x15")
    #expect(try orientation("out.jpg") == 6)
    let plain = try made(url, "--no-auto-orient", file: "same.jpg")
    #expect(plain == TestImages.talkativeJPEG(orientation: 6), "nothing was to be made")
  }

  @Test(
    "Who made an image and on what terms stays; places, devices and times go",
    arguments: [
      ["--resize=20x20"], ["--resize=999x999"], ["--convert=png"], ["--convert=webp"], ["--convert=avif"],
      ["--quality=50"],
      ["--crop=9999x9999"],
    ])
  func authorship(options: [String]) throws {
    let source = TestImages.talkativeJPEG()
    let url = served("a.jpg", source)
    let outcome = try program.run(["get", "-o", "out"] + options + [url])
    try #require(outcome.exitCode == 0, "\(outcome)")
    let bytes = try #require(program.folder.read("work/out"))
    for text in TestImages.authors { #expect(holds(bytes, text), "\(text) after \(options)") }
    for text in TestImages.secrets { #expect(!holds(bytes, text), "\(text) after \(options)") }
    if options == ["--resize=999x999"] {
      // The coded pixels are the same ones.
      let start = source.indices.last { source[$0] == 0xFF && source[$0 + 1] == 0xDA } ?? 0
      #expect(bytes.suffix(source.count - start).elementsEqual(source[start...]))
      // A second time there is nothing to do.
      let again = served("b.jpg", bytes)
      #expect(try made(again, "--resize=999x999", file: "again") == bytes)
    }
  }

  @Test("--strip leaves nothing, --keep-metadata everything, and both together are refused")
  func all() throws {
    let url = served("a.jpg", TestImages.talkativeJPEG(orientation: 6))
    let stripped = try made(url, "--strip", file: "stripped.jpg")
    for text in TestImages.authors + TestImages.secrets { #expect(!holds(stripped, text), "\(text)") }
    let kept = try made(url, "--keep-metadata", "--resize", "20x20", file: "kept.jpg")
    for text in TestImages.authors + TestImages.secrets {
      #expect(holds(kept, text), "\(text)")
    }
    #expect(try orientation("kept.jpg") == 1)
    let png = try made(url, "--keep-metadata", "--convert", "png", file: "kept.png")
    for text in ["A Camera", "48,8N", "An Artist"] { #expect(holds(png, text), "\(text)") }
    #expect(holds(png, "eXIf"))
    #expect(try program.run("get", "--strip", "--keep-metadata", url).exitCode == 2)
  }

  @Test("The metadata in the directory of a TIFF goes where that of other formats goes", arguments: [false, true])
  func directory(isBigEndian: Bool) throws {
    func field(_ tag: Int, _ text: String) -> (Int, Int, [Int]) { (tag, 2, (Array(text.utf8) + [0]).map { Int($0) }) }
    let tiff = TestImages.tiff(width: 30, height: 20) {
      $0.isBigEndian = isBigEndian
      $0.orientation = 6
      // A document of 84 KB, as microscopes write it, has no room in Exif, and the rest does not go with it.
      $0.extra = [field(270, String(repeating: "A Description ", count: 6_000)), field(271, "A Camera")]
      $0.extra += [field(315, "An Artist"), field(33432, "A Copyright")]
      $0.extra.append((700, 1, Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>A Packet</x:xmpmeta>".utf8).map { Int($0) }))
    }
    let url = served("a.tiff", tiff, type: "image/tiff")
    for format in ["jpeg", "png"] {
      let bytes = try made(url, "--convert", format, file: "out")
      for text in ["An Artist", "A Copyright"] { #expect(holds(bytes, text), "\(text) in \(format)") }
      for text in ["A Camera", "A Packet"] { #expect(!holds(bytes, text), "\(text) in \(format)") }
      let kept = try made(url, "--convert", format, "--keep-metadata", file: "kept")
      for text in ["An Artist", "A Copyright", "A Camera", "A Packet"] {
        #expect(holds(kept, text), "\(text) in \(format)")
      }
      #expect(try size("kept") == "20x30")
      #expect(try orientation("kept") == 1)
      let bare = try made(url, "--convert", format, "--strip", file: "bare")
      #expect(!holds(bare, "An Artist"))
    }
  }

  @Test("What nothing is made of stays byte for byte")
  func untouched() throws {
    let source = TestImages.talkativeJPEG(orientation: 6)
    #expect(try made(served("a.jpg", source), file: "a.jpg") == source)
    let bare = TestImages.png(width: 20, height: 10)
    #expect(try made(served("b.png", bare, type: "image/png"), "--resize", "99x99", file: "b.png") == bare)
  }

  @Test(
    "Whatever the format is, places go and the maker stays, and no pixel changes", arguments: TestImages.talkative())
  func everyFormat(image: TestImages.Talkative) throws {
    let url = served("a.\(image.name)", image.bytes, type: "application/octet-stream")
    let file = "out.\(image.name)"
    let bytes = try made(url, "--resize=999x999", file: file)
    #expect(bytes != image.bytes)
    for text in image.authors { #expect(holds(bytes, text), "\(text) in \(image.name)") }
    for text in image.secrets { #expect(!holds(bytes, text), "\(text) in \(image.name)") }
    #expect(holds(bytes, image.pixels), "\(image.name)")
    try program.folder.write("work/before.\(image.name)", image.bytes)
    #expect(try size(file) == size("before.\(image.name)"))
    // A second time there is nothing to do.
    let again = served("b.\(image.name)", bytes, type: "application/octet-stream")
    #expect(try made(again, "--resize=999x999", file: "again.\(image.name)") == bytes, "\(image.name)")
  }

  @Test("The terms stay in a place that is hardly larger, too")
  func smallPlace() throws {
    let packet = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
      exif:GPSLatitude="48,8N"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Some Rights</rdf:li></rdf:Alt></dc:rights>\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let image = TestImages.heif(width: 40, height: 30) {
      $0.described = [("mime", "application/rdf+xml", Array(packet.utf8))]
    }
    let bytes = try made(served("a.avif", image, type: "image/avif"), "--resize=999x999", file: "out.avif")
    #expect(holds(bytes, "Some Rights") && !holds(bytes, "48,8N") && bytes.count == image.count)
  }

  private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
  }

  @Test("A seal stays only where every byte does")
  func seals() throws {
    let content = Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + Array("c2pa".utf8)
    let seal = [0xFF, 0xEB] + TestImages.big(content.count + 2, 2) + content
    let plain = TestImages.jpeg(width: 40, height: 30)
    let sealed = plain[..<2] + seal + plain[2...]
    #expect(try made(served("a.jpg", Array(sealed)), "--resize", "99x99", file: "a.jpg") == Array(sealed))
    let talkative = TestImages.talkativeJPEG()
    let both = talkative[..<2] + seal + talkative[2...]
    #expect(!holds(try made(served("b.jpg", Array(both)), "--resize", "99x99", file: "b.jpg"), "c2pa"))
  }

  @Test(
    "A box is met as --fit says",
    arguments: [
      ([], "20x10"), (["--fit=down"], "20x10"), (["--fit=inside"], "30x15"), (["--fit=cover"], "30x30"),
      (["--fit=fill"], "30x30"), (["--fit=outside"], "60x30"), (["--pad"], "30x30"),
      (["--fit=inside", "--pad"], "30x30"),
    ])
  func fits(options: [String], size: String) throws {
    let url = served("a.png", TestImages.png(width: 20, height: 10), type: "image/png")
    let outcome = try program.run(["get", "--resize", "30x30", "-o", "out.png"] + options + [url])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try self.size("out.png") == size)
  }

  @Test("The smaller ones too", arguments: [(["--fit=outside"], "10x5"), ([], "5x3"), (["--pad"], "5x5")])
  func smaller(options: [String], size: String) throws {
    let url = served("a.png", TestImages.png(width: 20, height: 10), type: "image/png")
    _ = try program.run(["get", "--resize", "5x5", "-o", "out.png"] + options + [url])
    #expect(try self.size("out.png") == size)
  }

  @Test(
    "Percentages over 100 enlarge, widths do not", arguments: [("150%", "30x15"), ("50%", "10x5"), ("40x", "20x10")])
  func percentages(target: String, size: String) throws {
    let url = served("a.png", TestImages.png(width: 20, height: 10), type: "image/png")
    _ = try program.run("get", "--resize", target, "-o", "out.png", url)
    #expect(try self.size("out.png") == size)
  }

  @Test("Steps go on behind a border in the order given")
  func orderBehindBorder() throws {
    let url = served("a.png", TestImages.png(width: 20, height: 10), type: "image/png")
    _ = try program.run("get", "--resize", "30x20", "--pad", "--rotate", "90", "--crop", "20x10", "-o", "out.png", url)
    #expect(try size("out.png") == "20x10")
  }

  @Test(
    "A PNG's texts about its maker and its terms stay where it is coded anew, also beside Exif",
    arguments: [
      ["--resize=4x4"], ["--resize=4x4", "--keep-metadata"], ["--convert=jpeg"], ["--convert=jpeg", "--keep-metadata"],
      ["--convert=webp"],
    ], [nil, 6])
  func texts(options: [String], orientation: Int?) throws {
    let plain = TestImages.png(width: 20, height: 10) { $0.orientation = orientation }
    let terms: [UInt8] = Array("Copyright\0".utf8) + [0xA9] + Array(" A Copyright".utf8)
    let maker: [UInt8] = Array("Author\0\0".utf8) + TestImages.deflated(Array("An Author".utf8))
    var chunks = TestImages.pngChunk("tEXt", terms)
    chunks += TestImages.pngChunk("zTXt", maker)
    chunks += TestImages.pngChunk("iTXt", Array("Comment\0\0\0\0\0A Secret".utf8))
    let url = served("a.png", plain[..<33] + chunks + plain[33...], type: "image/png")
    let bytes = try made(url, options[0], options.count > 1 ? options[1] : "--quiet", file: "out")
    #expect(holds(bytes, "\u{A9} A Copyright") && holds(bytes, "An Author") && !holds(bytes, "A Secret"))
    #expect(try self.orientation("out") == 1)
    let row = try JSON.object(try #require(try program.run("inspect", "--json", "--exif", "out").lines.first))
    #expect(row["flaws"] == nil, "\(row)")
  }

  @Test("A property is found behind a text that has its name, and one broken property takes no other along")
  func brokenProperties() throws {
    func image(_ xmp: String, _ iptc: [UInt8] = []) -> [UInt8] {
      func segment(_ mark: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, mark] + TestImages.big(content.count + 2, 2) + content
      }
      let plain = TestImages.jpeg(width: 40, height: 30)
      let packet = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" \(xmp)</rdf:Description></rdf:RDF></x:xmpmeta>
        """
      let resources: [UInt8] = Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0] + TestImages.big(iptc.count, 4) + iptc
      var segments = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
      segments += segment(0xED, resources + (iptc.count % 2 == 1 ? [0] : []))
      return plain[..<2] + segments + plain[2...]
    }
    let named = image("dc:title=\"the plus:DataMining=x\" plus:DataMining=\"DMI-PROHIBITED\">")
    let first = try made(served("a.jpg", named), "--convert", "png", file: "a.png")
    #expect(holds(first, "DMI-PROHIBITED"))
    let broken = image("xmpRights:Owner=\"An &unknown; Owner\" plus:DataMining=\"DMI-PROHIBITED\">")
    let second = try made(served("b.jpg", broken), "--convert", "png", file: "b.png")
    #expect(holds(second, "DMI-PROHIBITED") && !holds(second, "An &unknown;"))
    let creator = Array("A\u{FFFE} Creator".utf8)
    let odd = image("plus:DataMining=\"DMI-PROHIBITED\">", [0x1C, 2, 80, 0, UInt8(creator.count)] + creator)
    let third = try made(served("c.jpg", odd), "--convert", "png", file: "c.png")
    #expect(holds(third, "DMI-PROHIBITED") && holds(third, "A Creator"))
  }
}
