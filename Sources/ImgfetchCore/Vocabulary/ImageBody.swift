import Synchronization

/// An image's bytes, in memory or in a file.
public final class ImageBody: Sendable {
  /// A file that has the body. More may follow it.
  package struct Stored: Sendable {
    package let descriptor: SharedDescriptor
    /// The offset in the file at which the body begins.
    package let start: Int64
    package let length: Int64
    /// The hash that the body must have. Nil means that this process hashed or wrote the body, so it is right.
    package let expectedHash: ContentHash?

    /// True if other images are in the file, too.
    package let isShared: Bool

    package init(
      descriptor: SharedDescriptor, start: Int64 = 0, length: Int64, expectedHash: ContentHash?, isShared: Bool = false
    ) {
      self.descriptor = descriptor
      self.start = start
      self.length = length
      self.expectedHash = expectedHash
      self.isShared = isShared
    }

    /// Appends up to `count` of its bytes, beginning at an offset in the body.
    package func read(into bytes: inout [UInt8], count: Int, at offset: Int64) throws(SystemError) -> Int {
      try descriptor.file.read(into: &bytes, count: count, at: start + offset)
    }

    /// Copies up to `count` of its bytes, beginning at an offset in the body. Returns the number of copied bytes.
    package func copy(
      from offset: Int64, count: Int, to other: borrowing Descriptor, at target: Int64
    ) throws(SystemError) -> Int {
      try descriptor.file.copy(from: start + offset, count: count, to: other, at: target)
    }
  }

  package enum Content: Sendable {
    case bytes([UInt8])
    case file(Stored)
  }

  package let content: Content
  /// True if the body is in a file that its sink has lent and that has no name yet.
  private let isLent: Atomic<Bool>
  /// Set when a read has found the stored bytes damaged.
  private let damage = Atomic<Bool>(false)

  /// True if a read has found the stored bytes damaged. Everything made from them must be discarded.
  package var isDamaged: Bool { damage.load(ordering: .acquiring) }

  /// Set when a stored body was read to its end and was right, so that further outputs need not check it.
  private let wasChecked = Atomic<Bool>(false)

  // The hash of the bytes, once it is known. The first of several outputs computes it.
  private let hashHigh: Atomic<UInt64>
  private let hashLow: Atomic<UInt64>
  private let isHashKnown: Atomic<Bool>

  /// The file that the body's sink has lent, if it has these bytes and nothing else, and may be given its name. With
  /// nil the bytes have to be copied.
  package var lent: SharedDescriptor? {
    guard case .file(let stored) = content, isLent.load(ordering: .relaxed) else { return nil }
    return stored.descriptor
  }

  /// Gives the lent file up: from now on the bytes have to be copied, because several sinks want them, or the file has
  /// its name.
  package func keepLent() { isLent.store(false, ordering: .relaxed) }

  /// - Parameter hash: the hash of the bytes, if it is known. A body that has an expected hash gets that one.
  package init(_ content: Content, hash: ContentHash? = nil, isLent: Bool = false) {
    self.content = content
    self.isLent = Atomic(isLent)
    var hash = hash
    if case .file(let stored) = content, let expected = stored.expectedHash { hash = expected }
    hashHigh = Atomic(hash?.high ?? 0)
    hashLow = Atomic(hash?.low ?? 0)
    isHashKnown = Atomic(hash != nil)
  }

  /// The hash of the bytes, if it is known; for a body that was not checked yet, the expected one.
  package var knownHash: ContentHash? {
    guard isHashKnown.load(ordering: .acquiring) else { return nil }
    return ContentHash(high: hashHigh.load(ordering: .relaxed), low: hashLow.load(ordering: .relaxed))
  }

  /// The same, computed if it is not known.
  package func contentHash() throws(BodyReadFailure) -> ContentHash {
    if let known = knownHash { return known }
    let hash: ContentHash
    switch content {
    case .bytes(let bytes): hash = ContentHash(of: bytes.span)
    case .file:
      var hasher = ContentHasher()
      try read { hasher.update($0) }
      hash = hasher.value
    }
    note(hash)
    return hash
  }

  private func note(_ hash: ContentHash) {
    hashHigh.store(hash.high, ordering: .relaxed)
    hashLow.store(hash.low, ordering: .relaxed)
    isHashKnown.store(true, ordering: .releasing)
  }

  /// True if the bytes are known to be right, so that they may be copied without reading them.
  package var isChecked: Bool {
    switch content {
    case .bytes: true
    case .file(let stored): stored.expectedHash == nil || wasChecked.load(ordering: .relaxed)
    }
  }

  /// Called by code that has read and hashed the stored bytes itself and found them right.
  package func noteChecked() { wasChecked.store(true, ordering: .relaxed) }

  /// The number of bytes.
  public var count: Int64 {
    switch content {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let stored): stored.length
    }
  }

  /// Large enough that calls cost nothing, and small enough for the processor's cache.
  private static let pieceSize = 128 << 10

  /// Passes the bytes to `take`, piece by piece and once.
  ///
  /// A stored body is checked while it is read. If it is damaged, this throws ``BodyReadFailure/damaged`` after the
  /// last piece, and everything made from the pieces must be discarded.
  package func read(
    _ take: (borrowing Span<UInt8>) throws(SystemError) -> Void
  ) throws(BodyReadFailure) {
    switch content {
    case .bytes(let bytes):
      do { try take(bytes.span) } catch { throw .sink(error) }
    case .file(let stored):
      var hash = isChecked ? nil : ContentHasher()
      var offset: Int64 = 0
      var piece: [UInt8] = []
      piece.reserveCapacity(Self.pieceSize)
      while offset < stored.length {
        piece.removeAll(keepingCapacity: true)
        let wanted = Int(min(Int64(Self.pieceSize), stored.length - offset))
        let got: Int
        do { got = try stored.read(into: &piece, count: wanted, at: offset) } catch { throw unreadable(error) }
        if got == 0 { throw found(.damaged) }
        hash?.update(piece.span)
        do { try take(piece.span) } catch { throw .sink(error) }
        offset += Int64(got)
      }
      if let hash, let expected = stored.expectedHash, hash.value != expected { throw found(.damaged) }
      noteChecked()
    }
  }
}

extension ImageBody {
  /// Up to `count` of its bytes from an offset on, or none at its end, or if they cannot be read.
  package func bytes(from offset: Int64, atMost count: Int) -> [UInt8] {
    guard offset >= 0, offset < self.count else { return [] }
    let wanted = min(count, Int(clamping: self.count - offset))
    switch content {
    case .bytes(let bytes): return Array(bytes[Int(offset)..<Int(offset) + wanted])
    case .file(let stored):
      var piece: [UInt8] = []
      _ = try? stored.read(into: &piece, count: wanted, at: offset)
      return piece
    }
  }

  /// All bytes, checked.
  package func bytes() throws(BodyReadFailure) -> [UInt8] {
    if case .bytes(let bytes) = content { return bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: count))
    try read { piece in bytes.append(copying: piece) }
    return bytes
  }

  private func found(_ failure: BodyReadFailure) -> BodyReadFailure {
    damage.store(true, ordering: .releasing)
    return failure
  }

  /// The failure of reading the stored bytes. A block that cannot be read is damage like any other: a stored image is
  /// fetched again. Running out of memory is not damage.
  package func unreadable(_ error: SystemError) -> BodyReadFailure {
    error.code == .inputOutput ? found(.source(error)) : .source(error)
  }

  /// Reads a stored body that was not checked yet. It fails if that is damaged (``isDamaged`` is then true), or cannot
  /// be read now.
  func check() throws(BodyReadFailure) { if !isChecked { try read { (_) throws(SystemError) in } } }

  /// Some of its bytes, as a body of their own, or nil if they cannot be read. A stored body is checked as a whole
  /// first.
  ///
  /// - Parameter range: within the body.
  func part(_ range: ClosedRange<Int64>, spool: String) -> ImageBody? {
    switch content {
    case .bytes(let bytes): return ImageBody(.bytes([UInt8](bytes[Int(range.lowerBound)...Int(range.upperBound)])))
    case .file(let stored):
      guard isChecked || (try? read { _ in }) != nil else { return nil }
      do throws(SystemError) {
        let count = range.count
        let file = SharedDescriptor(try TemporaryFile.scratch(in: spool))
        guard try stored.copy(from: range.lowerBound, count: count, to: file.file, at: 0) == count else { return nil }
        return ImageBody(.file(Stored(descriptor: file, length: Int64(count), expectedHash: nil)))
      } catch { return nil }
    }
  }

  /// The SHA-256 of the bytes.
  ///
  /// - Parameter url: the subject of errors.
  package func sha256(for url: String) throws(FetchError) -> [UInt8] {
    var hash = SHA256()
    do throws(BodyReadFailure) { try read { hash.update($0) } } catch { throw Self.noChecksum(url) }
    return hash.finish()
  }

  /// The MD5 of the bytes.
  ///
  /// - Parameter url: the subject of errors.
  func md5(for url: String) throws(FetchError) -> [UInt8] {
    var hash = MD5()
    do throws(BodyReadFailure) { try read { hash.update($0) } } catch { throw Self.noChecksum(url) }
    return hash.finish()
  }

  private static func noChecksum(_ url: String) -> FetchError {
    FetchError(.checksum, url, "its checksum cannot be worked out: its stored bytes cannot be read")
  }
}
