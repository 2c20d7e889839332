import CCryptoShim

/// SHA-256 of bytes that come in pieces: what users give and are given as checksums, and what keys are salted with.
///
/// It is OpenSSL's, which uses the processor's own instructions: a gigabyte takes half a second where they exist. The
/// library is loaded by the first of these in a process.
@safe
package struct SHA256: ~Copyable {
  /// How many bytes a digest has.
  package static let length = Int(IMGFETCH_SHA256_LENGTH)

  /// Why there can be none, as a sentence for the user.
  package struct Unavailable: Error, Hashable, Sendable {
    package let reason: String
  }

  private let state: OpaquePointer
  private var isWhole = true

  package init() throws(Unavailable) {
    try Self.load()
    guard let state = unsafe imgfetch_sha256_begin() else { throw Unavailable(reason: "there is not enough memory") }
    unsafe self.state = state
  }

  deinit { unsafe imgfetch_sha256_free(state) }

  package mutating func update(_ bytes: borrowing Span<UInt8>) {
    // Proof: the state lives until deinit; the bytes are read within the closure.
    let taken = unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_sha256_feed(state, $0.baseAddress, $0.count) }
    if !taken { isWhole = false }
  }

  /// The digest of all that came.
  package consuming func finish() throws(Unavailable) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.length)
    let state = unsafe state
    // Proof: the array has as many bytes as are written.
    let ended = unsafe digest.withUnsafeMutableBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe imgfetch_sha256_end(state, $0) } ?? false
    }
    guard ended, isWhole else { throw Unavailable(reason: "libcrypto could not work the checksum out") }
    return digest
  }

  /// The digest of some bytes at once.
  package static func digest(of bytes: borrowing Span<UInt8>) throws(Unavailable) -> [UInt8] {
    var hash = try SHA256()
    hash.update(bytes)
    return try hash.finish()
  }

  /// HMAC-SHA256: a digest that nobody can work out or try out who has not the key.
  package static func keyed(_ key: [UInt8], _ bytes: [UInt8]) throws(Unavailable) -> [UInt8] {
    try load()
    var digest = [UInt8](repeating: 0, count: length)
    // Proof: all three are lent for the call alone; the last has as many bytes as are written.
    let done = unsafe key.withUnsafeBufferPointer { key in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe digest.withUnsafeMutableBufferPointer { digest in
          guard let base = key.baseAddress, let out = digest.baseAddress else { return false }
          return unsafe imgfetch_hmac_sha256(base, key.count, bytes.baseAddress, bytes.count, out)
        }
      }
    }
    guard done else { throw Unavailable(reason: "libcrypto could not work the checksum out") }
    return digest
  }

  private static func load() throws(Unavailable) {
    // Proof: the answer is a string that lives as long as the process.
    if let problem = unsafe imgfetch_crypto_load() {
      throw Unavailable(
        reason: "OpenSSL's libcrypto is needed and cannot be used (\(unsafe String(cString: problem))); install it "
          + "(on Debian and Ubuntu: apt-get install libssl3)")
    }
  }
}
