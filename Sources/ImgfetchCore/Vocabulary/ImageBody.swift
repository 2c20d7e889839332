import Synchronization

/// An image's bytes, in memory or in a file.
public final class ImageBody: Sendable {
  /// A file that holds the body from its first byte on, and perhaps more behind it.
  package struct Stored: Sendable {
    package let descriptor: SharedDescriptor
    package let length: Int64
    /// What the body's hash must be. Nil: it was hashed or written by this process, and is right.
    package let expectedHash: ContentHash?

    package init(descriptor: SharedDescriptor, length: Int64, expectedHash: ContentHash?) {
      self.descriptor = descriptor
      self.length = length
      self.expectedHash = expectedHash
    }
  }

  package enum Content: Sendable {
    case bytes([UInt8])
    case file(Stored)
  }

  package let content: Content
  /// Set once a reading found that the stored bytes are not those that were stored.
  private let damage = Atomic<Bool>(false)

  /// Whether a reading found the stored bytes damaged. Whatever was made of them must be thrown away.
  package var isDamaged: Bool { damage.load(ordering: .acquiring) }

  /// Set once a stored body has been read to its end and was right, so that further outputs need not check it again.
  private let wasChecked = Atomic<Bool>(false)

  // The hash of its bytes, once it is known: of several outputs, the first works it out.
  private let hashHigh: Atomic<UInt64>
  private let hashLow: Atomic<UInt64>
  private let isHashKnown: Atomic<Bool>

  /// - Parameter hash: the hash of the bytes, where that is known; that of a stored body that is to be checked is.
  package init(_ content: Content, hash: ContentHash? = nil) {
    self.content = content
    var hash = hash
    if case .file(let stored) = content, let expected = stored.expectedHash { hash = expected }
    hashHigh = Atomic(hash?.high ?? 0)
    hashLow = Atomic(hash?.low ?? 0)
    isHashKnown = Atomic(hash != nil)
  }

  /// The hash of the bytes where it is known: of a body that was not checked yet, what it must be.
  package var knownHash: ContentHash? {
    guard isHashKnown.load(ordering: .acquiring) else { return nil }
    return ContentHash(high: hashHigh.load(ordering: .relaxed), low: hashLow.load(ordering: .relaxed))
  }

  /// The same, worked out if it is not known.
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

  /// Whether the bytes are known to be right, so that they may be copied without being looked at.
  package var isChecked: Bool {
    switch content {
    case .bytes: true
    case .file(let stored): stored.expectedHash == nil || wasChecked.load(ordering: .relaxed)
    }
  }

  /// For those who read and hash the stored bytes by themselves, and found them right.
  package func noteChecked() { wasChecked.store(true, ordering: .relaxed) }

  /// How many bytes it has.
  public var count: Int64 {
    switch content {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(let stored): stored.length
    }
  }

  /// A piece of the file for each turn: large enough that calls cost nothing, small enough for the processor's cache.
  private static let pieceSize = 128 << 10

  /// Hands the bytes over, piece by piece and once.
  ///
  /// A stored body is checked while it is read: if it turns out damaged, this throws ``BodyReadFailure/damaged`` after the
  /// last piece, and whatever was made of the pieces must be thrown away.
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
        do { got = try stored.descriptor.file.read(into: &piece, count: wanted, at: offset) } catch {
          throw .source(error)
        }
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
  private func found(_ failure: BodyReadFailure) -> BodyReadFailure {
    damage.store(true, ordering: .releasing)
    return failure
  }
}

/// Why a body could not be handed over.
package enum BodyReadFailure: Error {
  /// The stored bytes are not those that were stored.
  case damaged
  /// They could not be read.
  case source(SystemError)
  /// The taker could not take them.
  case sink(SystemError)
}
