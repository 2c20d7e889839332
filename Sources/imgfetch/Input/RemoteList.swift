import ImgfetchCore

/// A list at a URL, while it is downloaded: what has come stands in a file without a name, and is read behind.
///
/// The server is not made to wait for the images, which may take hours: it would close the connection. Memory holds none of the list.
///
/// Written on the fetcher's threads, read on the thread that reads the input.
final class RemoteList: Sendable {
  /// What a read found.
  enum Reading {
    case bytes
    /// Nothing yet; ``signal`` can be read when that changes.
    case nothing
    case end
    case failed(FetchError)
  }

  private struct State {
    /// How much of it is there.
    var length: Int64 = 0
    /// How much of it the download has brought since it began, perhaps anew.
    var place: Int64 = 0
    /// Nil: it is on its way.
    var ending: Result<Void, FetchError>?
  }

  /// The URL, without secrets.
  let name: String
  /// The bytes that have come.
  let file: SharedDescriptor
  /// Can be read when more has come.
  let signal: SharedDescriptor
  private let waker = Waker()
  private let folder: String
  private let state = Guarded(State())

  /// - Parameter folder: the folder for temporary files.
  init(_ url: WebURL, spoolIn folder: String) throws(SystemError) {
    name = url.display
    self.folder = folder
    file = SharedDescriptor(try TemporaryFile.scratch(in: folder))
    guard let signal = waker.signal else { throw SystemError(.eventfd, .tooManyOpenFiles) }
    self.signal = signal
  }

  /// Reads on from an offset, of which all before has been read.
  func read(into buffer: inout [UInt8], count: Int, at offset: Int64) throws(SystemError) -> Reading {
    // Before the look, so that what comes after it wakes the reader.
    waker.clear()
    let (length, ending) = state.withLock { ($0.length, $0.ending) }
    if length > offset {
      _ = try file.file.read(into: &buffer, count: min(count, Int(clamping: length - offset)), at: offset)
      return .bytes
    }
    switch ending {
    case nil: return .nothing
    case .success?: return .end
    case .failure(let error)?: return .failed(error)
    }
  }

  /// The download has ended.
  func end(_ error: FetchError?) {
    state.withLock { state in
      let isShorter = state.place < state.length
      state.ending = (error ?? (isShorter ? changed : nil)).map { .failure($0) } ?? .success(())
    }
    waker.wake()
  }

  private var changed: FetchError {
    FetchError(
      .truncated, name, "it broke off, and is another one now; what was read of it is in the results: run again",
      isTransient: true)
  }
}

extension RemoteList: BodyStream {
  func begin() { state.withLock { $0.place = 0 } }

  func take(_ piece: borrowing Span<UInt8>) throws(FetchError) {
    var (length, place) = state.withLock { ($0.length, $0.place) }
    var rest = 0
    if place < length {
      // A server that cannot go on sends it from the beginning. What has been read must be the same.
      rest = min(piece.count, Int(clamping: length - place))
      guard holds(piece.extracting(0..<rest), at: place) else { throw changed }
      place += Int64(rest)
    }
    if rest < piece.count {
      do { try file.file.write(piece.extracting(rest..<piece.count), at: length) } catch {
        throw FetchError(
          .file, folder, "the list \(name) cannot be kept there: \(error.code); make room, or set TMPDIR")
      }
      length += Int64(piece.count - rest)
      place = length
    }
    state.withLock { ($0.length, $0.place) = (length, place) }
    waker.wake()
  }

  private func holds(_ bytes: borrowing Span<UInt8>, at offset: Int64) -> Bool {
    var there: [UInt8] = []
    guard (try? file.file.read(into: &there, count: bytes.count, at: offset)) == bytes.count else { return false }
    for index in bytes.indices where bytes[index] != there[index] { return false }
    return true
  }
}
