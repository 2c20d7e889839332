import ImgfetchCore

/// A report as one page that needs nothing from outside and no scripts, of at most 2 MB.
package struct Page {
  /// The things that the page takes from its surroundings.
  package struct Surroundings {
    /// Writes a cell as a person reads it; what is invisible or turns text around is left out.
    package var format: (ReportTable.Cell) -> String
    package var time: (Int64) -> String
    /// The SHA-256 of the style in base64, by which the policy allows it.
    package var styleHash: String
    package var sentence: String
    package var times: String
    package var version: String
    /// Makes a picture from the image's file, or nil if it has to do with the thumbhash.
    package var picture: (Sample) -> Picture?

    package init(
      format: @escaping (ReportTable.Cell) -> String, time: @escaping (Int64) -> String, styleHash: String,
      sentence: String, times: String, version: String, picture: @escaping (Sample) -> Picture?
    ) {
      (self.format, self.time, self.styleHash) = (format, time, styleHash)
      (self.sentence, self.times, self.version, self.picture) = (sentence, times, version, picture)
    }
  }

  package struct Picture {
    package var mime: String
    package var bytes: [UInt8]

    package init(mime: String, bytes: [UInt8]) { (self.mime, self.bytes) = (mime, bytes) }
  }

  /// The page with its pictures stays below 2 MB: beyond this there are no more pictures.
  private static let mostWithPictures = 1_700_000

  private let findings: ReportFindings
  private let surroundings: Surroundings
  private let plots: Plots
  private var writer = PageWriter()
  private var leftOut = 0

  package static func bytes(_ findings: ReportFindings, _ surroundings: Surroundings) -> [UInt8] {
    var page = Page(findings, surroundings)
    page.write()
    return page.writer.bytes
  }

  private init(_ findings: ReportFindings, _ surroundings: Surroundings) {
    self.findings = findings
    self.surroundings = surroundings
    plots = Plots(format: surroundings.format)
  }

  private mutating func write() {
    let tables = ReportTables.all(findings, mostRows: 25)
    writer.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    writer.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-\(surroundings.styleHash)'; "
        + "img-src data:; base-uri 'none'; form-action 'none'\">\n")
    writer.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    writer.raw(
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
    writer.element("title", "imgfetch report: \(surroundings.sentence)")
    writer.raw(
      "\n<style>\(PageStyle.text)</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n")
    writer.raw("<header>\n<h1>imgfetch report</h1>\n")
    writer.element("p", "class=\"lead\"", surroundings.sentence)
    if !surroundings.times.isEmpty { writer.element("p", "class=\"note\"", surroundings.times) }
    let sheets = sheets()
    writer.raw("\n</header>\n<nav aria-label=\"Contents\">\n<ul>")
    for (id, title) in tables.map({ ($0.id, $0.title) }) + sheets.map({ ($0.id, $0.title) }) {
      writer.raw("<li><a href=\"#\(id)\">")
      writer.text(surroundings.format(.text(title)))
      writer.raw("</a></li>")
    }
    writer.raw("</ul>\n</nav>\n<main id=\"main\">\n")
    for table in tables { write(table) }
    for sheet in sheets { write(sheet) }
    writer.raw("</main>\n<footer>\n")
    var words = "Made by imgfetch \(surroundings.version). This page asks for nothing from outside. "
    words += "Random samples are the same each time for the same rows."
    if leftOut > 0 { words += " \(leftOut) pictures are left out, to stay within 2 MB." }
    writer.element("p", words)
    writer.raw("\n</footer>\n</body>\n</html>\n")
  }

  // MARK: Tables

  private mutating func write(_ table: ReportTable) {
    let title = surroundings.format(.text(table.title))
    writer.raw("<section id=\"\(table.id)\" aria-labelledby=\"h-\(table.id)\">\n")
    writer.element("h2", "id=\"h-\(table.id)\"", title)
    plot(table.id)
    writer.raw(
      "\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"h-\(table.id)\">\n<table>\n<thead><tr>")
    for column in table.columns {
      writer.element("th", column.isNumber ? "scope=\"col\" class=\"n\"" : "scope=\"col\"", column.name)
    }
    writer.raw("</tr></thead>\n<tbody>\n")
    for row in table.rows {
      writer.raw("<tr>")
      for (place, cell) in row.enumerated() {
        let name = place == 0 && !table.columns[place].isNumber ? "th" : "td"
        let attributes = table.columns[place].isNumber ? "class=\"n\"" : name == "th" ? "scope=\"row\"" : ""
        writer.raw("<\(name)\(attributes.isEmpty ? "" : " ")\(attributes)>")
        writeApart(PageWriter.shortened(surroundings.format(cell), to: 300))
        writer.raw("</\(name)>")
      }
      writer.raw("</tr>\n")
    }
    writer.raw("</tbody>\n</table>\n</div>\n")
    if !table.note.isEmpty { writer.element("p", "class=\"note\"", table.note) }
    if table.id == "duplicates" { writeGroups() }
    writer.raw("</section>\n")
  }

  /// The parts of all lines, so that shares are those of the table. Rows of shards do not tell of caches.
  private static func outcomes(_ tally: ReportTally) -> [(name: String, count: Int, colour: String)] {
    var parts = zip(tally.caches.sorted { $0 }, Plots.colours.dropLast()).map {
      (name: $0.word == "none" ? "downloaded" : $0.word, count: $0.value, colour: $1)
    }
    let others = tally.images - parts.reduce(0) { $0 + $1.count }
    if others > 0 {
      let name =
        tally.listed == others ? "listed, not fetched" : tally.listed == 0 ? "had, from where is not told" : "others"
      parts.append((name, others, Plots.colours.last ?? ""))
    }
    return parts + [(name: "failed", count: tally.failed, colour: "bad")]
  }

  private mutating func plot(_ id: String) {
    let tally = findings.tally
    writer.raw("\n")
    switch id {
    case "outcomes":
      plots.shares("p-caches", "Caches and failures", Self.outcomes(tally), &writer)
      plots.timeline(tally.timeline, &writer, time: surroundings.time)
    case "formats": plots.sizes(tally.formats.sorted { $0.count }, &writer)
    case "times": plots.times(tally.hosts.largest(most: 15), &writer)
    default: break
    }
  }

  // MARK: Contact sheets

  private struct Sheet {
    let id: String
    let title: String
    let note: String
    let samples: [Sample]
  }

  private static let choice = "If there are more, these are a random choice of them."

  private func sheets() -> [Sheet] {
    let tally = findings.tally
    let all = [
      Sheet(id: "s-largest", title: "The largest images", note: "", samples: tally.largest.samples),
      Sheet(id: "s-smallest", title: "The smallest images", note: "", samples: tally.smallest.samples),
      Sheet(id: "s-slowest", title: "The slowest images", note: "", samples: tally.slowest.samples),
      Sheet(
        id: "s-unfit", title: "What failed its checks", note: Self.choice,
        samples: tally.unfit.samples),
      Sheet(
        id: "s-any", title: "A sample of all images", note: Self.choice,
        samples: tally.any.samples),
    ]
    return all.filter { !$0.samples.isEmpty }
  }

  private mutating func write(_ sheet: Sheet) {
    writer.raw("<section id=\"\(sheet.id)\" aria-labelledby=\"h-\(sheet.id)\">\n")
    writer.element("h2", "id=\"h-\(sheet.id)\"", sheet.title)
    if !sheet.note.isEmpty { writer.element("p", "class=\"note\"", sheet.note) }
    write(sheet.samples)
    writer.raw("</section>\n")
  }

  private mutating func writeGroups() {
    for found in findings.duplicates {
      for (place, group) in found.shown.enumerated() {
        writer.element("h3", "The same by \(found.rule.text), group \(place + 1)")
        write(group)
      }
    }
  }

  private mutating func write(_ samples: [Sample]) {
    writer.raw("\n<ul class=\"sheet\">\n")
    for sample in samples {
      writer.raw("<li><figure><div class=\"frame\">")
      write(pictureOf: sample)
      writer.raw("</div><figcaption>")
      writeAddress(sample)
      writer.raw("<br>")
      writer.text(facts(sample))
      writer.raw("</figcaption></figure></li>\n")
    }
    writer.raw("</ul>\n")
  }

  private mutating func write(pictureOf sample: Sample) {
    guard let picture = picture(sample) else { return writer.raw("no picture") }
    let text = Base64.bytes(picture.bytes)
    guard writer.bytes.count + text.count < Self.mostWithPictures else {
      leftOut += 1
      return writer.raw("left out")
    }
    let name = surroundings.format(.text(PageWriter.shortened(Self.name(sample.url), to: 60)))
    writer.raw("<img alt=\"\(PageWriter.escaped("Picture of \(name)"))\" src=\"data:\(picture.mime);base64,")
    writer.raw(text)
    writer.raw("\">")
  }

  private func picture(_ sample: Sample) -> Picture? {
    if sample.cause.isEmpty, let picture = surroundings.picture(sample) { return picture }
    return ThumbHashPicture(sample.thumbhash).map { Picture(mime: "image/png", bytes: TinyPNG.bytes($0)) }
  }

  /// The last part of an address.
  private static func name(_ url: String) -> String {
    let end = url.utf8.lastIndex(of: UInt8(ascii: "/")).map { url.utf8.index(after: $0) } ?? url.startIndex
    return String(url[end...])
  }

  /// The address, as a link where it is one of the web and whole.
  private mutating func writeAddress(_ sample: Sample) {
    let shown = PageWriter.shortened(surroundings.format(.text(sample.url)), to: 80)
    let isOfWeb = sample.url.utf8.starts(with: "https://".utf8) || sample.url.utf8.starts(with: "http://".utf8)
    guard isOfWeb, sample.url.utf8.count <= 500, surroundings.format(.text(sample.url)) == sample.url else {
      return writeApart(shown)
    }
    writer.raw("<bdi><a rel=\"noopener noreferrer\" href=\"\(PageWriter.escaped(sample.url))\">")
    writer.text(shown)
    writer.raw("</a></bdi>")
  }

  /// A text of strangers, whose direction does not reach beyond it. Checkers of HTML object to empty elements.
  private mutating func writeApart(_ text: String) {
    guard !text.isEmpty else { return }
    writer.element("bdi", text)
  }

  private func facts(_ sample: Sample) -> String {
    var facts: [String] = []
    if !sample.cause.isEmpty { facts.append(surroundings.format(.text(sample.cause))) }
    if let width = sample.width, let height = sample.height { facts.append("\(width)\u{D7}\(height)") }
    if let bytes = sample.bytes { facts.append(surroundings.format(.bytes(bytes))) }
    if let elapsed = sample.elapsed { facts.append(surroundings.format(.milliseconds(elapsed))) }
    if !sample.format.isEmpty { facts.append(surroundings.format(.text(sample.format))) }
    if !sample.message.isEmpty {
      facts.append(PageWriter.shortened(surroundings.format(.text(sample.message)), to: 160))
    }
    return facts.joined(separator: ", ")
  }
}
