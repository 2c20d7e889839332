import ImgfetchCore

/// Writes results as TAB-separated fields for programs: `cache  mime  WxH  bytes  milliseconds  output  url`, with `-`
/// for a missing value.
enum ResultLine {
  private static let tab = UInt8(ascii: "\t")
  private static let none = UInt8(ascii: "-")

  static func append(_ row: ResultRow, to buffer: inout [UInt8]) {
    let result = row.result
    append(cache: result, to: &buffer)
    buffer.append(tab)
    if let error = result.error {
      buffer.append(text: error.kindAndStatus)
    } else if let mime = result.mime {
      SafeText.append(mime, to: &buffer, for: .program)
    } else {
      buffer.append(none)
    }
    buffer.append(tab)
    if let facts = result.facts {
      buffer.append(number: facts.width)
      buffer.append(UInt8(ascii: "x"))
      buffer.append(number: facts.height)
    } else {
      buffer.append(none)
    }
    buffer.append(tab)
    if let bytes = result.bytes { buffer.append(number: bytes) } else { buffer.append(none) }
    buffer.append(tab)
    // Whole milliseconds: a shell's arithmetic has no decimals.
    let time = result.elapsedMilliseconds
    buffer.append(number: Int64(time.isFinite ? min(max(time, 0), 1e15).rounded() : 0))
    buffer.append(tab)
    if let output = result.output { SafeText.append(path: output, to: &buffer) } else { buffer.append(none) }
    buffer.append(tab)
    if result.url.isEmpty { buffer.append(none) } else { SafeText.append(result.url, to: &buffer, for: .program) }
    if let end = result.freshUntil { buffer.append(text: "\tfresh until \(end.timestamp)") }
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Appends the cache type with its marks, or `failed`, or `-` if no request was made.
  static func append(cache result: FetchResult, to buffer: inout [UInt8]) {
    if result.error != nil { return buffer.append(text: "failed") }
    guard let cache = result.answerer else { return buffer.append(none) }
    buffer.append(text: cache.rawValue)
    if result.isStale { buffer.append(UInt8(ascii: "!")) }
    if result.isRevalidated { buffer.append(UInt8(ascii: "=")) }
    if result.isShared { buffer.append(UInt8(ascii: "+")) }
  }
}

/// Writes results for a terminal: aligned columns, perhaps coloured.
///
/// Lines are printed one by one, so columns have a width that nearly always suffices, and the URL at the end is
/// shortened to the rest.
struct ResultScreenLine: Sendable {
  private let style: Style
  /// The window's width; nil if unknown, and then nothing is shortened.
  private let columns: Int?

  init(style: Style, columns: Int?) {
    self.style = style
    self.columns = columns
  }

  /// `memory` and a mark; several marks are rare.
  private static let cacheWidth = 7

  func append(_ row: ResultRow, to buffer: inout [UInt8]) {
    let result = row.result
    var cache: [UInt8] = []
    ResultLine.append(cache: result, to: &cache)
    let first = Cells.padded(String(decoding: cache, as: UTF8.self), to: Self.cacheWidth)
    buffer.append(text: style.text(first, tone(of: result)))
    var used = Cells.width(first)
    if let error = result.error {
      // Never shortened: the reason is printed nowhere else.
      buffer.append(text: "  \(SafeText.text(error.message))\n")
      return
    }
    for column in facts(of: result) {
      buffer.append(text: "  \(column)")
      used += 2 + Cells.width(column)
    }
    if let output = result.output {
      let output = SafeText.text(output)
      buffer.append(text: "  \(style.text(output, .strong))")
      used += 2 + Cells.width(output)
    }
    if let end = result.freshUntil {
      let text = "fresh until \(end.timestamp)"
      buffer.append(text: "  \(text)")
      used += 2 + Cells.width(text)
    }
    append(url: SafeText.text(result.url), used: used, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Room for the name beside the columns: enough for most names.
  private static let nameRoom = 18

  /// Format, pixels, bytes and time. In a narrow window the least important are dropped, for all lines alike: wrapped
  /// lines are harder to read than short ones.
  private func facts(of result: FetchResult) -> [String] {
    let room = columns.map { $0 - Self.cacheWidth - Self.nameRoom } ?? .max
    let facts = result.facts
    var columns: [(text: String, worth: Int)] = [
      (Cells.padded(facts?.format.rawValue ?? "-", to: 4), 1),
      (Cells.rightAligned(facts.map { "\($0.width)x\($0.height)" } ?? "-", in: 9), 4),
      (Cells.rightAligned(result.bytes.map(Amount.size) ?? "-", in: 7), 3),
      (Cells.rightAligned(Amount.duration(milliseconds: result.elapsedMilliseconds), in: 7), 2),
    ]
    while columns.reduce(0, { $0 + 2 + Cells.width($1.text) }) > room,
      let least = columns.indices.min(by: { columns[$0].worth < columns[$1].worth })
    {
      columns.remove(at: least)
    }
    return columns.map(\.text)
  }

  /// A shorter URL would say nothing.
  private static let leastURL = 20

  private func append(url: String, used: Int, to buffer: inout [UInt8]) {
    var url = url
    if let columns {
      let room = columns - used - 2
      if room < Self.leastURL { return }
      url = Cells.shortened(url, to: room)
    }
    buffer.append(text: "  \(style.text(url, .faint))")
  }

  private func tone(of result: FetchResult) -> Style.Tone {
    if result.error != nil { return .bad }
    if result.isStale { return .warning }
    return result.answerer == CacheType.network ? .good : .cached
  }
}
