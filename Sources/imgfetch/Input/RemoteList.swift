import ImgfetchCore

/// A list at a URL, while it is downloaded. Bytes that have come and were not read yet wait in an unnamed file of
/// bounded size.
///
/// A server that is far ahead waits, or it could fill the disk. Memory holds none of the list.
///
/// Written on the fetcher's threads, read on the thread that reads the input.
final class RemoteList: ListStream {
  private struct State: ~Copyable {
    /// The number of bytes that have come.
    var length: Int64 = 0
    /// The number of bytes that were read.
    var read: Int64 = 0
    /// The number of bytes that the download has brought since it began, perhaps anew.
    var place: Int64 = 0
    /// The hashes of the bytes that came first, and of those that came again: a server that begins anew must send the
    /// same.
    var hash = ContentHasher()
    var repeated = ContentHasher()
    /// The end of the download; nil while it is on its way.
    var ending: Result<Void, FetchError>?
  }

  /// The URL, without secrets.
  let name: String
  /// The most bytes that it may have.
  let limit: Int64
  /// Can be read when more has come.
  let signal: SharedDescriptor
  /// The bytes that have come, each at its place in the list modulo the size of the file.
  private let file: SharedDescriptor
  private let waker = Waker()
  private let folder: String
  private let state = Guarded(State())

  /// The size of the file, as large as the buffer of a list from a pipe.
  private static let size: Int64 = 64 << 20
  /// The number of waiting bytes at which the download is held. The rest of the file is for bytes that are on their way
  /// then: at most as many as the disk threads take at a time.
  private static let mostWaiting: Int64 = 48 << 20

  /// - Parameter folder: the folder for temporary files.
  init(_ url: WebURL, limit: Int64, spoolIn folder: String) throws(SystemError) {
    name = url.display
    self.limit = limit
    self.folder = folder
    file = SharedDescriptor(try TemporaryFile.scratch(in: folder))
    guard let signal = waker.signal else { throw SystemError(.eventfd, .tooManyOpenFiles) }
    self.signal = signal
  }

  func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> ListReading {
    // Before the look, so that later bytes wake the reader.
    waker.clear()
    let (length, offset) = state.withLock { ($0.length, $0.read) }
    guard length > offset else {
      // After the end nothing is added.
      switch state.withLock({ $0.length > offset ? nil : $0.ending }) {
      case nil: return state.withLock { $0.length > offset } ? try read(into: &buffer, count: count) : .nothing
      case .success?: return .end
      case .failure(let error)?: return .failed(error)
      }
    }
    let place = offset % Self.size
    let wanted = min(Int64(count), length - offset, Self.size - place)
    let before = buffer.count
    _ = try file.file.read(into: &buffer, count: Int(clamping: wanted), at: place)
    let got = Int64(buffer.count - before)
    state.withLock { $0.read = offset + got }
    return .bytes
  }

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

  /// The failure of a list that is longer than the user allows, before or after unpacking.
  var tooLong: FetchError { FetchError(.limit, name, "it is longer than \(limit) bytes; --max-list allows more") }
}

extension RemoteList: BodyStream {
  func begin() {
    state.withLock { state in
      state.place = 0
      state.repeated = ContentHasher()
    }
  }

  var isFull: Bool { state.withLock { $0.length - $0.read >= Self.mostWaiting } }

  func take(_ piece: borrowing Span<UInt8>) throws(FetchError) {
    let rest = try passRepeated(piece)
    guard rest < piece.count else { return }
    let (length, read) = state.withLock { ($0.length, $0.read) }
    let new = piece.extracting(rest..<piece.count)
    guard length + Int64(new.count) <= limit else { throw tooLong }
    guard length + Int64(new.count) - read <= Self.size else {
      throw FetchError(.file, folder, "the list \(name) comes faster than it can be kept there")
    }
    do throws(SystemError) { try write(new, at: length % Self.size) } catch {
      throw FetchError(.file, folder, "the list \(name) cannot be kept there: \(error.code); make room, or set TMPDIR")
    }
    state.withLock { state in
      state.hash.update(new)
      state.length = length + Int64(new.count)
      state.place = state.length
    }
    waker.wake()
  }

  /// Passes over bytes that came before: a server that cannot go on sends the list from its beginning. They must be the
  /// same.
  ///
  /// - Returns: The number of bytes of the piece that came before.
  private func passRepeated(_ piece: borrowing Span<UInt8>) throws(FetchError) -> Int {
    let isSame: Bool
    let rest: Int
    (rest, isSame) = state.withLock { state in
      guard state.place < state.length else { return (0, true) }
      let rest = min(piece.count, Int(clamping: state.length - state.place))
      state.repeated.update(piece.extracting(0..<rest))
      state.place += Int64(rest)
      return (rest, state.place < state.length || state.repeated.value == state.hash.value)
    }
    if !isSame { throw changed }
    return rest
  }

  private func write(_ bytes: borrowing Span<UInt8>, at place: Int64) throws(SystemError) {
    let first = Int(clamping: min(Int64(bytes.count), Self.size - place))
    try file.file.write(bytes.extracting(0..<first), at: place)
    if first < bytes.count { try file.file.write(bytes.extracting(first..<bytes.count), at: 0) }
  }
}
