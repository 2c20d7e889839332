import ImgfetchCore

/// Undoes gzip where the first bytes of a list show that it is compressed.
struct ListUnpacking {
  private enum State {
    /// Too little has come to tell.
    case unknown(head: [UInt8])
    case plain
    case packed(Guarded<GzipDecoder>)
  }

  /// The compressed bytes are damaged, or not all of them are there.
  struct Damage: Error {
    let reason: String
  }

  private var state = State.unknown(head: [])
  /// True if what follows the compressed bytes is passed over.
  private let passesRest: Bool
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// - Parameter passesRest: True to pass over what follows the compressed bytes, which else is damage.
  init(passesRest: Bool = false) { self.passesRest = passesRest }

  /// True if bytes are taken as they are, so that they need not go through here.
  var isPlain: Bool { if case .plain = state { true } else { false } }

  /// True if the list is compressed, so that no place in it can be read again.
  var isPacked: Bool {
    switch state {
    case .unknown, .plain: false
    case .packed: true
    }
  }

  /// Takes the next bytes of the input. ``next()`` must have returned nil since the ones before.
  ///
  /// - Returns: bytes that are of the list as they are.
  mutating func add(_ piece: [UInt8]) throws(Damage) -> [UInt8] {
    switch state {
    case .plain: return piece
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
    }
    return []
  }

  /// The next bytes of the list; nil if more of the input is needed.
  func next() throws(Damage) -> [UInt8]? {
    guard case .packed(let decoder) = state else { return nil }
    do throws(GzipDecoder.Damage) {
      return try decoder.withLock { (decoder) throws(GzipDecoder.Damage) in try decoder.next() }
    } catch { throw Damage(reason: "its gzip data is damaged") }
  }

  /// The input has ended.
  ///
  /// - Returns: bytes that are of the list as they are.
  func end() throws(Damage) -> [UInt8] {
    switch state {
    case .unknown(let head): return head
    case .packed(let decoder):
      let (isComplete, hasRest) = decoder.withLock { ($0.isComplete, $0.hasRest) }
      guard isComplete else { throw Damage(reason: "its gzip data is cut short") }
      // The rest may be as long as the list.
      if hasRest, !passesRest { throw Damage(reason: "something else follows its gzip data") }
      return []
    case .plain: return []
    }
  }
}
