import ImgfetchCore

/// Undoes gzip where the first bytes of a list show that it is compressed. Several compressed parts, one after another,
/// are one list.
struct ListUnpacking {
  private enum State {
    /// Too little has come to tell.
    case unknown(head: [UInt8])
    case plain
    case packed(Guarded<GzipDecoder>)
    /// The end of a compressed part: another one may begin.
    case between(Guarded<GzipDecoder>, head: [UInt8])
    /// The end of the compressed parts. Bytes after them are not read.
    case over
  }

  /// The compressed bytes are damaged, or not all of them are there.
  struct Damage: Error {
    let reason: String
  }

  private var state = State.unknown(head: [])
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// True if bytes are taken as they are, so that they need not go through here.
  var isPlain: Bool { if case .plain = state { true } else { false } }

  /// True if the list is compressed, so that no place in it can be read again.
  var isPacked: Bool {
    switch state {
    case .unknown, .plain: false
    case .packed, .between, .over: true
    }
  }

  /// Takes the next bytes of the input. ``next()`` must have returned nil since the ones before.
  ///
  /// - Returns: bytes that are of the list as they are.
  mutating func add(_ piece: [UInt8]) throws(Damage) -> [UInt8] {
    switch state {
    case .plain: return piece
    case .over: return []
    case .packed(let decoder): decoder.withLock { $0.add(piece) }
    case .unknown(let head):
      let head = head + piece
      if head.count < Self.magic.count, Self.magic.starts(with: head) {
        state = .unknown(head: head)
      } else if head.starts(with: Self.magic) {
        guard let decoder = GzipDecoder() else { throw Damage(reason: "there is no memory to undo gzip") }
        decoder.add(head)
        state = .packed(Guarded(decoder))
      } else {
        state = .plain
        return head
      }
    case .between(let decoder, let head): goOn(decoder, head + piece)
    }
    return []
  }

  private mutating func goOn(_ decoder: Guarded<GzipDecoder>, _ head: [UInt8]) {
    if head.count < Self.magic.count {
      state = .between(decoder, head: head)
    } else if head.starts(with: Self.magic) {
      decoder.withLock {
        $0.restart()
        $0.add(head)
      }
      state = .packed(decoder)
    } else {
      state = .over
    }
  }

  /// The next bytes of the list; nil if more of the input is needed.
  mutating func next() throws(Damage) -> [UInt8]? {
    while case .packed(let decoder) = state {
      do throws(GzipDecoder.Damage) {
        if let text = try decoder.withLock({ (decoder) throws(GzipDecoder.Damage) in try decoder.next() }) {
          return text
        }
      } catch { throw Damage(reason: "its gzip data is damaged") }
      let (isComplete, rest) = decoder.withLock { ($0.isComplete, Array($0.rest)) }
      if !isComplete { return nil }
      goOn(decoder, rest)
    }
    return nil
  }

  /// The input has ended.
  ///
  /// - Returns: bytes that are of the list as they are.
  func end() throws(Damage) -> [UInt8] {
    switch state {
    case .unknown(let head): return head
    case .packed: throw Damage(reason: "its gzip data is cut short")
    case .plain, .between, .over: return []
    }
  }
}
