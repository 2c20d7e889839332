/// A large image, to be read piece by piece.
///
/// It is complete and was verified when it was stored. Its bytes stay in their file, which is kept open whatever
/// happens to the cache; those of a small image are in memory.
public struct ImageStream: Sendable {
  /// The source of the image, and the facts about it.
  public let result: FetchResult
  let body: ImageBody
  let workers: Workers
  /// Removes the stored image, so that the next request fetches it from its origin.
  let whenDamaged: (@Sendable () -> Void)?

  /// The number of bytes.
  public var count: Int64 { body.count }

  /// The bytes in pieces of 256 KB, each read when it is asked for; from a file, on one of the fetcher's threads.
  ///
  /// The sequence throws a ``FetchError`` if the stored bytes turn out to be damaged, after the last piece at the
  /// latest: all results made from the pieces must then be discarded. The stored image is removed, and the next request
  /// fetches it anew. Each call begins anew.
  @export(implementation)
  public func pieces() -> AsyncThrowingStream<[UInt8], any Error> {
    let reader = reader()
    return AsyncThrowingStream(unfolding: {
      let piece = await withCheckedContinuation { continuation in
        reader.next { continuation.resume(returning: $0) }
      }
      return try piece.get()
    })
  }

  @usableFromInline
  func reader() -> BodyReader { BodyReader(body, workers, about: result.url, whenDamaged: whenDamaged) }
}

/// Reads a body from its beginning to its end, a piece at a time.
@usableFromInline
final class BodyReader: Sendable {
  private struct State: ~Copyable {
    var offset: Int64 = 0
    /// The hasher of a stored body, or nil if the bytes are known to be right.
    var hash: ContentHasher?
  }

  private let body: ImageBody
  private let workers: Workers
  private let url: String
  private let state: Guarded<State>
  private let whenDamaged: (@Sendable () -> Void)?

  /// Reading takes long compared with the change of threads, some microseconds, and the memory is small.
  private static let pieceSize: Int64 = 256 << 10

  init(_ body: ImageBody, _ workers: Workers, about url: String, whenDamaged: (@Sendable () -> Void)?) {
    self.whenDamaged = whenDamaged
    self.body = body
    self.workers = workers
    self.url = url
    state = Guarded(State(hash: body.isChecked ? nil : ContentHasher()))
  }

  /// Reads the next piece, or nil after the last. `deliver` is called once. One call at a time.
  @usableFromInline
  func next(_ deliver: @escaping @Sendable (Result<[UInt8]?, FetchError>) -> Void) {
    if case .bytes = body.content { return deliver(Result { () throws(FetchError) in try read() }) }
    workers.addOrRun { [self] in deliver(Result { () throws(FetchError) in try read() }) }
  }

  private func read() throws(FetchError) -> [UInt8]? {
    // Pieces are read one at a time, so nothing waits for this lock.
    try state.withLock { (state) throws(FetchError) in try read(&state) }
  }

  private func read(_ state: inout State) throws(FetchError) -> [UInt8]? {
    let count = min(Self.pieceSize, body.count - state.offset)
    if count <= 0 {
      try finish(&state)
      return nil
    }
    var piece: [UInt8] = []
    switch body.content {
    case .bytes(let bytes): piece = Array(bytes[Int(state.offset)..<Int(state.offset + count)])
    case .file(let stored):
      let got: Int
      do throws(SystemError) {
        got = try stored.read(into: &piece, count: Int(count), at: state.offset)
      } catch { throw damaged("its stored bytes cannot be read: \(error.code)") }
      if got == 0 { throw damaged("its stored bytes end early") }
      state.hash?.update(piece.span)
    }
    state.offset += Int64(piece.count)
    return piece
  }

  private func finish(_ state: inout State) throws(FetchError) {
    guard let hash = state.hash.take(), case .file(let stored) = body.content else { return }
    if let expected = stored.expectedHash, hash.value != expected { throw damaged("its stored bytes are damaged") }
    body.noteChecked()
  }

  private func damaged(_ reason: String) -> FetchError {
    whenDamaged?()
    return FetchError(.damaged, url, reason, isTransient: true)
  }
}

/// Keeps an image's body without reading it.
@usableFromInline
final class BodySink: ImageSink {
  private let image = Guarded<DeliveredImage?>(nil)
  private let next: (any ImageSink)?

  init(before next: (any ImageSink)?) { self.next = next }

  @usableFromInline
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    self.image.withLock { $0 = image }
    return try next?.receive(image, for: request) ?? Delivery(output: nil, isNew: false)
  }

  func take() -> DeliveredImage? { image.withLock { $0.take() } }
}
