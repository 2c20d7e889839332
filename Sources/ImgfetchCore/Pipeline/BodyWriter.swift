/// Writes one body, piece by piece: counts it, inspects it, hashes it, and keeps it in memory or in a file.
///
/// Belongs to the one job that takes from its ``BodyQueue``. Up to 64 KB stay in memory, which is enough for most
/// images of a web page. A larger body goes to the flight's part and, if its sink lends one, to the unnamed file that
/// will become the output. If nothing is cached, it goes to that file alone, or else to one in the spool folder.
final class BodyWriter {
  /// The place for a body that is not kept in the cache.
  struct Spool: Sendable {
    let folder: String
    /// Asks the sink for a file. Called at most once.
    var lend: @Sendable () -> LentFile? = { nil }
  }

  struct Written {
    var facts: ImageFacts?
    /// The flaw of the body unless decoding finds every pixel, or nil if there is no doubt.
    let doubt: FetchError?
    /// The program's own format that the body has, and that verifies it.
    let own: (any OwnFormat)?
    let count: Int64
    let content: Content

    enum Content {
      case memory([UInt8])
      /// The body is in the part, from its first byte on, and in the file that the sink has lent, if that could be
      /// written.
      case part(hash: ContentHash, copy: LentFile?)
      case file(LentFile, hash: ContentHash, isLent: Bool)
    }
  }

  /// The size above which a body goes to a file: the size of the pieces in which it comes, and twice that of most
  /// thumbnails.
  static let memoryLimit = 64 << 10

  private enum Place {
    case memory
    case part
    case file(LentFile, isLent: Bool)
  }

  private let url: WebURL
  private let shared: SharedOptions
  private var part: Part?
  private let spool: Spool
  private let flight: UInt64
  private let observers: FlightObservers
  /// The stream that receives the body instead of memory and files.
  private let stream: (any BodyStream)?
  private var inspector: BodyInspector?
  private var hasher: ContentHasher?
  /// Decompresses the body, or is nil if it is not compressed.
  private var expansion: Expansion?
  private var place = Place.memory
  /// The lent file, which receives the bytes besides the part. So they need not be read again for the sink, and no
  /// other program can reach the file.
  private var copy: LentFile?
  private var memory: [UInt8] = []
  private(set) var count: Int64 = 0
  /// Warnings about the cache's disk. The image is delivered all the same.
  private(set) var warnings: [CacheWarning] = []
  /// True if the part could not hold the body and is gone.
  private(set) var hasLostPart = false

  init(
    url: WebURL, options: SharedOptions, part: Part?, spool: Spool, formats: [any OwnFormat], flight: UInt64,
    observers: FlightObservers
  ) {
    self.url = url
    shared = options
    self.part = part
    self.spool = spool
    stream = options.purpose.stream
    self.flight = flight
    self.observers = observers
    if shared.values.verification > .none {
      inspector = BodyInspector(limits: InspectionLimits(maxPixels: shared.values.maximumPixels), formats: formats)
    }
    stream?.begin()
    for watcher in observers.watchers(of: flight) { watcher.begin() }
  }

  func warn(_ warning: CacheWarning) { warnings.append(warning) }

  private struct Expansion {
    let decoder: GzipDecoder
    /// The number of compressed bytes that have come.
    var received: Int64 = 0
  }

  /// Decompresses the body (gzip) from its first byte on.
  func expand() throws(FetchError) {
    guard let decoder = GzipDecoder() else {
      throw FetchError(.file, url.display, "there is no memory to undo its compression", isTransient: true)
    }
    expansion = Expansion(decoder: decoder)
  }

  func write(_ piece: [UInt8]) throws(FetchError) {
    if expansion == nil { try take(piece) } else { try takeExpanded(piece) }
    showWatchers()
  }

  private func takeExpanded(_ piece: [UInt8]) throws(FetchError) {
    guard let decoder = expansion?.decoder else { return }
    // Compressed data may be endless and decompress to nothing.
    expansion?.received += Int64(piece.count)
    guard expansion?.received ?? 0 <= shared.values.maximumBytes else { throw AnswerRule.tooLarge(url, shared.values) }
    decoder.add(piece)
    while true {
      let plain: [UInt8]?
      do throws(GzipDecoder.Damage) { plain = try decoder.next() } catch {
        throw FetchError(
          .damaged, url.display, "the server says that it is compressed (gzip), and it is not, or is damaged")
      }
      guard let plain else { return }
      try take(plain)
    }
  }

  /// Shows the watchers the part that has been received. Some may have joined since the last piece.
  private func showWatchers() {
    let watchers = observers.watchers(of: flight)
    guard !watchers.isEmpty, let inspector, let body = bodySoFar else { return }
    if let facts = inspector.facts {
      for watcher in watchers { watcher.grew(body, facts) }
    } else if inspector.own != nil {
      for watcher in watchers { watcher.grew(body) }
    }
  }

  private var bodySoFar: ImageBody? {
    switch place {
    case .memory: ImageBody(.bytes(memory))
    case .part: part?.body
    case .file(let file, _): ImageBody(.file(file.holding(count)))
    }
  }

  private func take(_ piece: [UInt8]) throws(FetchError) {
    guard count + Int64(piece.count) <= shared.values.maximumBytes else {
      throw AnswerRule.tooLarge(url, shared.values)
    }
    do { try inspector?.feed(piece.span) } catch { throw error.fetchError(of: url.display) }
    count += Int64(piece.count)
    if let stream { return try stream.take(piece.span) }
    if case .memory = place {
      if count <= Int64(Self.memoryLimit) {
        if memory.isEmpty { memory = piece } else { memory.append(contentsOf: piece) }
        return
      }
      try leaveMemory()
    }
    hasher?.update(piece.span)
    try store(piece, at: count - Int64(piece.count))
  }

  /// Ends the body, and returns it if it was complete. This is the last call.
  func finish() throws(FetchError) -> Written {
    if let decoder = expansion?.decoder, !decoder.isComplete {
      throw FetchError(.damaged, url.display, "its compressed data (gzip) ends early")
    }
    var facts: ImageFacts?
    var doubt: FetchError?
    var own: (any OwnFormat)?
    // Taken out, since each access would copy it.
    if var inspector = inspector.take() {
      do throws(InspectionFailure) {
        switch try inspector.verdict() {
        case .accepted(let found)?: facts = found
        case .doubtful(let found, let failure)?: (facts, doubt) = (found, failure.fetchError(of: url.display))
        case nil: break
        }
      } catch { throw error.fetchError(of: url.display) }
      own = inspector.own
      if let facts, let objection = shared.values.filter.objection(to: facts) {
        throw FetchError(.limit, url.display, objection)
      }
    }
    let content: Written.Content =
      switch place {
      case .memory: .memory(memory)
      case .part: .part(hash: hashOfAll, copy: copy)
      case .file(let place, let isLent): .file(place, hash: hashOfAll, isLent: isLent)
      }
    return Written(facts: facts, doubt: doubt, own: own, count: count, content: content)
  }

  private var hashOfAll: ContentHash { hasher?.value ?? ContentHash(high: 0, low: 0) }

  /// Reads the bytes in the part, from the first one, as if they came now. The next piece is the rest.
  func readBack() throws(FetchError) {
    guard let part, part.length <= shared.values.maximumBytes else { throw AnswerRule.tooLarge(url, shared.values) }
    hasher = ContentHasher()
    place = .part
    var failure: FetchError?
    do throws(BodyReadFailure) {
      try part.body.read { piece in
        guard failure == nil else { return }
        do throws(InspectionFailure) { try inspector?.feed(piece) } catch {
          failure = error.fetchError(of: url.display)
        }
        hasher?.update(piece)
      }
    } catch { throw FetchError(.file, url.display, "what is there of it cannot be read") }
    if let failure { throw failure }
    count = part.length
    showWatchers()
  }

  /// Makes sure that all received bytes are in the part. Returns false if they cannot be kept there.
  func settle() -> Bool {
    if case .memory = place, count > 0, part != nil { try? leaveMemory(lending: false) }
    if case .part = place { return part != nil }
    return false
  }

  /// Moves the body from memory to a file.
  ///
  /// - Parameter lending: true if the sink may want the body.
  private func leaveMemory(lending: Bool = true) throws(FetchError) {
    hasher = ContentHasher()
    hasher?.update(memory.span)
    if part == nil {
      place = try makeSpool()
    } else {
      place = .part
      if lending { copy = spool.lend() }
    }
    let held = memory
    memory = []
    if !held.isEmpty { try store(held, at: 0) }
  }

  private func store(_ piece: [UInt8], at offset: Int64) throws(FetchError) {
    switch place {
    case .memory: break
    case .file: try spool(piece, at: offset)
    case .part:
      guard let part else { return }
      let before = part.length
      do { try part.write(piece.span) } catch {
        // The cache's disk is full or broken: that costs the cache, not the image.
        warnings.append(part.notCached(because: error))
        if let copy = copy.take() {
          place = .file(copy, isLent: true)
          // The part may be closed later, and its room is to be free now.
          try? part.truncate()
        } else {
          place = try makeSpool()
          try move(part.body, before)
        }
        part.abandon(keepForResume: false)
        self.part = nil
        hasLostPart = true
        return try spool(piece, at: offset)
      }
      if copy?.hasRoom(for: piece, at: offset) == false { copy = nil }
      do { try copy?.write(piece, at: offset) } catch { try loseCopy(because: error, piece, at: offset) }
    }
  }

  /// Gives up the sink's file, which cannot be written. The sink later copies the part, and reports the error, unless
  /// the part takes the room that the sink's file needs.
  private func loseCopy(because error: SystemError, _ piece: [UInt8], at offset: Int64) throws(FetchError) {
    guard let copy = copy.take(), let part, [.noSpace, .overQuota].contains(error.code), part.isOnDisk(of: copy.file)
    else { return }
    warnings.append(part.notCached(because: .system(error)))
    try? part.truncate()
    part.abandon(keepForResume: false)
    self.part = nil
    hasLostPart = true
    place = .file(copy, isLent: true)
    try spool(piece, at: offset)
  }

  private func spool(_ piece: [UInt8], at offset: Int64) throws(FetchError) {
    guard case .file(let place, let isLent) = place else { return }
    guard place.hasRoom(for: piece, at: offset) else {
      throw FetchError(.damaged, url.display, "its body is longer than its Content-Length", isTransient: true)
    }
    do { try place.write(piece, at: offset) } catch {
      guard isLent, hasLostPart else { throw Self.failure(error, place.folder, isLent) }
      try leave(place, piece, at: offset)
    }
  }

  /// Moves the body to the spool folder, because neither the cache nor the sink's file has room. The sink may already
  /// have the image.
  private func leave(_ lent: LentFile, _ piece: [UInt8], at offset: Int64) throws(FetchError) {
    let file: SharedDescriptor
    do { file = SharedDescriptor(try TemporaryFile.scratch(in: spool.folder)) } catch {
      throw Self.failure(error, spool.folder, false)
    }
    place = .file(LentFile(file, in: spool.folder), isLent: false)
    try move(ImageBody(.file(lent.holding(offset))), offset)
    if lent.room == nil { try? lent.file.file.truncate(to: 0) }
    try spool(piece, at: offset)
  }

  private func move(_ body: ImageBody, _ count: Int64) throws(FetchError) {
    guard case .file(let stored) = body.content, case .file(let place, let isLent) = place else { return }
    do throws(SystemError) {
      let moved = try stored.copy(from: 0, count: Int(count), to: place.file.file, at: place.start)
      if moved != Int(count) { throw SystemError(.copyFileRange, .inputOutput) }
    } catch { throw Self.failure(error, place.folder, isLent) }
  }

  private func makeSpool() throws(FetchError) -> Place {
    if let lent = spool.lend() { return .file(lent, isLent: true) }
    do {
      let file = SharedDescriptor(try TemporaryFile.scratch(in: spool.folder))
      return .file(LentFile(file, in: spool.folder), isLent: false)
    } catch { throw Self.failure(error, spool.folder, false) }
  }

  private static func failure(_ error: SystemError, _ folder: String, _ isLent: Bool) -> FetchError {
    let advice =
      switch error.code {
      case .fileTooLarge: "no file may be so large there; see 'ulimit -f'"
      case .tooManyOpenFiles: "see 'ulimit -n'"
      default: isLent ? "make room there, or write to another disk" : "make room, or set TMPDIR"
      }
    let place = folder == "." ? "the current folder" : folder
    return FetchError(
      .file, folder, "could not be kept in \(place) while it came: \(error.code); \(advice)",
      cause: FetchError.Cause(errno: error.code))
  }
}

extension LentFile {
  /// True if a piece of the body ends inside the place: the bytes that follow it in the file are another image's.
  fileprivate func hasRoom(for piece: [UInt8], at offset: Int64) -> Bool {
    room.map { offset + Int64(piece.count) <= $0 } ?? true
  }

  fileprivate func write(_ piece: [UInt8], at offset: Int64) throws(SystemError) {
    try file.file.write(piece.span, at: start + offset)
  }

  /// The file's contents as a body of this length.
  func holding(_ count: Int64) -> ImageBody.Stored {
    ImageBody.Stored(descriptor: file, start: start, length: count, expectedHash: nil, isShared: room != nil)
  }
}
