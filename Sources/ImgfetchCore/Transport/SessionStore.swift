import CCurlShim

/// The TLS sessions of a run: a further connection to an origin continues an earlier session, and its handshake costs
/// less.
///
/// libcurl keeps eight sessions in one store that handles share, and drops the oldest. So there are many such stores,
/// and each origin has one of them. They belong to the loop's thread.
@safe
final class SessionStore {
  /// The places. A place is nil if it has not been made, or if there was no memory for it.
  private var shares: [UnsafeMutableRawPointer?]

  /// Enough places, of eight sessions each, for the connections that are open at once. A session holds the server's
  /// certificates, some 10 KB.
  private static let places = 64

  init() { unsafe shares = Array(repeating: nil, count: Self.places) }

  /// The place for the sessions of a URL's origin, or nil if they are not kept. It stays until ``close()``.
  func share(for url: String) -> UnsafeMutableRawPointer? {
    let place = Self.place(of: url)
    if let share = unsafe shares[place] { return unsafe share }
    unsafe shares[place] = imgfetch_share_sessions()
    return unsafe shares[place]
  }

  /// The number of the place, which is the same for all URLs of an origin.
  static func place(of url: String) -> Int {
    var (hash, slashes) = (UInt64(0xCBF2_9CE4_8422_2325), 0)
    for byte in url.utf8 {
      if byte == UInt8(ascii: "/") { slashes += 1 }
      if slashes == 3 || byte == UInt8(ascii: "?") { break }
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return Int(truncatingIfNeeded: (hash ^ hash >> 32) % UInt64(places))
  }

  /// Frees all places. No handle may be left that uses one.
  func close() {
    for place in 0..<Self.places { if let share = unsafe shares[place] { unsafe imgfetch_share_cleanup(share) } }
    unsafe shares = Array(repeating: nil, count: Self.places)
  }
}
