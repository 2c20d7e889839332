import TestSupport
import Testing

/// `pack --again`: what failed is tried once more, and what can be had then comes into a shard beside the first.
@Suite("Failed lines of data sets, once more") struct PackAgainTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in [0, 2, 4, 5] { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    let rows = (0..<6).map { #"{"url":"\#(server.url("/\($0).jpg"))","id":"i\#($0)","caption":"c\#($0)","w":\#($0)}"# }
    try program.folder.write("work/list.jsonl", rows.joined(separator: "\n"))
    let made = try program.run(
      ["pack", "-i", "list.jsonl", "--list-format", "jsonl", "--per-shard", "4", "-d", "set"])
    #expect(
      Set(made.rows.map { Array($0[0...3]) }) == [["made", "00000", "2", "2"], ["made", "00001", "2", "0"]], "\(made)")
  }

  private func again(_ arguments: String...) throws -> Outcome {
    try program.run(["pack", "--again", "-d", "set"] + arguments)
  }

  private func member(_ shard: String, _ name: String) throws -> String {
    try Command(Command.find("tar"), ["-xOf", program.folder.path("work/set/\(shard).tar"), name]).run().outputText
  }

  @Test("Only those that can be had come, with what went along with them")
  func one() throws {
    server.serve("/1.jpg", TestImages.jpeg(width: 21, height: 10))
    let outcome = try again()
    #expect(
      outcome.exitCode == 0 && outcome.rows.map { Array($0[0...3]) } == [["made", "00000.r1", "1", "0"]], "\(outcome)")
    #expect(try member("00000.r1", "000000000001.txt") == "c1")
    let row = try member("00000.r1", "000000000001.json")
    #expect(
      row.hasPrefix(#"{"record":"000000000001","url":"#) && row.contains(#""id":"i1","caption":"c1","columns":{"w":1}"#)
    )
    #expect(!row.contains("error"))
  }

  @Test("The options that name columns of the list may stay, without its format")
  func columns() throws {
    server.serve("/1.jpg", TestImages.jpeg(width: 21, height: 10))
    let outcome = try again("--caption-column", "caption", "--id-column", "id", "--where", "w < 2")
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(3) == ["made", "00000.r1", "1"], "\(outcome)")
    #expect(try member("00000.r1", "000000000001.txt") == "c1")
  }

  @Test("What was had is not asked again, what failed is, and each time makes a shard of its own")
  func several() throws {
    server.serve("/1.jpg", TestImages.jpeg(width: 21, height: 10))
    #expect(try again().exitCode == 0)
    server.serve("/3.jpg", TestImages.jpeg(width: 23, height: 10))
    let before = server.requests.count
    #expect(try again("--cache", "off").exitCode == 0)
    #expect(server.requests.count == before + 1)
    #expect(try member("00000.r2", "000000000003.txt") == "c3")
    let nothing = try again()
    #expect(nothing.exitCode == 0 && nothing.output.isEmpty, "\(nothing)")
    #expect(program.folder.files(in: "work/set") == ["00000.r1.tar", "00000.r2.tar", "00000.tar", "00001.tar"])
  }

  @Test("Where nothing can be had no shard is made, and that is no failure")
  func none() throws {
    let outcome = try again()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"])
    #expect(try again("--json").lines.last?.contains(#""shards":0"#) == true)
  }

  @Test("A single line that fails once more is told, with its cause")
  func single() throws {
    server.serve("/1.jpg", TestImages.jpeg(width: 21, height: 10))
    #expect(try again().exitCode == 0)
    let outcome = try again()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errorText.contains("1 image: 1 failed") && outcome.errorText.contains("404"), "\(outcome)")
  }

  @Test("A line whose URL had a password is not asked for without it, and its failure is told")
  func masked() throws {
    let url = server.url("/kept.jpg").replacing("http://", with: "http://me:secret@")
    try program.folder.write("work/list", "\(url)\n")
    #expect(try program.run("pack", "-i", "list", "-d", "kept").rows.first?.prefix(4) == ["made", "00000", "0", "1"])
    let before = server.requests.count
    let outcome = try program.run("pack", "--again", "-d", "kept")
    #expect(server.requests.count == before && !outcome.errorText.contains("secret"), "\(outcome)")
    #expect(outcome.errorText.contains("warning: ") && outcome.errorText.contains("keep no passwords"), "\(outcome)")
  }

  @Test("The warning about a record that had no URL has no gap in its place")
  func withoutURL() throws {
    try program.folder.write("work/nulls.jsonl", #"{"url":null}"# + "\n")
    let options = ["--list-format", "jsonl", "--max-invalid", "100%", "-d", "nulls"]
    #expect(try program.run(["pack", "-i", "nulls.jsonl"] + options).exitCode == 0)
    let outcome = try program.run(["pack", "--again"] + options)
    #expect(outcome.errorText.contains(": the line of the list makes no sense"), "\(outcome)")
    #expect(!outcome.errorText.contains(": :"), "\(outcome)")
  }

  @Test("Other options than the shards' are exit 2, and so is a folder without shards")
  func refused() throws {
    let before = server.requests.count
    for wrong in [try again("--strict"), try program.run(["pack", "--again", "-d", "elsewhere"])] {
      #expect(wrong.exitCode == 2, "\(wrong)")
    }
    #expect(server.requests.count == before)
  }

  @Test("Several processes divide the shards")
  func parts() throws {
    server.serve("/1.jpg", TestImages.jpeg(width: 21, height: 10))
    #expect(try again("--shard", "2/2").output.isEmpty)
    #expect(try again("--shard", "1/2").rows.count == 1)
  }
}
