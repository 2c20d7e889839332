import ImgfetchCore

/// The body of a page while it is downloaded, and until it is read: small ones in memory, others in an unnamed file.
///
/// Written on the fetcher's threads, read by the thread that waits for it.
final class PageBody: BodyStream {
  private struct State: ~Copyable {
    var memory: [UInt8] = []
    var file: SharedDescriptor?
    var length: Int64 = 0
    /// True once the first bytes have shown an image, which is fetched as one, and needs not come twice.
    var isImage = false
    var result: FetchResult?

    /// Finds out from the first bytes whether they are an image's.
    mutating func noteNature() -> Bool {
      guard length >= Int64(BodyNature.wanted), memory.count >= BodyNature.wanted else { return false }
      if case .image = BodyNature(Array(memory.prefix(BodyNature.wanted))) { isImage = true }
      return isImage
    }
  }

  /// The name for people, without secrets.
  let name: String
  private let limit: Int64
  private let folder: String
  private let state = Guarded(State())

  /// The size above which a page goes to a file.
  private static let mostInMemory: Int64 = 1 << 20
  private static let pieceSize = 64 << 10

  /// - Parameter folder: The folder for temporary files.
  init(_ name: String, limit: Int64, spoolIn folder: String) {
    self.name = name
    self.limit = limit
    self.folder = folder
  }

  // MARK: While it comes

  func begin() {
    state.withLock { state in
      state.memory = []
      state.length = 0
      state.isImage = false
    }
  }

  var isFull: Bool { false }

  func take(_ piece: borrowing Span<UInt8>) throws(FetchError) {
    let isTooLong = state.withLock { $0.length + Int64(piece.count) > limit }
    if isTooLong { throw tooLong }
    let isFirst = state.withLock { $0.length < Int64(BodyNature.wanted) }
    do throws(SystemError) { try keep(piece) } catch {
      throw FetchError(.file, folder, "the page \(name) cannot be kept there: \(error.code); make room, or set TMPDIR")
    }
    if isFirst, state.withLock({ $0.noteNature() }) { throw FetchError(.cancelled, name, "it is an image") }
  }

  /// True if the source is an image, whose download was broken off.
  var isImage: Bool { state.withLock { $0.isImage } }

  private func keep(_ piece: borrowing Span<UInt8>) throws(SystemError) {
    let (file, offset) = try state.withLock { (state) throws(SystemError) in
      if state.file == nil, state.length + Int64(piece.count) > Self.mostInMemory {
        let file = SharedDescriptor(try TemporaryFile.scratch(in: folder))
        try file.file.write(state.memory.span, at: 0)
        (state.file, state.memory) = (file, [])
      }
      defer { state.length += Int64(piece.count) }
      return (state.file, state.length)
    }
    if let file { return try file.file.write(piece, at: offset) }
    state.withLock { state in
      for index in piece.indices { state.memory.append(piece[index]) }
    }
  }

  /// The failure of a page that is longer than the user allows, as it comes or unpacked.
  var tooLong: FetchError { FetchError(.limit, name, "the page is longer than \(limit) bytes; --max-page allows more") }

  // MARK: The end

  func end(_ result: FetchResult) {
    state.withLock { $0.result = result }
    state.broadcast()
  }

  /// Waits for the end of the download.
  func wait() -> FetchResult? { state.wait { $0.result } }

  /// Returns the next bytes from an offset on, or none at the end.
  func read(from offset: Int64) throws(FetchError) -> [UInt8] {
    do throws(SystemError) { return try piece(from: offset) } catch {
      throw FetchError(.file, folder, "the page \(name) cannot be read there: \(error.code)")
    }
  }

  /// The same, with the system's error.
  func piece(from offset: Int64) throws(SystemError) -> [UInt8] {
    try state.withLock { (state) throws(SystemError) in
      guard offset < state.length else { return [] }
      let count = Int(min(Int64(Self.pieceSize), state.length - offset))
      guard let file = state.file else { return Array(state.memory[Int(offset)..<(Int(offset) + count)]) }
      var piece: [UInt8] = []
      _ = try file.file.read(into: &piece, count: count, at: offset)
      return piece
    }
  }
}
