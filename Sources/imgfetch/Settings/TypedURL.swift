import ImgfetchCore

/// Text that was typed or listed as a URL. Marks around the URL are removed. Text that is no URL is told by its looks,
/// before any name in it could be looked up.
///
/// Everything is compared as bytes: with text from outside, its author decides what a Character is.
enum TypedURL {
  /// The URL that the text means, which may still be invalid. Text that can be no URL throws
  /// ``URLFailure/otherText(_:)``, and `http:///a.png` throws
  /// ``URLFailure/noHost``.
  ///
  /// - Parameter isLocal: Returns true if there is a file or folder of that name. Called only for text that could be
  ///   either.
  static func text(of given: String, isLocal: (String) -> Bool) throws(URLFailure) -> String {
    if isPlain(given.utf8Span.span) { return given }
    let whole = TextBytes(given.utf8)
    let meant = whole.unwrapped
    if let kind = meant.severalLines { throw .otherText(kind.explanation) }
    if let kind = meant.otherText { throw .otherText(kind.explanation) }
    if meant.hasEmptyHost { throw .noHost }
    let text = meant.text
    if meant.mayBeLocal, isLocal(text) { throw .otherText(TextKind.file.explanation) }
    return text
  }

  /// True if the text begins with a scheme and `://`.
  static func hasScheme(_ text: String) -> Bool { TextBytes(text.utf8).schemeEnd != nil }

  /// True of text in UTF-16 without a mark: next to each byte of ASCII there is a NUL. Records that end in NUL are not
  /// so short.
  static func isWide(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count > 3 && 3 * bytes.count { $0 == 0 } >= bytes.count
  }

  /// True if the text begins as nearly all lines do, and has nothing that needs a closer look.
  private static func isPlain(_ bytes: borrowing Span<UInt8>) -> Bool {
    guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"), bytes[2] == UInt8(ascii: "t"),
      bytes[3] == UInt8(ascii: "p")
    else { return false }
    let colon = bytes[4] == UInt8(ascii: "s") ? 5 : 4
    guard bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
      bytes[colon + 2] == UInt8(ascii: "/"), bytes[colon + 3] != UInt8(ascii: "/"),
      // A mark at the end.
      bytes[bytes.count - 1] < 0x80
    else { return false }
    // Searches of the C library, since this is done for each line.
    return bytes.place(of: UInt8(ascii: " "), from: 0) == bytes.count
      && bytes.place(of: UInt8(ascii: ","), from: 0) == bytes.count
      && bytes.place(of: UInt8(ascii: ";"), from: 0) == bytes.count
      && bytes.place(of: UInt8(ascii: "\""), from: 0) == bytes.count
      && bytes.place(of: 0, from: 0) == bytes.count
      && bytes.place(of: UInt8(ascii: "\r"), from: 0) == bytes.count
      && bytes.place(of: UInt8(ascii: "\n"), from: 0) == bytes.count
  }

  /// True if the byte separates words, or fields of tables. URLs may have it, too.
  static func isOfRecords(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\"")
  }
}

/// Something other than a URL that lists and operands hold by mistake.
enum TextKind {
  case word, abbreviation, number, mail, prose, several, file, html, json, table, markdown, style, lines, records, wide

  /// A clause to follow the text. It says what to do where that is known.
  var explanation: String {
    switch self {
    case .word: "this is a word, not a URL, which would have a dot or a slash (http://localhost is one, too)"
    case .abbreviation:
      "this is a word, not a URL: no domain ends in a single letter, or has a digit there (http://machine.x is one, too)"
    case .number: "this is a number, not a URL"
    case .mail: "this looks like an e-mail address, not a URL"
    case .prose: "this reads like prose, not a URL; behind a URL only a TAB and a name may stand"
    case .several:
      "these are several URLs; a list has one a line, and a TAB and mirror=URL name another of the same image"
    case .file: "this looks like the name of a file, not a URL"
    case .html: "this looks like HTML, not a URL; a list has one URL a line, and --from reads other text"
    case .json: "this looks like JSON, not a URL; --list-format jsonl reads one object a line, --from any"
    case .table:
      "this looks like a table (CSV), not a URL; --list-format csv or tsv reads one whose first line names its columns"
    case .markdown: "this looks like Markdown, not a URL; a list has one URL a line, and --from reads other text"
    case .lines: "this has the end of a line inside, and is no single URL; lines end in a line feed"
    case .records: "this has a NUL inside or at its end, and is no URL; --null reads records that end in NUL"
    case .wide: "this is text in UTF-16, and no URL; iconv -f UTF-16LE -t UTF-8 makes it UTF-8"
    case .style: "this looks like CSS or a script, not a URL; a list has one URL a line, and --from reads other text"
    }
  }
}

/// The bytes of a text, and their properties.
private struct TextBytes {
  var bytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { self.bytes = ArraySlice(bytes) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - What surrounds a URL

  /// The text without blanks, one comma or semicolon at the end, and angle brackets or quotation marks around it.
  var unwrapped: TextBytes {
    var rest = trimmed
    if let last = rest.bytes.last, last == UInt8(ascii: ",") || last == UInt8(ascii: ";"), rest.bytes.count > 1 {
      rest.bytes.removeLast()
      rest = rest.trimmed
    }
    guard rest.bytes.count > 2, let first = rest.bytes.first, let last = rest.bytes.last else { return rest }
    let inside = TextBytes(rest.bytes.dropFirst().dropLast()).trimmed
    switch (first, last) {
    case (UInt8(ascii: "<"), UInt8(ascii: ">")):
      // A tag has no dot in its name.
      let host = inside.host
      let isAddress = host.hasInnerDot && host.isOfName && inside.bytes.count > host.bytes.count + 1
      return inside.schemeEnd != nil || isAddress ? inside : rest
    case (UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "'"), UInt8(ascii: "'")):
      return inside.bytes.contains(first) ? rest : inside
    default: return rest
    }
  }

  private var trimmed: TextBytes {
    var rest = bytes
    while true {
      if let last = rest.last, Self.isBlank(last) {
        rest.removeLast()
      } else if let first = rest.first, Self.isBlank(first) {
        rest.removeFirst()
      } else if let mark = Self.marks.first(where: { rest.starts(with: $0) }) {
        rest.removeFirst(mark.count)
      } else if let mark = Self.marks.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
        rest.removeLast(mark.count)
      } else {
        return TextBytes(rest)
      }
    }
  }

  /// Characters that copying leaves around a URL, and that no reader sees: the byte order mark of a list that was
  /// appended to another, a space without a break and one without a width.
  private static let marks = ["\u{FEFF}", "\u{A0}", "\u{200B}"].map { Array($0.utf8) }

  /// The kind of a text with a NUL, a carriage return or a line feed inside, or nil for another text. A list that was
  /// cut at other bytes than its own would be one URL, and perhaps a server would answer it.
  var severalLines: TextKind? {
    if bytes.contains(0) { return TypedURL.isWide(bytes) ? .wide : .records }
    return bytes.contains { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") } ? .lines : nil
  }

  // MARK: - What it looks like

  /// The kind of a text that is no URL, or nil if it may be one.
  var otherText: TextKind? {
    if bytes.isEmpty { return nil }
    if let end = schemeEnd { return textBehind(scheme: end) }
    if let kind = markup { return kind }
    if contains("://"), !bytes.contains(where: Self.isBlank), !host.isOfName { return foreign }
    if bytes.contains(where: Self.isBlank) { return isRow ? .table : .prose }
    return otherAddress
  }

  /// A URL with a scheme is one, unless it is the first field of a record or the first word of a sentence.
  private func textBehind(scheme end: Int) -> TextKind? {
    // A key of a bucket is taken as it is written.
    guard bytes.contains(where: TypedURL.isOfRecords), !S3Account.isAddress(text) else { return nil }
    if let comma = bytes[end...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
      let before = TextBytes(bytes[..<comma])
      let rest = TextBytes(bytes[comma...].dropFirst())
      let isField = before.isWord && before.endsLike(Self.images)
      // Behind an image's extension, URLs go on with a folder or a parameter, if at all.
      let isText =
        rest.contains("://")
        || rest.bytes.allSatisfy { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }
        || rest.bytes.contains(UInt8(ascii: " "))
      if isField && isText || rest.bytes.contains(UInt8(ascii: "\"")) { return .table }
    }
    guard let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    if TextBytes(bytes[space...]).trimmed.schemeEnd != nil { return .several }
    let first = TextBytes(bytes[..<space])
    return first.isWord && first.endsLike(Self.images) && !endsLike(Self.images) ? .prose : nil
  }

  /// True if the text has neither blanks nor a query.
  private var isWord: Bool { bytes.allSatisfy { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "?") } }

  /// A language of files, by its marks.
  private var markup: TextKind? {
    guard let first = bytes.first else { return nil }
    if first == UInt8(ascii: "["), isAddressInBrackets { return nil }
    if contains("](") || begins("```") || begins("- ") || begins("* ") || begins("+ ") || begins("> ") || begins("|")
      || begins("---") || begins("===")
    {
      return .markdown
    }
    if contains("\":") || contains("\" :") || "{}[]".utf8.contains(first) { return .json }
    if first == UInt8(ascii: "<") || contains("</") || contains("/>") || contains("=\"")
      || first == UInt8(ascii: "&") || bytes.contains(UInt8(ascii: "<"))
    {
      return .html
    }
    if begins("//"), contains(" ") { return .style }
    if begins("/*") || begins("*/") || contains("url(") || host.bytes.contains(UInt8(ascii: "{")) { return .style }
    return nil
  }

  /// A text with a URL inside, but not at its beginning.
  private var foreign: TextKind { isRow ? .table : .prose }

  /// True if the text has commas, semicolons or TABs where a URL has none.
  private var isRow: Bool {
    host.bytes.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\t") }
      && !contains(", ")
  }

  /// Text without a scheme and without blanks: a host, if it can be one.
  private var otherAddress: TextKind? {
    if isPath { return .file }
    if begins("//") { return TextBytes(bytes.dropFirst(2)).otherHost(hasSlash: true) }
    let authority = host
    let hasSlash = authority.bytes.endIndex < bytes.endIndex && bytes[authority.bytes.endIndex] == UInt8(ascii: "/")
    if isRow { return .table }
    if !hasSlash, bytes.contains(UInt8(ascii: "@")) { return .mail }
    // `data:` and its kin are told by their schemes.
    if hasOtherScheme, !authority.bytes.contains(UInt8(ascii: "@")) { return nil }
    return otherHost(hasSlash: hasSlash)
  }

  private func otherHost(hasSlash: Bool) -> TextKind? {
    let authority = host
    let name = authority.withoutUserAndPort
    if name.bytes.first == UInt8(ascii: "[") { return nil }
    if name.isNumber { return .number }
    if !name.hasInnerDot {
      if !hasSlash { return .word }
      // `file:/etc` has no port.
      if authority.bytes.last == UInt8(ascii: ":"), !name.isWebScheme { return .file }
    }
    if !hasSlash, authority.bytes.endIndex == bytes.endIndex, endsLike(Self.files) { return .file }
    if !name.isOfName { return .prose }
    // Before a slash it may be a machine's name.
    return !hasSlash && name.endsInNoDomain ? .abbreviation : nil
  }

  /// True if the text can only be the name of a file.
  private var isPath: Bool {
    if begins("./") || begins("../") || begins("~") || begins("\\") { return true }
    if begins("/"), !begins("//") { return true }
    guard bytes.count > 2, begins(where: Self.isLetter) else { return false }
    let second = bytes[bytes.startIndex + 1]
    let third = bytes[bytes.startIndex + 2]
    return second == UInt8(ascii: ":") && (third == UInt8(ascii: "\\") || third == UInt8(ascii: "/"))
  }

  /// True if the text could also be the name of a file: a host without a dot, before a slash.
  var mayBeLocal: Bool { schemeEnd == nil && !begins("//") && !host.bytes.contains(UInt8(ascii: ".")) }

  // MARK: - Its parts

  /// The end of `://` after a scheme at the beginning.
  var schemeEnd: Int? {
    guard begins(where: Self.isLetter), let colon = bytes.firstIndex(where: { !Self.isOfScheme($0) }),
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    return colon + 3
  }

  /// True of `http:///a.png` and `///a.png`, as a script makes them whose variable is empty. In a link of a page a
  /// browser takes the first part of the path as the host. A user did not mean a host of that name.
  var hasEmptyHost: Bool {
    if begins("///") { return true }
    guard let end = schemeEnd, end < bytes.endIndex, bytes[end] == UInt8(ascii: "/") else { return false }
    let scheme = bytes[..<(end - 3)].map { $0 | 0x20 }
    return scheme == Array("http".utf8) || scheme == Array("https".utf8)
  }

  /// True if the text begins with a scheme without slashes: a word and a colon that no port follows.
  private var hasOtherScheme: Bool {
    guard begins(where: Self.isLetter), let colon = bytes.firstIndex(where: { !Self.isOfScheme($0) }),
      bytes[colon] == UInt8(ascii: ":"), colon + 1 < bytes.endIndex
    else { return false }
    let next = bytes[colon + 1]
    return !(0x30...0x39).contains(next) && next != UInt8(ascii: "/")
  }

  /// The part before the path.
  var host: TextBytes {
    TextBytes(bytes.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
  }

  private var withoutUserAndPort: TextBytes {
    var rest = bytes
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
    if rest.first == UInt8(ascii: "[") { return TextBytes(rest) }
    return TextBytes(rest.prefix { $0 != UInt8(ascii: ":") })
  }

  private var isAddressInBrackets: Bool {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
    let inside = bytes[..<end].dropFirst()
    return inside.contains(UInt8(ascii: ":"))
      && inside.allSatisfy { Hex.value($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
  }

  /// True if there is a dot between two other bytes.
  var hasInnerDot: Bool { bytes.dropFirst().dropLast().contains(UInt8(ascii: ".")) }

  /// True if a name, an address, a user and a port may be made of these bytes.
  var isOfName: Bool {
    bytes.allSatisfy { byte in
      Self.isLetter(byte) || (0x30...0x39).contains(byte) || byte >= 0x80 || "-_.:@[]%".utf8.contains(byte)
    }
  }

  /// True if the last label is digits, and the text is no address of four numbers.
  private var isNumber: Bool {
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let last = labels.last(where: { !$0.isEmpty }) else { return false }
    guard last.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return labels.count != 4 || !labels.allSatisfy { (1...3).contains($0.count) }
  }

  /// True if the last label is a single letter, as in `e.g.`, or has a digit, as in `v2.0b`: no domain's name is like
  /// that.
  private var endsInNoDomain: Bool {
    let labels = bytes.split(separator: UInt8(ascii: "."))
    guard labels.count > 1, let last = labels.last else { return false }
    if last.allSatisfy({ (0x30...0x39).contains($0) }) { return false }
    if last.count == 1 { return true }
    return last.contains { (0x30...0x39).contains($0) } && !last.starts(with: "xn--".utf8)
  }

  private var isWebScheme: Bool {
    let name = bytes.map(Self.lower)
    return name.elementsEqual("http".utf8) || name.elementsEqual("https".utf8)
  }

  func endsLike(_ extensions: Set<String>) -> Bool {
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), bytes.endIndex - dot <= 8 else { return false }
    return extensions.contains(String(decoding: bytes[(dot + 1)...].map(Self.lower), as: UTF8.self))
  }

  private func begins(_ start: String) -> Bool { bytes.starts(with: start.utf8) }

  private func begins(where matches: (UInt8) -> Bool) -> Bool { bytes.first.map(matches) ?? false }

  private func contains(_ part: String) -> Bool {
    guard let first = part.utf8.first else { return true }
    var rest = bytes
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: part.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }

  // MARK: - Bytes

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
  private static func isOfScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
  }

  private static let images = Set(
    ImageFormat.allCases.flatMap(\.acceptedExtensions) + [
      "svgz", "tga", "psd", "cur", "jp2", "pcx", "raw", "dng", "nef",
    ])

  /// Images, pages and lists.
  private static let files = images.union([
    "html", "htm", "xhtml", "xml", "php", "asp", "aspx", "jsp", "css", "js", "mjs", "ts", "json", "jsonl", "ndjson",
    "csv",
    "tsv", "txt", "text", "list", "lst", "urls", "md", "rst", "log", "conf", "yaml", "yml", "toml", "pdf", "gz", "zip",
    "tar",
    "tgz", "parquet", "xlsx", "xls", "ods", "doc", "docx", "swift", "mp4", "mov",
  ])
}
