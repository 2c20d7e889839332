import ImgfetchCore

@testable import imgfetch

// Targets for the arguments of a user, or of a script on the user's behalf, perhaps with text from elsewhere.
extension FuzzTarget {
  static let program = [
    FuzzTarget(
      "list", words: ["\t", "sha256=", "mirror=http://", "priority=high", "name=", "../", "#", "https://a/b.png"]
    ) { bytes in
      for line in bytes.split(separator: 10) {
        guard let line = try? InputLine(line), let name = line.name else { continue }
        // A name that is too long is the lister's: the file system says so, and nothing is shortened.
        try expectInside(OutputName(given: name, ownExtension: nil).path(for: nil), longest: .max)
      }
    },
    FuzzTarget("configuration", words: ["jobs = ", "no-stale", "header = ", "#", "\r\n", "=", "max-size = 5G"]) {
      bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let configuration = try? ConfigurationFile(text, path: "config") else { return }
      guard let typed = try? Arguments(["get", "http://a/"]) else { return }
      _ = try? Invocation.make(typed, environment: [:], configuration: configuration)
    },
    FuzzTarget("arguments", words: ["get", "--", "--json", "-qj8", "-H", "--max-bytes=5K", "--resize", "10x", "cache"])
    {
      bytes in
      let arguments = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
      guard let typed = try? Arguments(UTF8Text.arguments(arguments)) else { return }
      _ = try? Invocation.make(typed, environment: [:], configuration: .none)
    },
    FuzzTarget(
      "name", words: ["{name}", "{ext}", "{host}", "{path}", "{key}", "{index}", "/", "..", "%2e%2e%2f", "\\"]
    ) {
      bytes in
      // A template, and behind the first line break the URL whose words go into it.
      let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
      let text = String(decoding: parts.first ?? [], as: UTF8.self)
      guard (try? Templates.name(text)) != nil else { return }
      let template = OutputTemplate(text)
      let path = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "/a.png"
      guard let url = try? WebURL("http://a/" + path) else { return }
      let stem = Stem(segment: url.lastPathSegment)
      let source = NameSource(
        url, key: url.canonical, keyHash: ContentHash(of: url.canonical), index: 1)
      let name = OutputName(parts: template.parts(for: source, stem: stem), ownExtension: stem.imageExtension)
      try expectInside(name.path(for: nil))
      // The user's own text is trusted; a server's is made safe.
      let isControl = { (byte: UInt8) in byte < 0x20 || byte == 0x7F }
      try Fault.unless(
        text.utf8.contains(where: isControl) || !name.path(for: nil).utf8.contains(where: isControl),
        "\(url.display): control characters")
    },
    FuzzTarget("report", words: ["\u{1B}[2J", "\u{202E}", "\t", "\r\n", "{url}", "\\n"]) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = WriteOut(text)
      var line: [UInt8] = []
      SafeText.append(text, to: &line, for: .program)
      try Fault.unless(!line.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for a program")
      try Fault.unless(
        !SafeText.text(text).utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character for a person")
      var json: [UInt8] = []
      json.append(json: text)
      try Fault.unless(!json.contains { $0 < 0x20 }, "a control character in JSON")
    },
  ]

  /// A relative path that stays below the folder that it is relative to, and that a file system takes.
  private static func expectInside(_ path: String, longest: Int = 255) throws(Fault) {
    let parts = path.pathParts(omittingEmpty: false)
    try Fault.unless(!path.isEmpty && !path.isAbsolutePath, "\(path): no relative path")
    let elsewhere = ["", ".", ".."]
    try Fault.unless(
      !parts.contains { part in elsewhere.contains { part.hasBytes(of: $0) } }, "\(path): leads elsewhere")
    try Fault.unless(parts.allSatisfy { $0.utf8.count <= longest }, "\(path): too long")
  }
}
