import CImageShim

/// Whether all pixels of an image can be decoded: what `--verify decode` asks on top of the walk through the structure.
package enum PixelCheck {
  /// Decodes every pixel of every frame and keeps none.
  package static func verify(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) {
    try limits.admit(facts)
    try limits.memory.holding(PixelLimits.need(facts, encoded: body.count)) { memory throws(PixelFailure) in
      try verify(EncodedInput(body), facts, memory: memory)
    }
  }

  private static func verify(
    _ input: EncodedInput, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) {
    var options = ImageDecoder.options(facts, memory: memory)
    var trouble = imgfetch_trouble()
    // Proof: the input's bytes live until the end of this function.
    let isWhole = unsafe imgfetch_decode_all(facts.format.seam, input.seam, &options, &trouble)
    withExtendedLifetime(input) {}
    if !isWhole { throw PixelFailure(trouble, facts.format) }
  }

  /// The same, and a number by which the pixels can be compared: the XXH3-128 of size, bits (8 or 16) and frames (as eight
  /// bytes each, the lowest first) and of all rows of all frames as RGBA. It is the same for the same picture in another
  /// lossless format. Nil where the image would have to be held as a whole and is too large for that.
  package static func checksum(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) -> ContentHash? {
    try verify(body, facts, limits)
    do throws(PixelFailure) {
      return try limits.memory.holding(PixelLimits.need(facts, encoded: body.count)) { memory throws(PixelFailure) in
        try hash(ImageDecoder(body, facts, memory: memory), frames: facts.frames)
      }
    } catch {
      guard case .tooLarge = error else { throw error }
      return nil
    }
  }

  private static func hash(_ decoder: ImageDecoder, frames: Int) throws(PixelFailure) -> ContentHash {
    let layout = decoder.layout
    let head = [layout.width, layout.height, layout.bits, frames].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var hasher = ContentHasher()
    hasher.update(head.span)
    let converter = RowConverter(from: layout, to: .rgba)
    var row = [UInt8](repeating: 0, count: layout.rowBytes)
    var canonical: [UInt8] = []
    while try decoder.next() != nil {
      for _ in 0..<layout.height {
        try decoder.read(into: &row)
        converter.convert(row, into: &canonical)
        hasher.update(canonical.span)
      }
    }
    return hasher.value
  }
}
