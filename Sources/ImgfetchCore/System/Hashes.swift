import CCryptoShim
import CHashShim

/// The XXH3-128 hash of some bytes. It names entries by their keys, and detects damage to stored bytes.
///
/// It is no protection against an adversary. The cache's folder belongs to its user alone.
package struct ContentHash: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(of bytes: borrowing Span<UInt8>) {
    // Proof: the hash reads `count` bytes from the base address, within the closure.
    let hash = unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_hash($0.baseAddress, $0.count) }
    self.init(high: hash.high, low: hash.low)
  }

  package init(of text: String) {
    var text = text
    let hash = text.withUTF8 { unsafe imgfetch_hash($0.baseAddress, $0.count) }
    self.init(high: hash.high, low: hash.low)
  }

  /// 32 hex digits.
  package var hex: String { String(decoding: hexDigits, as: UTF8.self) }

  /// The same as ASCII bytes.
  package var hexDigits: [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for place in 0..<32 { digits.append(hexDigit(at: place)) }
    return digits
  }

  /// One of the 32 digits, in ASCII.
  package func hexDigit(at place: Int) -> UInt8 {
    let half = place < 16 ? high : low
    return Self.digit(UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (place & 15))) & 15)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}

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

/// SHA-256 of bytes that arrive in pieces: for users' checksums, for salts, and for the marks on output files.
///
/// It is compiled in. It is as fast as OpenSSL's, whose library would take longer to load than a cache hit takes.
package struct SHA256: ~Copyable {
  /// The number of bytes of a digest.
  package static let length = Int(IMGFETCH_SHA256_LENGTH)

  private var state = imgfetch_sha256()

  package init() { unsafe imgfetch_sha256_begin(&state) }

  package mutating func update(_ bytes: borrowing Span<UInt8>) {
    // Proof: the bytes are read within the closure.
    unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_sha256_feed(&state, $0.baseAddress, $0.count) }
  }

  /// The digest of all bytes.
  package consuming func finish() -> [UInt8] {
    var state = state
    var digest = [UInt8](repeating: 0, count: Self.length)
    // Proof: the call writes as many bytes as the array has.
    unsafe digest.withUnsafeMutableBufferPointer { bytes in
      if let base = bytes.baseAddress { unsafe imgfetch_sha256_end(&state, base) }
    }
    return digest
  }

  /// The digest of bytes that are at hand.
  package static func digest(of bytes: borrowing Span<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// The first 16 bytes of the digest, without an array: each image of a list needs one.
  package static func prefix(of bytes: borrowing Span<UInt8>) -> (high: UInt64, low: UInt64) {
    var hash = SHA256()
    hash.update(bytes)
    var digest = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    // Proof: the call writes 32 bytes, which is the size of `digest`.
    unsafe withUnsafeMutableBytes(of: &digest) { bytes in
      if let base = bytes.baseAddress {
        unsafe imgfetch_sha256_end(&hash.state, base.assumingMemoryBound(to: UInt8.self))
      }
    }
    return (UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1))
  }

  /// HMAC-SHA256 (RFC 2104): a digest that cannot be computed or guessed without the key.
  package static func keyed(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    let block = Int(IMGFETCH_SHA256_BLOCK)
    var padded = key.count > block ? digest(of: key.span) : key
    padded += [UInt8](repeating: 0, count: block - padded.count)
    let (inside, outside) = (padded.map { $0 ^ 0x36 } + bytes, padded.map { $0 ^ 0x5C })
    let message = outside + digest(of: inside.span)
    return digest(of: message.span)
  }
}
