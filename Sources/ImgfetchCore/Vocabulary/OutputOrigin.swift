/// The image and the transform that an output was made with, in 48 bits. They need not withstand an attack: a server
/// can only make a thumbnail of its own image collide.
package struct OutputOrigin: Hashable, Sendable {
  let bits: UInt64

  /// - Parameters:
  ///   - source: the hash of the image that the output is made of.
  ///   - signature: the transform's signature.
  package init(source: ContentHash, signature: UInt64) {
    var writer = ByteWriter()
    for word in [source.high, source.low, signature] { writer.put(word) }
    bits = ContentHash(of: writer.bytes.span).low >> 16
  }

  init(bits: UInt64) { self.bits = bits & (1 << 48 - 1) }
}
