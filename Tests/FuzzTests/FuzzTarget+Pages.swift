import ImgfetchPages

// Pages, feeds, maps, manifests and lists, as any server sends them.
extension FuzzTarget {
  static let pages = [
    FuzzTarget(
      "page",
      words: [
        "<img srcset=\"", " 2x, ", " 480w", "<picture><source media=", "<!--", "]]>", "</script>", "&amp;", "&#x3000;",
        "<base href=", "url(", "@import", "\\", "<media:content url=", "<image:loc>", "<!ENTITY a \"", "&a;", "![](",
        "\"@graph\":[", "\"url\":", "\"items\":[{\"body\":{\"service\":", "\u{FEFF}", "\u{0}", "[a]: <",
      ]
    ) { bytes in
      // The first byte chooses the ending of the name, and the length of the pieces.
      guard let first = bytes.first else { return }
      let text = Array(bytes.dropFirst())
      let ending = [nil, "html", "css", "md", "csv", "txt", "json", "xml"][Int(first & 7)]
      let whole = read(text, in: max(1, text.count), ending)
      let cut = read(text, in: 1 + Int(first >> 3), ending)
      try Fault.unless(whole.found == cut.found, "other images in pieces of \(1 + Int(first >> 3)) bytes")
      try Fault.unless(whole.fault == cut.fault, "another fault in pieces of \(1 + Int(first >> 3)) bytes")
    }
  ]

  private static func read(_ text: [UInt8], in length: Int, _ ending: String?) -> (
    found: [SourceFinding], fault: String?
  ) {
    var reader = SourceReader(ending: ending)
    var found: [SourceFinding] = []
    var place = 0
    while place < text.count {
      let end = min(place + length, text.count)
      reader.feed(text.span.extracting(place..<end))
      found += reader.takeFound()
      place = end
    }
    reader.finish()
    return (found + reader.takeFound(), reader.fault)
  }
}
