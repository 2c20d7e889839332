import Synchronization

/// The folders that outputs go to, each opened once.
///
/// Thousands of images go into one folder, and a call relative to its descriptor is cheaper than walking its path each time.
/// Safe to use from several threads.
package final class OutputFolders: Sendable {
  private struct State {
    /// The latest used last; short enough that searching it costs nothing beside an open.
    var open: [(path: String, folder: OutputFolder)] = []
  }

  /// A name template with `{host}` in it spreads a run over many folders; descriptors are scarce (often 1,024 a
  /// process), and those who use a folder that falls out of here keep it open until they are done.
  private static let limit = 16

  private let state = Guarded(State())
  private let makesMissing: Bool
  private let user: UInt32
  /// Whether the last output of this run was a new file: then the next one is taken to be one too. A guess only.
  let expectsNew = Atomic<Bool>(false)

  /// - Parameters:
  ///   - makesMissing: whether folders that do not exist are made, with those above them.
  ///   - user: whose files are believed.
  package init(makesMissing: Bool = true, user: UInt32 = Processes.user) {
    self.makesMissing = makesMissing
    self.user = user
  }

  /// The folder at `path` (empty: the working directory); `making` it if it is missing and that is wanted here.
  package func folder(_ path: String, making: Bool = true) throws(SystemError) -> OutputFolder {
    try folder(path, upTo: path.utf8.count, making: making)
  }

  /// The same of the first `end` bytes of a file's path: nobody needs a text of those but to open the folder.
  func folder(_ path: String, upTo end: Int, making: Bool = true) throws(SystemError) -> OutputFolder {
    if let known = known(path, upTo: end) { return known }
    let path = String(path.utf8Span.span, 0..<end)
    let folder = try openOrMake(path.isEmpty ? "." : path, making: making && makesMissing)
    state.withLock { state in
      state.open.removeAll { $0.path.utf8Span.span.isSame(as: path.utf8Span.span) }
      if state.open.count >= Self.limit { state.open.removeFirst() }
      state.open.append((path, folder))
    }
    return folder
  }

  /// By its bytes: two spellings of one letter are two folders.
  private func known(_ path: String, upTo end: Int) -> OutputFolder? {
    state.withLock { state in
      let bytes = path.utf8Span.span.extracting(0..<end)
      var at = state.open.count
      while at > 0 {
        at -= 1
        guard state.open[at].path.utf8Span.span.isSame(as: bytes) else { continue }
        let folder = state.open[at].folder
        if at != state.open.count - 1 { state.open.append(state.open.remove(at: at)) }
        return folder
      }
      return nil
    }
  }

  /// Opens it anew next time: it was removed or moved away while it was open here.
  package func forget(_ path: String) {
    state.withLock { $0.open.removeAll { $0.path.utf8Span.span.isSame(as: path.utf8Span.span) } }
  }

  private func openOrMake(_ path: String, making: Bool) throws(SystemError) -> OutputFolder {
    do {
      return OutputFolder(try .folder(path), isNew: false, user: user)
    } catch {
      guard making, error.code == .noSuchFile else { throw error }
    }
    // From the top down, each relative to the one above it. What another process makes meanwhile is as good.
    var parent = try Descriptor.folder(path.hasPrefix("/") ? "/" : ".")
    var isNew = false
    for part in path.split(separator: "/") where part != "." {
      let name = String(part)
      do throws(SystemError) {
        parent = try parent.open(name, [.read, .directory])
      } catch {
        guard error.code == .noSuchFile else { throw error.of(path) }
        do {
          isNew = try parent.makeFolder(name, mode: 0o777)
          parent = try parent.open(name, [.read, .directory])
        } catch { throw error.of(path) }
      }
    }
    return OutputFolder(parent, isNew: isNew, user: user)
  }
}
