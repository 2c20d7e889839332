import ImgfetchCore

/// One result, with what reports say beyond it.
struct ReportRow: Sendable {
  let result: FetchResult
  /// The SHA-256 of what was delivered, where `--checksum` asks for it.
  var sha256: [UInt8]?

  init(_ result: FetchResult, sha256: [UInt8]? = nil) {
    self.result = result
    self.sha256 = sha256
  }

  /// Whether `--print new` shows it: downloaded, written or failed.
  var isNews: Bool { result.error != nil || result.isOutputNew || result.downloaded > 0 }
}
