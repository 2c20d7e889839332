import TestSupport
import Testing

/// Every example of the README, the manual and the help is run as printed, with a local server for its hosts.
@Suite("Examples") struct ExamplesTests {
  @Test("In the README")
  func readme() throws {
    let text = try #require(Command.text(of: Examples.repository + "/README.md"))
    let lines = Examples.blocks(indentedBy: 4, in: text).filter { $0.hasPrefix("imgfetch ") }
    #expect(lines.count == 13)
    // The examples form one sequence: what one fetches, the next finds in the cache.
    let stage = try Stage()
    for line in lines { try stage.expectSuccess(line) }
  }

  @Test("In the help", arguments: Examples.commands)
  func help(command: String) throws {
    let text = try Program().run(["help"] + command.split(separator: " ").map(String.init)).outputText
    let lines = Examples.ofHelp(text)
    #expect(!lines.isEmpty, "\(text)")
    for line in lines { try Stage(filled: true).expectSuccess(line) }
  }

  @Test(
    "In the manual",
    arguments: [
      "imgfetch.1", "imgfetch-get.1", "imgfetch-cache.1", "imgfetch-inspect.1", "imgfetch-report.1",
      "imgfetch-lists.5", "imgfetch-rows.5", "imgfetch-caching.7", "imgfetch-network.7", "imgfetch-transforms.7",
    ])
  func manual(page: String) throws {
    let text = try #require(Command.text(of: "\(Examples.repository)/man/\(page)"))
    let blocks = Examples.ofManual(text)
    #expect(!blocks.isEmpty)
    for block in blocks { try Stage(filled: true).expectSuccess(block) }
  }

  @Test("With other programs")
  func recipes() throws {
    let blocks = try Examples.withOtherPrograms()
    #expect(blocks.count >= 5)
    for block in blocks { try Stage(filled: true).expectSuccess(block) }
  }

  @Test(
    "The manual's example configuration is valid and takes effect",
    arguments: ["imgfetch-config.5", "imgfetch-upgrading.7"])
  func configuration(page: String) throws {
    let text = try #require(Command.text(of: "\(Examples.repository)/man/\(page)"))
    let blocks = Examples.ofManual(text)
    let file = try #require(blocks.first { $0.contains(" = ") })
    let stage = try Stage()
    let path = try stage.program.folder.write("home/.config/imgfetch/config", file)
    let outcome = try stage.program.run("help", "options")
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    for (index, line) in file.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where line.contains(" = ") {
      let name = line.prefix { $0 != " " }
      let row = outcome.lines.first { $0.hasPrefix("\(name) ") } ?? ""
      #expect(row.contains("\(path):\(index + 1)"), "\(line): \(row)")
    }
    for block in blocks where block != file { try Stage(filled: true).expectSuccess(block) }
  }

  /// Lines that are to keep a folder as the server has it.
  private static func nightly(of source: String) throws -> (line: String, list: String, pictures: String) {
    if source == "README" {
      let text = try #require(Command.text(of: Examples.repository + "/README.md"))
      let line = Examples.blocks(indentedBy: 4, in: text).first { $0.contains("--print new") }
      return (try #require(line), "work/list.txt", "work/pictures")
    }
    let ofGet = Examples.ofManual(try #require(Command.text(of: "\(Examples.repository)/man/imgfetch-get.1")))
    let line =
      source == "crontab"
      ? ofGet.first { Examples.ofCrontab($0) != nil }
      : try Examples.withOtherPrograms().first { $0.contains("[Service]") }
    return (try #require(line), "home/list.txt", "home/pictures")
  }

  @Test(
    "The lines for every night have the folder be what the server has, whatever changes, vanishes and comes back",
    arguments: ["README", "crontab", "systemd"])
  func nightly(source: String) throws {
    let (line, list, pictures) = try Self.nightly(of: source)
    let stage = try Stage()
    let (folder, files) = (stage.program.folder, stage.server.files)
    try? folder.remove("work/pictures")
    let urls = ["cat.jpg", "dog.jpg", "a.jpg"].map { "https://example.org/\($0)\n" }
    try folder.write(list, urls.joined())
    let first = try stage.run(line)
    #expect(first.exitCode == 0 && first.error.isEmpty, "\(first)")
    #expect(first.lines.count == (source == "systemd" ? 0 : 3))
    let quiet = try stage.run(line)
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet)")

    let dog = try #require(files.read("dog.jpg"))
    let changed = TestImages.jpeg(width: 200, height: 100)
    try files.write("cat.jpg", changed)
    try files.remove("dog.jpg")
    let eventful = try stage.run(line)
    #expect(eventful.exitCode == 4, "\(eventful)")
    #expect(eventful.rows.compactMap(\.last) == (source == "systemd" ? [] : ["https://example.org/cat.jpg"]))
    #expect(eventful.errorText.components(separatedBy: "https://example.org/dog.jpg").count == 2, "\(eventful)")
    #expect(folder.read("\(pictures)/cat.jpg") == changed)
    #expect(folder.read("\(pictures)/dog.jpg") == dog, "what vanished stands as it was")

    if source != "systemd" {
      let same = try stage.run(line)
      #expect(same.exitCode == 4 && same.output.isEmpty && same.error.isEmpty, "\(same)")
    }
    let returned = TestImages.jpeg(width: 90, height: 100)
    try files.write("dog.jpg", returned)
    let last = try stage.run(line)
    #expect(last.exitCode == 0 && last.error.isEmpty, "\(last)")
    #expect(last.rows.compactMap(\.last) == (source == "systemd" ? [] : ["https://example.org/dog.jpg"]))
    #expect(folder.read("\(pictures)/dog.jpg") == returned)
    #expect(folder.files(in: pictures).sorted() == ["a.jpg", "cat.jpg", "dog.jpg"])
  }

  @Test("Every line of the README goes on working while pictures change, vanish and come back")
  func changing() throws {
    let text = try #require(Command.text(of: Examples.repository + "/README.md"))
    let lines = Examples.blocks(indentedBy: 4, in: text).filter { $0.hasPrefix("imgfetch ") && !$0.contains(" pack ") }
    let stage = try Stage()
    for night in 0..<3 {
      if night == 1 {
        try stage.server.files.write("dog.jpg", TestImages.jpeg(width: 200, height: 100))
        try stage.server.files.remove("a.png")
      }
      if night == 2 { try stage.server.files.write("a.png", TestImages.png(width: 30, height: 40)) }
      let before = stage.program.folder.files(in: "work/pictures")
      for line in lines {
        let outcome = try stage.run(line)
        #expect(outcome.exitCode == 0 || (night == 1 && outcome.exitCode == 4), "\(night): \(line): \(outcome)")
      }
      #expect(Set(stage.program.folder.files(in: "work/pictures")).isSuperset(of: before))
    }
  }

  @Test("The co-process answers, the second time from memory")
  func coprocess() throws {
    let block = try #require(try Examples.withOtherPrograms().first { $0.contains("coproc") })
    let ask = block.split(separator: "\n").dropFirst().joined(separator: "\n")
    let stage = try Stage()
    // Small enough to be kept in memory.
    try stage.server.files.write("cat.jpg", TestImages.jpeg(width: 64, height: 48))
    try stage.program.folder.remove("work/cat.jpg")
    let outcome = try stage.run(block + "\n" + ask.replacing("-r .output", with: "-r .cache"))
    #expect(outcome.lines == ["cat.jpg", "memory"], "\(outcome)")
  }
}

/// The places of examples, and the marks that separate them from other text.
private enum Examples {
  /// The repository's root, derived from this file's path.
  static let repository = String(#filePath.dropLast("/Tests/EndToEndTests/ExamplesTests.swift".count))

  static let commands = [
    "get", "prefetch", "inspect", "cache size", "cache clean", "cache clear", "cache remove", "cache path",
    "cache list", "cache add", "cache verify", "completions", "help", "",
  ]

  /// Lines with an indentation of this many blanks, in a text without fences.
  static func blocks(indentedBy count: Int, in text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix(String(repeating: " ", count: count)) }
      .map { String($0.dropFirst(count)) }
  }

  /// The lines under "Examples:" without their meanings, and those of single options.
  static func ofHelp(_ text: String) -> [String] {
    var lines: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "Examples:" { isInside = true } else if line.isEmpty { isInside = false }
      if isInside, line.hasPrefix("  "), !line.hasPrefix("   ") {
        let body = line.dropFirst(2)
        lines.append(String(body[..<(body.firstRange(of: "  ")?.lowerBound ?? body.endIndex)]))
      } else if let mark = line.firstRange(of: "Example: ") {
        lines.append(String(line[mark.upperBound...]))
      }
    }
    return lines
  }

  /// The literal blocks of a page in mdoc, as man shows them.
  static func ofManual(_ source: String) -> [String] {
    source.components(between: ".Bd -literal -offset indent\n", and: ".Ed\n").map { block in
      block.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix("\\&") ? $0.dropFirst(2) : $0 }.joined(separator: "\n")
        .replacing("\\-", with: "-").replacing("\\e", with: "\\")
    }
  }

  /// The blocks of imgfetch-recipes(7) that need nothing but a list; the others are about sources of their own.
  static func withOtherPrograms() throws -> [String] {
    let text = try #require(Command.text(of: "\(repository)/man/imgfetch-recipes.7"))
    let start = try #require(text.firstRange(of: ".Sh WITH OTHER PROGRAMS\n"))
    return ofManual(String(text[start.upperBound...]))
  }

  /// The command of a crontab line, or nil if it is none.
  static func ofCrontab(_ line: String) -> String? {
    let fields = line.split(separator: " ", maxSplits: 5)
    guard fields.count == 6, fields[..<5].allSatisfy({ $0.allSatisfy { "0123456789*/,-".contains($0) } }) else {
      return nil
    }
    return String(fields[5])
  }
}

extension String {
  fileprivate func components(between start: String, and end: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let head = rest.firstRange(of: start) {
      rest = rest[head.upperBound...]
      guard let tail = rest.firstRange(of: end) else { break }
      parts.append(String(rest[..<tail.lowerBound]))
      rest = rest[tail.upperBound...]
    }
    return parts
  }
}

/// A machine on which the examples work: lists, pictures, and servers with the names they use.
private struct Stage {
  let program: Program
  let server: Nginx
  private let tunnel: Tunnel
  private let tools: String
  private let isFilled: Bool

  private static let pictures = ["cat.jpg", "cat", "dog.jpg", "webcam.jpg", "a.jpg"]

  /// - Parameter filled: whether the cache holds the pictures already.
  init(filled: Bool = false) throws {
    program = try Program()
    isFilled = filled
    let files = try TemporaryFolder()
    let cat = TestImages.jpeg(width: 320, height: 240)
    for name in Self.pictures + ["download"] { try files.write(name, cat) }
    for name in ["a.png", "cat.png"] {
      try files.write(name, TestImages.png(width: 320, height: 240) { ($0.colourType, $0.depth) = (0, 1) })
    }
    let page = "<!DOCTYPE html><title>Gallery</title><img src=/cat.jpg alt=Cat><img src=/dog.jpg alt=Dog>"
    for name in ["gallery.html", "index.html"] { try files.write(name, page) }
    server = try Nginx(serving: files, names: ["DNS:example.org"])
    tunnel = try Tunnel(to: server.secureAddress)
    tools = try program.folder.makeFolder("tools")

    let list = "https://example.org/cat.jpg\nhttps://example.org/dog.jpg\nhttps://example.org/a.png\n"
    for folder in ["work", "home"] { try program.folder.write("\(folder)/list.txt", list) }
    try program.folder.write("work/pictures.csv", "id,url\n1,https://example.org/cat.jpg\n")
    try program.folder.write("work/products.csv", "sku,image\n7,https://example.org/dog.jpg\n")
    for name in ["cat.jpg", "pictures/cat.jpg", "pictures/copy.jpg"] { try program.folder.write("work/\(name)", cat) }
    try program.folder.write("work/dog.png", TestImages.png(width: 9, height: 9))
    for (name, path) in [("me.pem", server.certificate.certificate), ("me.key", server.certificate.key)] {
      try program.folder.write("work/\(name)", Command.text(of: path) ?? "")
    }
    try program.folder.write("work/saved.html", page)
    let sum = String(repeating: "ab", count: 32)
    let hashes = #""fingerprints":{"dhash":"00ff00ff00ff00ff","phash":"0f0f0f0f0f0f0f0f"}"#
    for name in ["run", "today", "yesterday", "old"] {
      let row = #"{"url":"https://example.org/cat.jpg","bytes":9,"sha256":"\#(sum)",\#(hashes),"error":null}"#
      try program.folder.write("work/\(name).jsonl", row + "\n")
    }
    try program.folder.makeFolder("home/.zfunc")
    try link("imgfetch", to: Program.path)
    for (name, script) in Self.standIns { try tool(name, script) }
    if filled { try expectSuccess("imgfetch prefetch -q -i list.txt") }
  }

  /// Stand-ins for programs that not every machine has, or that would use a display or the network.
  private static let standIns = [
    "identify": "cat >/dev/null",
    "xdg-open": #"test -f "$1""#,
    "systemctl": "true",
    // One after another, on this machine.
    "parallel": """
    [ "$1" = -S ] && shift 2
    line=
    while [ "$1" != ::: ]; do line="$line '$1'"; shift; done
    shift
    for value; do eval "$(printf '%s' "$line" | sed "s/{}/$value/g")" || exit; done
    """,
  ]

  private func link(_ name: String, to path: String) throws {
    try Command.replace(path: "\(tools)/\(name)", withLinkTo: path)
  }

  private func tool(_ name: String, _ script: String) throws {
    let path = try program.folder.write("tools/\(name)", "#!/bin/sh\n\(script)\n")
    try Command.setMode(of: path, 0o755)
  }

  func expectSuccess(_ example: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    // The picture that other examples inspect is of unknown origin and would be replaced with a warning.
    if isFilled, example.contains("imgfetch get") { try? program.folder.remove("work/cat.jpg") }
    let outcome = try run(example)
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(example)\n\(outcome)", sourceLocation: sourceLocation)
  }

  /// Runs an example with the program it is written for.
  func run(_ example: String) throws -> Outcome {
    if let job = Examples.ofCrontab(example) { return try run("/bin/sh", ["-c", installed(job)]) }
    if example.contains("[Service]") {
      let job = example.split(separator: "\n").first { $0.hasPrefix("ExecStart=") }?.dropFirst("ExecStart=".count)
      return try run("/bin/sh", ["-c", installed(String(job ?? "false")).replacing("%h", with: program.home)])
    }
    if example.hasPrefix("#!/bin/sh") {
      return try run("/bin/sh", ["-c", example], ["SLURM_ARRAY_TASK_ID": "1"])
    }
    if example.hasSuffix("| source") { return try run(Command.find("fish"), ["-c", example]) }
    return try run(Command.find("bash"), ["-euo", "pipefail", "-c", example])
  }

  private func installed(_ job: String) -> String {
    job.replacing("/usr/local/bin/imgfetch", with: "\(tools)/imgfetch")
  }

  private func run(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) throws -> Outcome {
    let certificates = server.certificate.authority
    var command = program.command(
      [],
      environment: [
        // Stand-ins come first: the machine may have programs of these names that need a display
        // or reach other machines.
        "PATH": "\(tools):/usr/local/bin:/usr/bin:/bin", "https_proxy": tunnel.url, "CURL_CA_BUNDLE": certificates,
        "IMGFETCH_CACERT": certificates,
        // There is no terminal to ask how it shows pictures.
        "IMGFETCH_PICTURE": "blocks",
      ].merging(environment) { $1 })
    command.path = path
    command.arguments = arguments
    return try command.run()
  }
}
