import ImgfetchCore

/// What a run's outputs met in their folders that its owner should know: counted, and said once at the end.
final class OutputNotices: Sendable {
  private struct State {
    /// How many names got digits because of files that were there.
    var digits = 0
    /// How many files were replaced of which nothing told whose they were.
    var replaced = 0
    /// The first of those.
    var names: [String] = []
  }

  /// So many are named; the others are counted.
  private static let namedLimit = 3

  private let state = Guarded(State())

  func note(_ written: OutputFile.Written) {
    // As nearly all are.
    guard written.hasNewDigits || written.hasReplacedUnknown else { return }
    state.withLock { state in
      if written.hasNewDigits { state.digits += 1 }
      guard written.hasReplacedUnknown else { return }
      state.replaced += 1
      if state.names.count < Self.namedLimit { state.names.append(written.path) }
    }
  }

  /// In whole sentences.
  var warnings: [String] {
    let (digits, replaced, names) = state.withLock { ($0.digits, $0.replaced, $0.names) }
    var warnings: [String] = []
    if digits > 0 {
      warnings.append(
        (digits == 1 ? "1 image was given a name with digits" : "\(digits) images were given names with digits")
          + ", since files of other URLs are there under the names without; where such URLs differ in a signature or a date only, "
          + "--key-ignore-param makes them one")
    }
    if replaced > 0 {
      let others = replaced - names.count
      let all = names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
      warnings.append(
        "\(all): replaced, though nothing told whose \(replaced == 1 ? "image that was" : "images those were") and the bytes were "
          + "others; --no-clobber keeps what is there")
    }
    return warnings
  }
}
