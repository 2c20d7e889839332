/// A failure of a URL that is not expected to pass, in a few bytes: a list may have millions of them.
struct RememberedFailure: Sendable {
  private let kind: UInt8
  private let status: UInt16
  /// The time, in the unit of ``RunRecord``.
  let noted: UInt32

  /// Nil for a failure that may pass.
  init?(_ error: FetchError, at moment: UInt32) {
    guard !error.isTransient,
      error.kind == .http || error.kind == .notImage || error.kind == .damaged || error.kind == .limit,
      let at = FetchError.Kind.allCases.firstIndex(of: error.kind)
    else { return nil }
    kind = UInt8(truncatingIfNeeded: at)
    status = UInt16(clamping: error.status ?? 0)
    noted = moment
  }

  func error(for url: WebURL) -> FetchError {
    let kind = FetchError.Kind.allCases[Int(kind)]
    let reason =
      status > 0 && kind == .http
      ? "the server answered \(StatusPhrase.of(Int(status))) before in this run"
      : "it was no image that could be taken before in this run"
    return FetchError(kind, url.display, reason, status: status > 0 ? Int(status) : nil, remedy: .askAgain)
  }
}
