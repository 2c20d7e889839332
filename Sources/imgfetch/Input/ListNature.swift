/// The kind of a list by its first bytes, if it is none of those that are read. A pure value.
///
/// For a data set: each line of a Parquet file read as lines would be a row of the set, for good.
enum ListNature {
  /// The number of bytes at the beginning of a list that are examined.
  static let beginning = 512

  /// The reason why a list with these first bytes cannot have the stated format; nil if it may have it.
  static func objection(to bytes: [UInt8], as format: Choices.ListFormat) -> String? {
    if let name = ListSignature.of(bytes)?.name { return "it is \(name), and not \(words(format))" }
    if bytes.count >= 262, bytes[257..<262].elementsEqual("ustar".utf8) {
      return "it is a tar file, and not \(words(format))"
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = (bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]).drop { $0 <= 0x20 }
    let lower = text.prefix(16).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    if let name = beginnings.first(where: { lower.starts(with: $0.text.utf8) })?.name {
      return "it is \(name), and not \(words(format))"
    }
    if let reason = lineEnds(in: bytes, as: format) { return reason }
    // An address of version 6 is in brackets, too.
    let second = text.dropFirst().first { $0 > 0x20 }
    let isArray = text.first == UInt8(ascii: "[") && (second.map { "{[\"]".utf8.contains($0) } ?? true)
    let isJSON = text.first == UInt8(ascii: "{") || isArray
    switch format {
    case .lines:
      if isJSON { return "it is JSON, and not \(words(format)); --list-format jsonl reads one object a line" }
      return header(in: text).map { "it is a table whose first line names its columns; --list-format \($0) reads it" }
    case .csv, .tsv:
      return isJSON ? "it is JSON, and not \(words(format)); --list-format jsonl reads one object a line" : nil
    case .jsonl:
      if isArray { return "it is a JSON array, and not one object a line" }
      guard text.isEmpty || text.first == UInt8(ascii: "{") else {
        let hint = header(in: text).map { "; it looks like a table, which --list-format \($0) reads" } ?? ""
        return "it does not begin as \(words(format)) do\(hint)"
      }
      return nil
    }
  }

  /// The reason why the lines end in something else than the format says; nil if they may end as it says. All of such a
  /// list would be one line. ``ListTable`` refuses a table whose first line has a carriage return inside.
  private static func lineEnds(in bytes: [UInt8], as format: Choices.ListFormat) -> String? {
    var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    while line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.contains(0) {
      if TypedURL.isWide(line) { return "it is text in UTF-16; iconv -f UTF-16LE -t UTF-8 makes it UTF-8" }
      return format == .lines
        ? "its first line has NUL bytes; --null reads records that end in them"
        : "its first line has NUL bytes, as text in UTF-16 has, and it is not \(words(format))"
    }
    guard !format.hasHeader, line.contains(UInt8(ascii: "\r")) else { return nil }
    return "its first line has a carriage return inside; lines end in a line feed"
  }

  /// The format of a table whose first line has a field url; nil if the text begins no such table.
  private static func header(in text: ArraySlice<UInt8>) -> String? {
    let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    // A line that is a URL is none that names columns.
    if line.contains(UInt8(ascii: "/")) { return nil }
    for (separator, format) in [(UInt8(ascii: ","), "csv"), (UInt8(ascii: ";"), "csv"), (UInt8(ascii: "\t"), "tsv")] {
      let fields = line.split(separator: separator).map { field in
        field.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: " ") }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
      }
      if fields.contains(Array("url".utf8)) { return format }
    }
    return nil
  }

  private static func words(_ format: Choices.ListFormat) -> String {
    switch format {
    case .lines: "a list of lines"
    case .csv: "CSV"
    case .tsv: "a table with TABs"
    case .jsonl: "JSON Lines"
    }
  }

  private static let beginnings: [(text: String, name: String)] = [
    ("<!doctype", "a page of HTML"), ("<html", "a page of HTML"), ("<head", "a page of HTML"),
    ("<body", "a page of HTML"),
    ("<!--", "HTML or XML"), ("<?xml", "XML"), ("<rss", "a feed"), ("<feed", "a feed"), ("<urlset", "a site map"),
    ("<sitemapindex", "a site map"), ("<svg", "an image"),
  ]
}
