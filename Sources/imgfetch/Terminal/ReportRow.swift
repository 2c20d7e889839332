import ImgfetchCore

/// One result, with what reports say beyond it.
struct ReportRow: Sendable {
  let result: FetchResult
  /// The line that asked for it.
  var tag: LineTag
  /// From the run's beginning to the asking.
  var startedMilliseconds: Double
  /// The SHA-256 of what was delivered, where `--checksum` asks for it.
  var sha256: [UInt8]?

  init(_ result: FetchResult, tag: LineTag = LineTag(), startedMilliseconds: Double = 0, sha256: [UInt8]? = nil) {
    self.result = result
    self.tag = tag
    self.startedMilliseconds = startedMilliseconds
    self.sha256 = sha256
  }

  /// Whether `--print new` shows it: downloaded, written or failed.
  var isNews: Bool { result.error != nil || result.isOutputNew || result.downloaded > 0 }
}

/// What of a list's line comes back in its row, so that a program finds its own record again.
struct LineTag: Hashable, Sendable {
  /// Its number in its list, from 1, comments and blank lines counted; nil for an operand.
  var number: Int?
  /// The text of its field `id=`.
  var id: String?
}
