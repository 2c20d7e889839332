import TestSupport
import Testing

/// Shards are read that another attempt, or a stranger, has written: whatever they say, nothing traps, takes
/// long or becomes wrong data.
@Suite("Hostile shards") struct PackHostileShardTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in [0, 2] { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    try program.folder.write("work/list", (0..<4).map { server.url("/\($0).jpg") }.joined(separator: "\n"))
    #expect(try program.run(["pack", "-i", "list", "-d", "set"]).exitCode == 0)
    for at in [1, 3] { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
  }

  /// Rewrites the shard by lines of Python over `members`, a list of pairs of names and bytes, and `end`, the
  /// numbers of its last member.
  private func forge(_ change: String, rename: String = "00000.tar") throws {
    let script = """
      import json, sys
      path = sys.argv[1]
      data = open(path, "rb").read()
      members, at = [], 0
      while data[at:at + 1] != b"\\0":
          size = int(data[at + 124:at + 135], 8)
          members.append([data[at:at + 100].rstrip(b"\\0").decode(), data[at + 512:at + 512 + size]])
          at += 512 + (size + 511) // 512 * 512
      end = json.loads(members[-1][1])
      def names(of): return [m[0] for m in members].index(of)
      \(change)
      def block(name, size, digits=None):
          head = bytearray(512)
          head[0:len(name)] = name.encode()
          head[100:107] = head[108:115] = head[116:123] = b"0000644"
          head[124:135] = digits or b"%011o" % size
          head[136:147] = b"%011o" % 315532800
          head[148:156] = b" " * 8; head[156] = 48; head[257:265] = b"ustar\\x0000"
          head[148:154] = b"%06o" % sum(head); head[154] = 0
          return bytes(head)
      out = b""
      for name, body in members[:-1]:
          if name.endswith(("/failed", "/failed.jsonl")): start = len(out) + 512
          out += block(name, len(body)) + body + b"\\0" * (-len(body) % 512)
      end.setdefault("start", start)
      keys = ["rows", "images", "failed", "bytes", "failed_offset", "failed_bytes"]
      if end["failed_offset"] is not None and end.pop("moved", True): end["failed_offset"] = start
      end.pop("start")
      text = json.dumps({k: end[k] for k in keys}, separators=(",", ":")).encode()
      out += block(members[-1][0], 512) + text + b" " * (511 - len(text)) + b"\\n" + b"\\0" * 1024
      open(path, "wb").write(out)
      """
    let path = program.folder.path("work/set/00000.tar")
    let forged = try Command(Command.find("python3"), ["-c", script, path]).run()
    #expect(forged.exitCode == 0, "\(forged)")
    if rename != "00000.tar" {
      #expect(try Command(Command.find("mv"), [path, program.folder.path("work/set/\(rename)")]).run().exitCode == 0)
    }
  }

  private func again() throws -> Outcome { try program.run(["pack", "--again", "-d", "set", "--json"]) }
  private func once() throws -> Outcome { try program.run(["pack", "-i", "list", "-d", "set", "--json", "--rows"]) }

  @Test(
    "Numbers that are wrong make it no shard: exit 2, and no signal",
    arguments: [
      #"end["failed_bytes"] = 2**63 - 1"#, #"end["failed_offset"] = 2**63 - 1; end["moved"] = False"#,
      #"end["failed_offset"] = 2**63 - 600; end["failed_bytes"] = 2**62; end["moved"] = False"#,
      #"end["images"] = 2**63 - 1; end["rows"] = 2**63 - 1"#,
      #"end["failed"] = 2**62; end["images"] = 2**62; end["rows"] = 2**63 - 1"#,
      #"end["bytes"] = 2**63 - 1"#, #"end["failed"] = 3; end["rows"] = 5"#,
      #"members[names("__imgfetch__/failed")][1] = members[names("__imgfetch__/failed")][1].replace(b'"000000000001"', b'"9223372036854775807"'); end["failed_bytes"] += 7"#,
      #"members[names("__imgfetch__/failed")][1] = members[names("__imgfetch__/failed")][1].replace(b'"000000000001"', b'"000000000003"')"#,
      #"members[names("__imgfetch__/failed")][1] = b"no row\n" * 2; end["failed_bytes"] = 14"#,
    ])
  func numbers(change: String) throws {
    try forge(change)
    let outcome = try again()
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("00000.tar"), "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar"])
  }

  @Test("Rows without line breaks are read in a moment, and refused")
  func noBreaks() throws {
    let count = Program.isSanitized ? 9_000_000 : 90_000_000
    try forge(#"members[names("__imgfetch__/failed")][1] = b"x" * \#(count); end["failed_bytes"] = \#(count)"#)
    let outcome = try again()
    #expect(outcome.exitCode == 2, "\(outcome)")
  }

  @Test("A length that leads beyond the file is refused where rows are read")
  func lengths() throws {
    let script = """
      import sys
      data = bytearray(open(sys.argv[1], "rb").read())
      at = data.index(b"000000000000.json")
      data[at + 124:at + 135] = b"77777777777"
      open(sys.argv[1], "wb").write(data)
      """
    let path = program.folder.path("work/set/00000.tar")
    #expect(try Command(Command.find("python3"), ["-c", script, path]).run().exitCode == 0)
    let outcome = try once()
    #expect(outcome.exitCode != 0 && outcome.signal == nil, "\(outcome)")
  }

  @Test(
    "A name with a number beyond all others is no shard's",
    arguments: ["00000.r9223372036854775807.tar", "9223372036854775807.tar"])
  func names(name: String) throws {
    #expect(
      try Command(
        Command.find("cp"), [program.folder.path("work/set/00000.tar"), program.folder.path("work/set/\(name)")]
      ).run().exitCode == 0)
    let outcome = try again()
    #expect(outcome.exitCode == 0 && program.folder.files(in: "work/set").contains("00000.r1.tar"), "\(outcome)")
  }

  @Test("A shard of version 1 is another job: exit 2, with what to do, and its rows are read as ever")
  func former() throws {
    try forge(
      """
      for m in members:
          m[0] = {"__imgfetch__/job": "__imgfetch__/job.json", "__imgfetch__/failed": "__imgfetch__/failed.jsonl",
                  "__imgfetch__/end": "__imgfetch__/end.json"}.get(m[0], m[0])
          if m[0].endswith("job.json"): m[1] = m[1].replace(b'"makes":2', b'"format":1')
      """.split(separator: "\n").joined(separator: "\n      "))
    for outcome in [try once(), try again()] {
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("1.x"), "\(outcome)")
      #expect(outcome.errorText.contains("new folder"))
    }
  }

  @Test("A pipe or a folder under a shard's name is none, and is not waited for", arguments: ["pipe", "folder"])
  func otherKinds(kind: String) throws {
    try program.folder.remove("work/set/00000.tar")
    if kind == "pipe" {
      try Command.makePipe(program.folder.path("work/set/00000.tar"))
    } else {
      try program.folder.write("work/set/00000.tar/file", "")
    }
    for outcome in [try once(), try again()] {
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("no shard that imgfetch has made"), "\(outcome)")
    }
  }

  @Test("A shard that cannot be opened is a file that cannot be read: exit 7")
  func unreadable() throws {
    try program.folder.remove("work/set/00000.tar")
    let link = try Command(Command.find("ln"), ["-s", "00000.tar", program.folder.path("work/set/00000.tar")]).run()
    #expect(link.exitCode == 0, "\(link)")
    for outcome in [try once(), try again()] {
      #expect(outcome.exitCode == 7 && outcome.errorText.contains("set/00000.tar"), "\(outcome)")
    }
  }
}
