/// That a URL failed for good in this run, in a few bytes: a list may hold millions that do.
struct RememberedFailure: Sendable {
  private let kind: UInt8
  private let status: UInt16

  /// Nil for failures that may go better the next time.
  init?(_ error: FetchError) {
    guard !error.isTransient,
      error.kind == .http || error.kind == .notImage || error.kind == .damaged || error.kind == .limit,
      let at = FetchError.Kind.allCases.firstIndex(of: error.kind)
    else { return nil }
    kind = UInt8(truncatingIfNeeded: at)
    status = UInt16(clamping: error.status ?? 0)
  }

  func error(for url: WebURL) -> FetchError {
    let kind = FetchError.Kind.allCases[Int(kind)]
    let reason =
      status > 0 && kind == .http
      ? "the server answered \(AnswerRule.phrase(Int(status))) before in this run"
      : "it was no image that could be taken before in this run"
    return FetchError(kind, url.display, reason, status: status > 0 ? Int(status) : nil, remedy: .askAgain)
  }
}
