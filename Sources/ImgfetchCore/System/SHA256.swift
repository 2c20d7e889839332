import CCryptoShim

/// SHA-256 of bytes that come in pieces: what users give and are given as checksums, what keys are salted with, and what
/// tells whose image a file is.
///
/// It is compiled in, and as fast as OpenSSL's, whose library would take longer to load than an answer from the cache takes.
package struct SHA256: ~Copyable {
  /// How many bytes a digest has.
  package static let length = Int(IMGFETCH_SHA256_LENGTH)

  private var state = imgfetch_sha256()

  package init() { unsafe imgfetch_sha256_begin(&state) }

  package mutating func update(_ bytes: borrowing Span<UInt8>) {
    // Proof: the bytes are read within the closure.
    unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_sha256_feed(&state, $0.baseAddress, $0.count) }
  }

  /// The digest of all that came.
  package consuming func finish() -> [UInt8] {
    var state = state
    var digest = [UInt8](repeating: 0, count: Self.length)
    // Proof: the array has as many bytes as are written.
    unsafe digest.withUnsafeMutableBufferPointer { bytes in
      if let base = bytes.baseAddress { unsafe imgfetch_sha256_end(&state, base) }
    }
    return digest
  }

  /// The digest of some bytes at once.
  package static func digest(of bytes: borrowing Span<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// The first 16 bytes of the digest of some bytes, without an array for it: each image of a list needs one.
  package static func prefix(of bytes: borrowing Span<UInt8>) -> (high: UInt64, low: UInt64) {
    var hash = SHA256()
    hash.update(bytes)
    var digest = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    // Proof: these are the 32 bytes that are written.
    unsafe withUnsafeMutableBytes(of: &digest) { bytes in
      if let base = bytes.baseAddress {
        unsafe imgfetch_sha256_end(&hash.state, base.assumingMemoryBound(to: UInt8.self))
      }
    }
    return (UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1))
  }

  /// HMAC-SHA256 (RFC 2104): a digest that cannot be worked out or tried out without the key.
  package static func keyed(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    let block = Int(IMGFETCH_SHA256_BLOCK)
    var padded = key.count > block ? digest(of: key.span) : key
    padded += [UInt8](repeating: 0, count: block - padded.count)
    let (inside, outside) = (padded.map { $0 ^ 0x36 } + bytes, padded.map { $0 ^ 0x5C })
    let message = outside + digest(of: inside.span)
    return digest(of: message.span)
  }
}
