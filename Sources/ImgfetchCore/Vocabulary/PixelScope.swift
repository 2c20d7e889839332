/// What pixel work is done for.
package struct PixelScope: Sendable, Hashable {
  /// The origin of the image, as scheme, host and port; empty: it is from this machine.
  package var origin = ""
  /// When the result is of no use any more; nil: always.
  package var deadline: Instant?

  package init() {}

  /// For an image that came from this URL.
  package init(url: String, deadline: Instant?) {
    let bytes = url.utf8
    var slashes = 0
    origin = String(
      decoding: bytes.prefix { byte in
        if byte == UInt8(ascii: "/") { slashes += 1 }
        return slashes < 3
      }, as: UTF8.self)
    self.deadline = deadline
  }
}
