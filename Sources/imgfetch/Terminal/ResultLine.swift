import ImgfetchCore

/// Writes results as lines of fields between TABs, for programs:
/// `cache  mime  WxH  bytes  milliseconds  output  url`, and `-` where there is none.
enum ResultLine {
  private static let tab = UInt8(ascii: "\t")
  private static let none = UInt8(ascii: "-")

  static func append(_ row: ReportRow, to buffer: inout [UInt8]) {
    let result = row.result
    append(cache: result, to: &buffer)
    buffer.append(tab)
    if let mime = result.mime { Harmless.append(mime, to: &buffer, for: .program) } else { buffer.append(none) }
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
    // Whole milliseconds: a shell's arithmetic knows no decimals.
    let time = result.elapsedMilliseconds
    buffer.append(number: Int64(time.isFinite ? min(max(time, 0), 1e15).rounded() : 0))
    buffer.append(tab)
    if let output = result.output { Harmless.append(path: output, to: &buffer) } else { buffer.append(none) }
    buffer.append(tab)
    if result.url.isEmpty { buffer.append(none) } else { Harmless.append(result.url, to: &buffer, for: .program) }
    buffer.append(UInt8(ascii: "\n"))
  }

  /// The cache's name with its marks, or `failed`, or `-` where nothing was asked for.
  static func append(cache result: FetchResult, to buffer: inout [UInt8]) {
    if result.error != nil { return buffer.append(text: "failed") }
    guard let cache = result.cache else { return buffer.append(none) }
    buffer.append(text: cache.rawValue)
    if result.isStale { buffer.append(UInt8(ascii: "!")) }
    if result.isRevalidated { buffer.append(UInt8(ascii: "=")) }
    if result.isShared { buffer.append(UInt8(ascii: "+")) }
  }
}
