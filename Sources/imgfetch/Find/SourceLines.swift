import ImgfetchCore

/// The list of the images that sources name, while a thread of its own reads the sources.
///
/// Written on that thread, which waits while too much is unread, and read on the thread that reads the input.
final class SourceLines: ListStream {
  private struct State: ~Copyable {
    var unread: [UInt8] = []
    /// The failure of the sources, or nil for none. Nil outside means that they are still being read.
    var ending: FetchError??
    /// True once the reader of the list has gone.
    var isClosed = false
  }

  let name = "--from"
  let limit = Int64.max
  let signal: SharedDescriptor
  private let waker = Waker()
  private let state = Guarded(State())

  private static let mostUnread = 256 << 10

  private init?() {
    guard let signal = waker.signal else { return nil }
    self.signal = signal
  }

  /// Returns what opens the list, or nil if there are no sources.
  ///
  /// - Parameters:
  ///   - folder: The folder for temporary files.
  ///   - isTable: True if the images are records of a table, with all that is known of them.
  ///   - advise: Adds to a failure what would help.
  ///   - fail: Tells of a failure that is not the last.
  ///   - cut: Takes note that a limit has left out a part of what the sources name.
  static func opener(
    _ settings: Settings, _ fetcher: Fetcher, spoolIn folder: String, isTable: Bool,
    advise: @escaping @Sendable (FetchError) -> FetchError, fail: @escaping @Sendable (FetchError) -> Void,
    warn: @escaping @Sendable (String) -> Void, cut: @escaping @Sendable () -> Void
  ) -> SourceLists? {
    guard !settings.find.sources.isEmpty else { return nil }
    return {
      guard let lines = SourceLines() else {
        return BrokenLines(FetchError(.file, "--from", "no descriptors are left", isTransient: true))
      }
      do throws(SystemError) {
        try Threads.start(name: "imgfetch-find") {
          lines.run(
            settings, fetcher, spoolIn: folder, isTable ? .table : .lines(isInternal: true), advise, fail, warn, cut)
        }
      } catch { lines.end(FetchError(.file, "--from", "no thread can be started: \(error.code)", isTransient: true)) }
      return lines
    }
  }

  /// A failure is told when the next one comes: the last ends the list. One that may pass ends a table at once: its
  /// records are numbered, and those of the page would be missing among them.
  private func run(
    _ settings: Settings, _ fetcher: Fetcher, spoolIn folder: String, _ format: FoundFormat,
    _ advise: @escaping (FetchError) -> FetchError, _ fail: @escaping (FetchError) -> Void,
    _ warn: @escaping (String) -> Void, _ cut: @escaping () -> Void
  ) {
    var last: FetchError?
    var isBroken = false
    let isTable = if case .table = format { true } else { false }
    if isTable { _ = append(Array(FoundFormat.header.utf8)) }
    let walk = SourceWalk(
      settings, fetcher, spoolIn: folder,
      SourceWalk.Events(
        found: { [self] image in
          if isBroken { return false }
          var line: [UInt8] = []
          image.append(as: format, to: &line)
          return append(line)
        },
        fail: { error in
          if let last { fail(last) }
          last = advise(error)
          if isTable, error.isTransient { isBroken = true }
        }, warn: warn, cut: cut))
    walk.run(settings.find.sources)
    end(last)
  }

  /// Adds a line once there is room. Returns false when no more is read.
  private func append(_ line: [UInt8]) -> Bool {
    let isWanted =
      state.wait { state -> Bool? in
        if state.isClosed { return false }
        guard state.unread.count < Self.mostUnread else { return nil }
        state.unread += line
        return true
      } ?? false
    waker.wake()
    return isWanted
  }

  private func end(_ error: FetchError?) {
    state.withLock { $0.ending = .some(error) }
    waker.wake()
  }

  var tooLong: FetchError { FetchError(.limit, name, "the list is too long") }

  func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> ListReading {
    // Before the look, so that what comes after it wakes the reader.
    waker.clear()
    let reading: ListReading = state.withLock { state in
      guard state.unread.isEmpty else {
        buffer += state.unread
        state.unread = []
        return .bytes
      }
      switch state.ending {
      case nil: return .nothing
      case .some(nil): return .end
      case .some(.some(let error)): return .failed(error)
      }
    }
    state.broadcast()
    return reading
  }
}

/// A list that could not be begun.
private final class BrokenLines: ListStream {
  let name = "--from"
  let limit = Int64.max
  let signal = SharedDescriptor.standardInput
  let tooLong: FetchError

  init(_ error: FetchError) { tooLong = error }

  func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> ListReading { .failed(tooLong) }
}
