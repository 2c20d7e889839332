import CCryptoShim
import CHashShim

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
