import ImgfetchCore

/// Draws a snapshot: one bar for each download and one for the whole run. A pure function.
struct ProgressScreen: Sendable {
  /// The window's width in cells.
  var columns: Int
  /// The maximum number of lines.
  var rows: Int
  var style: Style
  var isUnicode: Bool

  /// Lines of at most `columns` cells; none if the window is too narrow.
  func lines(_ snapshot: ProgressSnapshot) -> [String] {
    guard columns >= 8, rows >= 1 else { return [] }
    var lines: [String] = []
    let room = rows - 1
    let isCrowded = snapshot.flights.count > room
    let shown = isCrowded ? max(0, room - 1) : snapshot.flights.count
    let flights = snapshot.flights.prefix(shown)
    for (flight, name) in zip(flights, Self.names(of: flights)) { lines.append(line(of: flight, name)) }
    if isCrowded && room > 0 {
      let more = "\(shown > 0 ? "and " : "")\(snapshot.flights.count - shown)\(shown > 0 ? " more" : "") under way"
      lines.append(style.text(Cells.shortened(more, to: columns, isUnicode: isUnicode), .faint))
    }
    lines.append(line(ofWhole: snapshot))
    return lines
  }

  /// `name  ━━━━━╸────  45%  1.2 MB / 2.6 MB  340 KB/s`. Parts that do not fit are dropped, from the right.
  private func line(of flight: ProgressSnapshot.Flight, _ name: String) -> String {
    let hasSpeed = columns >= Self.leastForSpeed
    let pace = Self.pace(of: flight)
    let percent = flight.fraction.map { "\(Int(($0 * 100).rounded(.down)))%" } ?? "?"
    let amount: String
    if let note = flight.note {
      amount = note
    } else if !hasSpeed, flight.isSilent {
      amount = pace
    } else if let total = flight.total {
      amount = "\(Amount.size(flight.received)) / \(Amount.size(total))"
    } else {
      amount = Amount.size(flight.received)
    }
    if columns < Self.leastForBar {
      let width = columns - 6
      return Cells.padded(Cells.shortened(name, to: width, isUnicode: isUnicode), to: width)
        + "  " + Cells.rightAligned(percent, in: 4)
    }
    let hasAmount = columns >= Self.leastForAmount
    // A third of the width for the name, up to what the longest names need.
    let nameWidth = min(columns / 3, 48)
    let amountWidth = (hasAmount ? 2 + Self.amountWidth : 0) + (hasSpeed ? 2 + Self.speedWidth : 0)
    let bar = bar.text(flight.fraction, width: columns - nameWidth - 2 - 6 - amountWidth, tone: .cached)
    let line =
      Cells.padded(Cells.shortened(name, to: nameWidth, isUnicode: isUnicode), to: nameWidth)
      + "  \(bar)  \(Cells.rightAligned(percent, in: 4))"
    guard hasAmount else { return line }
    return line + "  " + cell(amount, Self.amountWidth)
      + (hasSpeed ? "  " + cell(flight.note == nil ? pace : "", Self.speedWidth) : "")
  }

  private func cell(_ text: String, _ width: Int) -> String {
    Cells.rightAligned(Cells.shortened(text, to: width, isUnicode: isUnicode), in: width)
  }

  /// The speed of a download, or the time for which nothing has come; empty before there is either.
  private static func pace(of flight: ProgressSnapshot.Flight) -> String {
    if flight.isSilent { return "silent " + Amount.clock(seconds: flight.silentSeconds.rounded(.down)) }
    return flight.speed > 0 ? Amount.speed(flight.speed) : ""
  }

  /// The names of flights. Equal names get their hosts.
  private static func names(of flights: ArraySlice<ProgressSnapshot.Flight>) -> [String] {
    let names = flights.map { name(of: $0.url) }
    var counts: [String: Int] = [:]
    for name in names { counts[name, default: 0] += 1 }
    return zip(flights, names).map { flight, name in
      guard counts[name, default: 0] > 1, let host = host(of: flight.url) else { return name }
      return "\(host)/\(name)"
    }
  }

  private static func host(of url: String) -> String? {
    do throws(URLFailure) { return SafeText.text(try WebURL(url).origin.hostAndPort) } catch { return nil }
  }

  /// `12 of 2,200  ━━━╸─────  34 MB  2.1 MB/s  3m05s left  2 failed`. Parts that do not fit are dropped, the least
  /// important first.
  private func line(ofWhole snapshot: ProgressSnapshot) -> String {
    let done = Amount.grouped(snapshot.done)
    let count = "\(done) of \(snapshot.total.map(Amount.grouped) ?? "?")"
    // In the order of display, each with its importance.
    var parts: [(text: String, worth: Int, tone: Style.Tone?)] = [(count, 5, .strong)]
    if snapshot.shards > 0 { parts.append((Amount.count(snapshot.shards, "shard"), 4, nil)) }
    let whole = snapshot.expectedBytes.map { " / " + Amount.size($0) } ?? ""
    parts.append((Amount.size(snapshot.bytes) + whole, 1, nil))
    parts.append((Amount.speed(snapshot.speed), 2, nil))
    if let left = snapshot.secondsLeft { parts.append((Amount.clock(seconds: left) + " left", 3, nil)) }
    if snapshot.failed > 0 { parts.append(("\(Amount.grouped(snapshot.failed)) failed", 4, .bad)) }
    if !snapshot.unanswering.isEmpty { parts.append((snapshot.unanswering.count, 0, .bad)) }
    func width() -> Int { parts.reduce(-2) { $0 + 2 + Cells.width($1.text) } }
    while parts.count > 1, width() > columns {
      guard let least = parts.indices.min(by: { parts[$0].worth < parts[$1].worth }) else { break }
      parts.remove(at: least)
    }
    var texts = parts.map { part in
      let text = Cells.shortened(part.text, to: columns, isUnicode: isUnicode)
      return part.tone.map { style.text(text, $0) } ?? text
    }
    let room = columns - width() - 2
    if let total = snapshot.total, total > 1, room >= Self.leastBar {
      texts.insert(bar.text(Double(snapshot.done) / Double(total), width: min(room, 40), tone: .good), at: 1)
    }
    return texts.joined(separator: "  ")
  }

  private var bar: Bar { Bar(isUnicode: isUnicode, style: style) }

  /// The name that identifies an image: the last segment of the URL, formatted like the file name made from it.
  private static func name(of url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/").last.map { SafeName.component(escaped: $0) } ?? ""
    return name.isEmpty ? SafeText.text(url) : name
  }

  /// The narrowest windows in which a bar, amounts and the speed leave room for the name.
  private static let leastForBar = 34
  private static let leastForAmount = 60
  private static let leastForSpeed = 78
  /// `999 KB / 999 KB`.
  private static let amountWidth = 15
  /// `silent 2m05s`.
  private static let speedWidth = 12
  private static let leastBar = 6
}

extension ProgressSnapshot.Flight {
  /// True if nothing has come for so long that a person asks.
  fileprivate var isSilent: Bool { silentSeconds >= 3 }
}

/// A progress bar of a given width.
struct Bar: Sendable {
  let isUnicode: Bool
  let style: Style

  func text(_ fraction: Double?, width: Int, tone: Style.Tone) -> String {
    guard width > 0 else { return "" }
    guard let fraction, fraction.isFinite else {
      // The total is unknown.
      return style.text(String(repeating: isUnicode ? "╌" : ".", count: width), .faint)
    }
    // Half cells need Unicode.
    let halves = Int((min(max(fraction, 0), 1) * Double(2 * width)).rounded(.down))
    let full = halves / 2
    let half = isUnicode && halves % 2 == 1 ? 1 : 0
    let done = String(repeating: isUnicode ? "━" : "#", count: full) + (half == 1 ? "╸" : "")
    let open = String(repeating: isUnicode ? "─" : "-", count: width - full - half)
    return style.text(done, tone) + style.text(open, .faint)
  }
}

/// Progress as text for logs and screen readers, and as JSON for programs.
enum ProgressText {
  /// `120 of 2,200 images, 34 MB, 2.1 MB/s, 3m05s left, 2 failed, 6 under way`.
  static func plain(_ snapshot: ProgressSnapshot) -> String {
    var parts = [
      snapshot.total.map { "\(Amount.grouped(snapshot.done)) of \(Amount.count($0, "image"))" }
        ?? "\(Amount.count(snapshot.done, "image")) so far",
      Amount.size(snapshot.bytes),
      Amount.speed(snapshot.speed),
    ]
    if snapshot.shards > 0 { parts.insert(Amount.count(snapshot.shards, "shard"), at: 1) }
    if let left = snapshot.secondsLeft { parts.append("\(Amount.clock(seconds: left)) left") }
    if snapshot.failed > 0 { parts.append("\(Amount.grouped(snapshot.failed)) failed") }
    if !snapshot.unanswering.isEmpty { parts.append(snapshot.unanswering.count) }
    parts.append("\(snapshot.flights.count) under way")
    return parts.joined(separator: ", ")
  }

  /// Appends the snapshot as a JSON object, with null for unknown values:
  ///
  ///     {"progress":{"done","failed","total","bytes","bytes_per_second","seconds_left",
  ///       "flights":[{"url","received","total"}…]}}
  ///
  /// In a run that makes a data set, `"shards"` follows `"failed"` from the first shard on.
  static func appendJSON(_ snapshot: ProgressSnapshot, to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { line in
      line.object("progress") { object in
        object.number("done", snapshot.done)
        object.number("failed", snapshot.failed)
        if snapshot.shards > 0 { object.number("shards", snapshot.shards) }
        object.number("total", snapshot.total)
        object.number("bytes", snapshot.bytes)
        object.number("bytes_per_second", Amount.whole(snapshot.speed))
        object.number("seconds_left", snapshot.secondsLeft.map(Amount.whole))
        object.array("flights", snapshot.flights) {
          $0.text("url", $1.url)
          $0.number("received", $1.received)
          $0.number("total", $1.total)
        }
      }
    }
  }
}
