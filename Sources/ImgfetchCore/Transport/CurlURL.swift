import CCurlShim

/// A handle's URL in the parsed form that libcurl takes (CURLOPT_CURLU). Given text, libcurl parses, rewrites and
/// parses it again for each request: 13,000 of the 73,000 instructions that it needs for a small image over a kept
/// connection. Here the origin is parsed once, and after that only path and query change.
@safe
struct CurlURL: ~Copyable {
  /// Nil if there was no memory for it.
  let handle: OpaquePointer?
  /// Scheme and authority of what the handle holds; empty if nothing in it can be reused.
  private var origin: [UInt8] = []

  init() { unsafe handle = imgfetch_url() }

  deinit { if let handle = unsafe handle { unsafe imgfetch_url_cleanup(handle) } }

  /// Sets the URL. Returns false if nothing is set. libcurl must then parse the text and report what is wrong with it.
  mutating func set(_ url: String) -> Bool {
    let bytes = url.utf8Span.span
    let held = origin
    origin = []
    guard let handle = unsafe handle, let target = Target(in: bytes) else { return false }
    let begin = bytes.extracting(..<target.start)
    if !target.isEscaped, held.span.isSame(as: begin) {
      guard unsafe Self.put(target, of: bytes, into: handle) else { return false }
      origin = held
    } else {
      // Proof: libcurl copies the text during the call; the bytes are read within the closure.
      guard unsafe url.withCString({ unsafe imgfetch_url_set(handle, CURLUPART_URL, $0) }) else { return false }
      origin = unsafe begin.withUnsafeBufferPointer { unsafe Array($0) }
    }
    return true
  }

  private static func put(_ target: Target, of bytes: Span<UInt8>, into handle: OpaquePointer) -> Bool {
    let length = bytes.count - target.start
    // Proof: the buffer has room for the target and a NUL, and is wholly written. The query starts within it, since
    // there is a query only after a `?`. libcurl copies both texts during its calls.
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text -> Bool in
      for index in 0..<length { unsafe text[index] = CChar(bitPattern: bytes[target.start + index]) }
      unsafe text[length] = 0
      guard let path = text.baseAddress else { return false }
      var query: UnsafeMutablePointer<CChar>?
      if let mark = target.mark {
        unsafe text[mark - target.start] = 0
        unsafe query = path + (mark - target.start + 1)
      }
      return unsafe imgfetch_url_set(handle, CURLUPART_PATH, path)
        && imgfetch_url_set(handle, CURLUPART_QUERY, query)
    }
  }

  /// The part of a URL after the authority.
  private struct Target {
    let start: Int
    /// The place of the `?`.
    let mark: Int?
    /// libcurl lowers the case of escapes in a part that is set by itself, and signed URLs are signed over exactly
    /// these bytes.
    let isEscaped: Bool

    /// Nil if the URL does not begin like an http URL, or if libcurl must look for more in it than name, path and
    /// query, or for something to reject. An escape before the path is such a case: it may introduce a zone (RFC 6874),
    /// which libcurl 7.88 loses from a parsed URL.
    init?(in bytes: Span<UInt8>) {
      guard let authority = Self.authority(bytes) else { return nil }
      var start: Int?
      var mark: Int?
      var isEscaped = false
      for index in authority..<bytes.count {
        switch bytes[index] {
        case 0...0x20, 0x7F..., UInt8(ascii: "#"): return nil
        case UInt8(ascii: "/") where start == nil:
          if index == authority { return nil }
          start = index
        case UInt8(ascii: "?") where mark == nil:
          if start == nil { return nil }
          mark = index
        case UInt8(ascii: "%"):
          if start == nil { return nil }
          isEscaped = true
        default: break
        }
      }
      guard let start else { return nil }
      self.start = start
      self.mark = mark
      self.isEscaped = isEscaped
    }

    /// Where the authority begins.
    private static func authority(_ bytes: Span<UInt8>) -> Int? {
      guard bytes.count > 8 else { return nil }
      let length = bytes[4] == UInt8(ascii: "s") ? 8 : 7
      let begin = length == 8 ? "https://" : "http://"
      return bytes.extracting(..<length).isSame(as: begin.utf8Span.span) ? length : nil
    }
  }
}
