import TestSupport
import Testing

@Suite("Processes that share a pipe") struct SharedPipeTests {
  @Test(
    "Eight processes with two thousand rows each, and no interleaved row",
    arguments: ["--json", "--checksum -w {url}%{sha256}\\n"])
  func rows(form: String) throws {
    let server = try TestServer()
    let program = try Program()
    for number in 0..<20 { server.serve("/\(number).jpg", TestImages.jpeg(width: 8, height: 8, seed: UInt64(number))) }
    let urls = (0..<20).map { server.url("/\($0).jpg") }
    #expect(try program.run(["prefetch", "-q"] + urls).exitCode == 0)
    let lines = (0..<2000).map { urls[$0 % 20] }
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    var command = program.command([])
    command.path = try Command.find("bash")
    command.arguments =
      [
        "-c",
        #"for number in 1 2 3 4 5 6 7 8; do "$0" prefetch --offline -i list "${@:1}" & done; wait"#, Program.path,
      ] + form.split(separator: " ").map(String.init)
    let outcome = try command.run()
    var counts: [String: Int] = [:]
    if form == "--json" {
      for line in outcome.lines {
        let row = try JSON.object(line)
        if let url = row["url"] as? String { counts[url, default: 0] += 1 }
      }
      #expect(outcome.lines.count == 8 * 2001)
    } else {
      for line in outcome.lines { counts[String(line.prefix { $0 != "%" }), default: 0] += 1 }
      #expect(outcome.lines.count == 8 * 2000)
      #expect(outcome.lines.allSatisfy { $0.suffix(65).first == "%" })
    }
    #expect(counts.count == 20 && counts.values.allSatisfy { $0 == 800 }, "\(counts)")
  }
}
