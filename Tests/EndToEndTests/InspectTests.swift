import ImgfetchCore
import TestSupport
import Testing

/// `inspect` of folders and lists, and its output beside the format.
@Suite("Inspecting") struct InspectTests {
  let program: Program

  init() throws {
    program = try Program()
    try program.folder.write("work/pics/b/two.png", TestImages.png(width: 6, height: 4))
    try program.folder.write("work/pics/a.jpg", TestImages.jpeg(width: 8, height: 4))
    try program.folder.write("work/pics/README", "no image")
    try program.folder.write("work/pics/b/broken.gif", "no image either")
  }

  @Test("-r inspects what is in folders, in order, and passes over what is and is named no image")
  func folders() throws {
    let outcome = try program.run("inspect", "-r", "pics")
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(outcome.rows.map { $0[0] } == ["whole", "no-image", "whole"])
    #expect(outcome.rows.map { $0[5] } == ["pics/a.jpg", "pics/b/broken.gif", "pics/b/two.png"])
    let without = try program.run("inspect", "pics")
    #expect(without.exitCode == 7 && without.errorText.contains("-r inspects what is in it"), "\(without)")
  }

  @Test("-r tells of a name that is not UTF-8, and inspects the rest")
  func strangeNames() throws {
    let copy = "cp '\(program.work)/pics/a.jpg' '\(program.work)/pics/b/'$(printf '\\377').jpg"
    #expect(try Command(Command.find("sh"), ["-c", copy]).run().exitCode == 0)
    let outcome = try program.run("inspect", "-r", "pics")
    #expect(outcome.exitCode == 1 && outcome.errorText.contains("the name is not UTF-8"), "\(outcome)")
    #expect(outcome.rows.map { $0[0] }.filter { $0 == "whole" }.count == 2, "\(outcome)")
  }

  @Test("A URL is no file, and the message says how it is inspected")
  func url() throws {
    let outcome = try program.run("inspect", "http://e.org/a.png")
    #expect(
      outcome.exitCode == 7 && outcome.errorText.contains("imgfetch get -o - URL | imgfetch inspect -"), "\(outcome)")
  }

  @Test("-i reads names from a file or a stream, of which each is answered when it comes")
  func lists() throws {
    try program.folder.write("work/names", "# mine\npics/a.jpg\r\n\npics/none.png\n")
    let outcome = try program.run("inspect", "--json", "-i", "names", "pics/b/two.png")
    #expect(outcome.exitCode == 7, "\(outcome)")
    let files = try outcome.lines.map { try JSON.object($0)["file"] as? String }
    #expect(files == ["pics/b/two.png", "pics/a.jpg", "pics/none.png"])
    let running = try program.start(["inspect", "-i", "-"])
    running.write("pics/a.jpg\n")
    #expect(try running.nextLine()?.hasSuffix("pics/a.jpg") == true)
    running.write("pics/b/two.png\n")
    #expect(try running.nextLine()?.hasPrefix("whole") == true)
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
    let null = try program.command(
      ["inspect", "-0", "-i", "-"], input: .bytes(Array("pics/a.jpg\0pics/b\0".utf8))
    ).run()
    #expect(null.rows.count == 2 && null.exitCode == 7, "\(null)")
    #expect(try program.run("inspect").exitCode == 2)
    #expect(try program.run("inspect", "-i", "-", "-").exitCode == 2)
  }

  @Test("--checksum and --fingerprint are in the objects, and are an error where nothing shows them")
  func details() throws {
    let outcome = try program.run(
      "inspect", "--json", "--checksum", "--fingerprint", "thumbhash,dhash", "pics/a.jpg")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let object = try JSON.object(outcome.lines[0])
    let sum = SHA256.digest(of: TestImages.jpeg(width: 8, height: 4).span).map { String($0, radix: 16) }
    #expect((object["sha256"] as? String)?.count == 64 && (object["sha256"] as? String)?.hasSuffix(sum[31]) == true)
    #expect((object["fingerprints"] as? [String: Any])?.keys.sorted() == ["dhash", "thumbhash"])
    let stream = try program.command(
      ["inspect", "--json", "--fingerprint", "dhash", "-"], input: .bytes(TestImages.jpeg(width: 8, height: 4))
    ).run()
    #expect(try JSON.object(stream.lines[0])["fingerprints"] != nil, "\(stream)")
    #expect(try program.run("inspect", "--checksum", "pics/a.jpg").exitCode == 2)
  }

  @Test("--exif has what the camera wrote down; without any, it is missing")
  func exif() throws {
    try program.folder.write("work/x.jpg", TestImages.jpeg(width: 8, height: 4))
    let outcome = try program.run("inspect", "--json", "--exif", "x.jpg")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try JSON.object(outcome.lines[0])["exif"] == nil)
  }
}
