/// The image and the transform that an output was made with, in 48 bits. They need not withstand an attack: a server
/// can only make a thumbnail of its own image collide.
package struct OutputOrigin: Hashable, Sendable {
  let bits: UInt64

  /// - Parameters:
  ///   - source: the hash of the image that the output is made of.
  ///   - signature: the transform's signature.
  package init(source: ContentHash, signature: UInt64) {
    var bytes: [UInt8] = []
    for word in [source.high, source.low, signature] {
      for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * place))) }
    }
    bits = ContentHash(of: bytes.span).low >> 16
  }

  init(bits: UInt64) { self.bits = bits & (1 << 48 - 1) }
}
