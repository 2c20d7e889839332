/// The image that pixel work is for.
package struct PixelScope: Sendable, Hashable {
  /// The origin of the image, as scheme, host and port. Empty means that the image is from this machine.
  package var origin = ""
  /// The time after which the result is useless, or nil if there is none.
  package var deadline: Instant?

  package init() {}

  /// Creates the scope for an image that came from this URL.
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
