import CCurlShim

/// The origin that a handle's requests go to, in libcurl's parts (CURLOPT_CURLU).
///
/// libcurl parses a URL, writes it anew and takes that apart, for each request (<doc:Speed> has the cost). Nearly all
/// requests of a handle go to the origin of the one before.
@safe
struct CurlOrigin: ~Copyable {
  /// The parsed URL, or nil if there was no memory for it.
  let parts: OpaquePointer?
  /// The origin that the parts hold, or empty for none.
  private(set) var text = ""

  init() { unsafe parts = imgfetch_url() }

  deinit { if let parts = unsafe parts { unsafe imgfetch_url_cleanup(parts) } }

  /// True if the handle holds the origin with which `url` begins.
  func holds(_ url: String, upTo end: Int) -> Bool {
    text.utf8Span.span.isSame(as: url.utf8Span.span.extracting(..<end))
  }

  /// Holds that origin from now on. No request of the handle may be under way.
  ///
  /// - Returns: True if it does. If not, libcurl is to read the whole URL, and to report its error.
  mutating func become(_ url: String, upTo end: Int) -> Bool {
    text = ""
    guard let parts = unsafe parts else { return false }
    let origin = String(url.utf8Span.span, 0..<end)
    // Proof: libcurl copies the text during the call.
    guard unsafe origin.withCString({ unsafe imgfetch_url_set(parts, $0) }) else { return false }
    text = origin
    return true
  }
}
