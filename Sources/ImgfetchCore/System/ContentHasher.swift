import CCryptoShim
import CHashShim

/// Computes a ``ContentHash`` of bytes that arrive in pieces.
@safe
package struct ContentHasher: ~Copyable {
  private let state: OpaquePointer?

  package init() { unsafe state = imgfetch_hash_begin() }

  deinit { if let state = unsafe state { unsafe imgfetch_hash_free(state) } }

  package mutating func update(_ bytes: borrowing Span<UInt8>) {
    guard let state = unsafe state else { return }
    // Proof: the state lives until deinit; the bytes are read within the closure.
    unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_hash_feed(state, $0.baseAddress, $0.count) }
  }

  /// The hash of all bytes so far.
  package var value: ContentHash {
    guard let state = unsafe state else { return ContentHash(high: 0, low: 0) }
    let hash = unsafe imgfetch_hash_value(state)
    return ContentHash(high: hash.high, low: hash.low)
  }
}
