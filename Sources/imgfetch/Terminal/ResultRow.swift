import ImgfetchCore

/// One result with what reports add to it.
struct ResultRow: Sendable {
  var result: FetchResult
  var time: WallTime
  /// The line that requested it.
  var tag: LineTag
  /// The time from the start of the run to the request.
  var startedMilliseconds: Double
  /// The SHA-256 of the delivered bytes, with `--checksum`.
  var sha256: [UInt8]?

  init(
    _ result: FetchResult, at time: WallTime = WallTime(seconds: 0), tag: LineTag = LineTag(),
    startedMilliseconds: Double = 0, sha256: [UInt8]? = nil
  ) {
    self.result = result
    self.time = time
    self.tag = tag
    self.startedMilliseconds = startedMilliseconds
    self.sha256 = sha256
  }

  var flaws: ImageFlaws { (result.source?.facts ?? result.facts)?.flaws ?? ImageFlaws() }

  /// True if `--print new` prints the row: its file is new, or has other bytes than before. Failures are not among
  /// these rows: standard error has them.
  var isNews: Bool {
    guard result.error == nil, result.duplicateOf == nil else { return false }
    return result.output == nil ? result.downloaded > 0 && !result.isAsStored : result.isOutputNew
  }
}

extension FetchError {
  /// `http:404`, `timeout`: the kind, and the status if there was one.
  var kindAndStatus: String { status.map { "\(kind.rawValue):\($0)" } ?? kind.rawValue }
}
