import ImgfetchCore
import ImgfetchReport

/// Writes a report for a person: tables in columns, cut to the window on a terminal.
struct ReportText {
  private let style: Style
  /// The most columns of a line; nil for any number.
  private let width: Int?
  private let printer: Printer

  init(_ settings: Settings, _ environment: Environment, _ printer: Printer) {
    style = Style(hasColour: Messages.hasColour(settings.messages.color, 1, environment))
    width = ProcessEnvironment.isTerminal(1) ? Window(1, environment).columns ?? 80 : nil
    self.printer = printer
  }

  func print(_ findings: ReportFindings) {
    printer.print(style.text(Self.sentence(findings.tally), .strong))
    if let times = Self.times(findings.tally) { printer.print(times) }
    for table in ReportTables.all(findings) {
      printer.print("")
      print(table)
    }
  }

  /// `1,000 lines: 950 images, 50 failed; 1.2 GB, of which 1.1 GB were downloaded`.
  static func sentence(_ tally: ReportTally) -> String {
    let parts = [
      Amount.count(tally.images, "image"), tally.failed > 0 ? "\(Amount.grouped(tally.failed)) failed" : nil,
    ]
    return "\(Amount.count(tally.rows, "line")): \(parts.compactMap(\.self).joined(separator: ", ")); "
      + "\(Amount.size(tally.bytes)), \(Amount.size(tally.downloaded)) downloaded"
  }

  /// `2026-11-26 16:48 to 16:55, 2 runs, of which 1 is not complete`, or nil if rows do not tell.
  static func times(_ tally: ReportTally) -> String? {
    guard let first = tally.firstTime, let last = tally.lastTime else { return nil }
    var text = ShownTime.local(WallTime(seconds: first))
    if last > first {
      text += " to \(ShownTime.local(WallTime(seconds: last)))"
      text += ", \(Amount.duration(milliseconds: Double(last - first) * 1_000))"
    }
    if tally.summaries > 1 { text += "; \(Amount.count(tally.summaries, "run"))" }
    if tally.incomplete > 0 {
      text += tally.summaries == 1 ? "; the run was not complete" : "; \(tally.incomplete) of the runs not complete"
    }
    if tally.unended > 0 {
      text += "; \(Amount.count(tally.unended, "run")) without a summary, broken off or still going on"
    }
    return text
  }

  private func print(_ table: ReportTable) {
    var cells = table.rows.map { $0.map(Self.text) }
    var widths = table.columns.indices.map { place in
      (cells.map { $0[place] } + [table.columns[place].name]).map(Cells.width).max() ?? 0
    }
    // Texts of strangers may be long.
    let most = width.map { max(16, $0 / 2) } ?? 400
    for place in widths.indices.dropLast() where widths[place] > min(most, 60) {
      widths[place] = min(most, 60)
      for row in cells.indices { cells[row][place] = Cells.shortened(cells[row][place], to: widths[place]) }
    }
    printer.print(style.text(table.title, .strong))
    printer.print(style.text(line(table.columns.map { $0.name.uppercased() }, table.columns, widths), .faint))
    for row in cells { printer.print(line(row, table.columns, widths)) }
    if !table.note.isEmpty { printer.print(style.text("  " + table.note, .faint)) }
  }

  private func line(_ cells: [String], _ columns: [ReportTable.Column], _ widths: [Int]) -> String {
    var text = " "
    for (place, cell) in cells.enumerated() {
      text += " "
      if columns[place].isNumber {
        text += Cells.rightAligned(cell, in: widths[place])
      } else if place == cells.count - 1 {
        text += width.map { Cells.shortened(cell, to: max(8, $0 - Cells.width(text))) } ?? cell
      } else {
        text += Cells.padded(cell, to: widths[place])
      }
      if place < cells.count - 1 { text += " " }
    }
    while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
    return text
  }

  /// A cell as a person reads it.
  static func text(_ cell: ReportTable.Cell) -> String {
    switch cell {
    case .text(let text): SafeText.text(text)
    case .count(let count): Amount.grouped(count)
    case .bytes(let bytes): Amount.size(bytes)
    case .milliseconds(let time): Amount.duration(milliseconds: time)
    case .share(let part): share(part)
    case .nothing: "-"
    }
  }

  /// `12.5 %`; what is there is never 0.
  static func share(_ part: Double) -> String {
    let tenths = Int((min(max(part, 0), 1) * 1_000).rounded())
    if tenths == 0 && part > 0 { return "<0.1 %" }
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
