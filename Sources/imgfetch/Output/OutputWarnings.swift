import ImgfetchCore

/// Warnings about names and existing files: counted, and printed once at the end.
final class OutputWarnings: Sendable {
  private struct State {
    /// The number of names that got digits because of other images' files.
    var ofOthers = 0
    /// The number of names that got digits because of files that this program did not write.
    var ofStrangers = 0
    /// The number of files that have the extension of another format.
    var lying = 0
    /// The number of files that could not get the time that was wanted.
    var untimed = 0
    /// The first of each.
    var stranger: String?
    var liar: String?
    var timeRefusal: (path: String, code: Errno)?
  }

  private let state = Guarded(State())

  func note(_ written: OutputFile.Written) {
    note(written.path, written.newDigits)
    guard let code = written.timeRefusal else { return }
    state.withLock { state in
      state.untimed += 1
      state.timeRefusal = state.timeRefusal ?? (written.path, code)
    }
  }

  func note(_ path: String, _ digits: NameDigits?) {
    // Nearly all outputs return here.
    guard let digits else { return }
    state.withLock { state in
      switch digits {
      case .ofAnother: state.ofOthers += 1
      case .ofStranger:
        state.ofStrangers += 1
        state.stranger = state.stranger ?? path
      }
    }
  }

  /// Notes that a file was written whose name has the extension of another format.
  func noteLyingExtension(_ path: String) {
    state.withLock { state in
      state.lying += 1
      state.liar = state.liar ?? path
    }
  }

  /// Complete sentences.
  var sentences: [String] {
    let state = state.withLock { $0 }
    var sentences: [String] = []
    func given(_ count: Int) -> String {
      count == 1
        ? "1 image was given a name with digits" : "\(Amount.grouped(count)) images were given names with digits"
    }
    if state.ofOthers > 0 {
      sentences.append(
        given(state.ofOthers)
          + ": files of other URLs have the names without; if such URLs differ only in a signature or a date, "
          + "--key-ignore-param makes them one")
    }
    if state.ofStrangers > 0 {
      sentences.append(
        given(state.ofStrangers) + (state.stranger.map { " (\($0)\(state.ofStrangers > 1 ? " …" : ""))" } ?? "")
          + ": files that imgfetch did not write, or that were edited since, have the names without; "
          + "--overwrite replaces such files, and --adopt takes over those with the same bytes")
    }
    if state.lying > 0 {
      sentences.append(
        (state.lying == 1 ? "1 file has" : "\(Amount.grouped(state.lying)) files have")
          + " the extension of another format"
          + (state.liar.map { " (\($0)\(state.lying > 1 ? " …" : ""))" } ?? "")
          + ", as their names were given; a name without an extension gets the right one")
    }
    if let (path, code) = state.timeRefusal {
      let files =
        state.untimed == 1 ? "1 file (\(path)) has" : "\(Amount.grouped(state.untimed)) files (\(path) …) have"
      sentences.append("\(files) the time of writing: that of --remote-time could not be set: \(code)")
    }
    return sentences
  }
}
