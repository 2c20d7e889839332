/// Draws the plots of the page as SVG, with a title and a sentence for those who do not see them.
struct Plots {
  /// Writes a cell as a person reads it.
  let format: (ReportTable.Cell) -> String

  static let colours = ["a", "b", "c", "d", "e"]

  private static func coordinate(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  private static func bar(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ colour: String) -> String {
    "<rect class=\"\(colour)\" x=\"\(coordinate(x))\" y=\"\(coordinate(y))\" width=\"\(coordinate(max(width, 0.1)))\" "
      + "height=\"\(coordinate(max(height, 0)))\"/>"
  }

  private static func begin(
    _ writer: inout PageWriter, _ id: String, _ height: Int, _ title: String, _ description: String
  ) {
    writer.raw(
      "<svg viewBox=\"0 0 720 \(height)\" role=\"img\" id=\"\(id)\"\(id == "p-hosts" ? "" : " class=\"flowing\"") aria-label=\""
    )
    writer.text("\(title). \(description)")
    writer.raw("\"><title>")
    writer.text(title)
    writer.raw("</title>")
  }

  private static func label(
    _ writer: inout PageWriter, _ x: Double, _ y: Double, _ text: String, _ anchor: String = "start"
  ) {
    writer.raw("<text x=\"\(coordinate(x))\" y=\"\(coordinate(y))\" text-anchor=\"\(anchor)\">")
    writer.text(text)
    writer.raw("</text>")
  }

  /// The names of the colours.
  static func key(_ writer: inout PageWriter, _ names: [(name: String, colour: String)]) {
    writer.raw("<ul class=\"key\">")
    for (name, colour) in names {
      writer.raw(
        "<li><svg width=\"12\" height=\"12\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"\(colour)\" width=\"12\" height=\"12\"/></svg>"
      )
      writer.text(name)
      writer.raw("</li>")
    }
    writer.raw("</ul>\n")
  }

  /// Images, failures and bytes over time.
  func timeline(_ timeline: Timeline, _ writer: inout PageWriter, time: (Int64) -> String) {
    let spans = timeline.spans
    guard spans.count > 1 else { return }
    let most = Double(spans.map { $0.images + $0.failed }.max() ?? 1)
    let step = 640.0 / Double(spans.count)
    let span = format(.milliseconds(Double(timeline.width) * 1_000))
    Self.begin(
      &writer, "p-time", 190, "Images and failures over time",
      "Spans of \(span) from \(time(timeline.start)) to \(time(timeline.end)); at most \(format(.count(Int(most)))) images in one."
    )
    for (place, span) in spans.enumerated() where span.images + span.failed > 0 {
      let x = 60 + Double(place) * step
      let (images, failed) = (Double(span.images) / most * 128, Double(span.failed) / most * 128)
      if span.images > 0 { writer.raw(Self.bar(x, 150 - images, step * 0.9, images, "a")) }
      if span.failed > 0 { writer.raw(Self.bar(x, 150 - images - failed, step * 0.9, failed, "bad")) }
    }
    Self.frame(&writer, top: format(.count(Int(most))), start: time(timeline.start), end: time(timeline.end))
    Self.key(&writer, [("images", "a"), ("failed", "bad")])
    let rates = spans.map { Double($0.bytes) / Double(timeline.width) }
    guard let fastest = rates.max(), fastest > 0 else { return }
    let top = "\(format(.bytes(Int64(min(fastest, 1e18)))))/s"
    Self.begin(
      &writer, "p-rate", 190, "Bytes a second over time",
      "From \(time(timeline.start)) to \(time(timeline.end)); at most \(top).")
    let points = rates.enumerated().map { place, rate in
      "\(Self.coordinate(60 + (Double(place) + 0.5) * step)),\(Self.coordinate(150 - rate / fastest * 128))"
    }
    writer.raw("<polyline class=\"flow\" points=\"\(points.joined(separator: " "))\"/>")
    Self.frame(&writer, top: top, start: time(timeline.start), end: time(timeline.end))
  }

  private static func frame(_ writer: inout PageWriter, top: String, start: String, end: String) {
    writer.raw("<line class=\"axis\" x1=\"60\" y1=\"150\" x2=\"700\" y2=\"150\"/>")
    label(&writer, 60, 14, top)
    label(&writer, 54, 154, "0", "end")
    label(&writer, 60, 172, start)
    label(&writer, 700, 172, end, "end")
    writer.raw("</svg>\n")
  }

  /// Images by the powers of two of their bytes, each format in a colour.
  func sizes(_ formats: [(word: String, value: ReportTally.Format)], _ writer: inout PageWriter) {
    let shown = formats.prefix(Self.colours.count)
    let totals = (0..<40).map { place in shown.reduce(0) { $0 + $1.value.bySize[place] } }
    guard let first = totals.firstIndex(where: { $0 > 0 }), let last = totals.lastIndex(where: { $0 > 0 }),
      let most = totals.max()
    else { return }
    let step = 640.0 / Double(last - first + 1)
    Self.begin(
      &writer, "p-size", 190, "Images by size and format",
      "Sizes by powers of two, from \(format(.bytes(1 << Int64(first)))) to \(format(.bytes(2 << Int64(last)))); at most \(format(.count(most))) images in one."
    )
    for place in first...last {
      var top = 150.0
      for (colour, entry) in zip(Self.colours, shown) where entry.value.bySize[place] > 0 {
        let height = Double(entry.value.bySize[place]) / Double(most) * 128
        top -= height
        writer.raw(Self.bar(60 + Double(place - first) * step, top, step * 0.9, height, colour))
      }
      if (place - first).isMultiple(of: max(1, (last - first + 6) / 6)) {
        Self.label(&writer, 60 + Double(place - first) * step, 172, format(.bytes(1 << Int64(place))))
      }
    }
    writer.raw("<line class=\"axis\" x1=\"60\" y1=\"150\" x2=\"700\" y2=\"150\"/>")
    Self.label(&writer, 60, 14, format(.count(most)))
    Self.label(&writer, 54, 154, "0", "end")
    writer.raw("</svg>\n")
    Self.key(&writer, zip(shown.map(\.word), Self.colours).map { ($0, $1) })
  }

  /// The median times of the hosts with the most images.
  func times(_ hosts: [HostTable.Host], _ writer: inout PageWriter) {
    let shown = hosts.compactMap { host in host.median.map { (host.name, $0) } }.prefix(15)
    guard let most = shown.map(\.1).max(), most > 0 else { return }
    Self.begin(
      &writer, "p-hosts", shown.count * 22 + 8, "Median times by host",
      shown.prefix(3).map { "\(PageWriter.shortened($0.0, to: 40)) \(format(.milliseconds($0.1)))" }.joined(
        separator: ", "))
    for (place, (name, median)) in shown.enumerated() {
      let y = Double(place * 22 + 4)
      Self.label(&writer, 236, y + 13, format(.text(PageWriter.shortened(name, to: 34))), "end")
      writer.raw(Self.bar(244, y, median / most * 380, 16, "a"))
      Self.label(&writer, 250 + median / most * 380, y + 13, format(.milliseconds(median)))
    }
    writer.raw("</svg>\n")
  }

  /// One bar, divided.
  func shares(
    _ id: String, _ title: String, _ parts: [(name: String, count: Int, colour: String)], _ writer: inout PageWriter
  ) {
    let total = parts.reduce(0) { $0 + $1.count }
    guard total > 0 else { return }
    let names = parts.map {
      "\($0.name): \(format(.count($0.count))), \(format(.share(Double($0.count) / Double(total))))"
    }
    Self.begin(&writer, id, 28, title, names.joined(separator: "; "))
    var x = 0.0
    for part in parts where part.count > 0 {
      let width = Double(part.count) / Double(total) * 720
      writer.raw(Self.bar(x, 2, width, 24, part.colour))
      x += width
    }
    writer.raw("</svg>\n")
    Self.key(&writer, zip(names, parts).map { ($0, $1.colour) })
  }
}
