import CImageShim

/// Decodes all pixels of an image: what `--verify decode` adds to the inspection of its structure.
package enum PixelCheck: UInt8, PixelWork {
  /// Decodes every pixel of every frame and discards it; the result is empty.
  case decoding = 1
  /// The result is the XXH3-128 of all pixels, as 16 bytes.
  case hashing

  package var encoded: [UInt8] { [rawValue] }

  /// Decodes every pixel of every frame and discards it.
  package static func verify(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) {
    _ = try PixelCheck.decoding.run(body, facts, limits)
  }

  /// True if a doubtful image has every pixel. If nothing shuts the decoder in, the image is not decoded,
  /// and counts as incomplete.
  package static func dispelsDoubt(
    about body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) -> Bool {
    limits.executor.isShutIn && (try? verify(body, facts, limits)) != nil
  }

  /// The facts about an image whose structure does not show its end, after decoding it to find the end. If it cannot be
  /// decoded, a flaw says so.
  package static func settlingEnd(
    of body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) -> ImageFacts {
    var settled = facts
    guard limits.executor.isShutIn else {
      settled.flaws.insert(.unknownEnd)
      return settled
    }
    do throws(PixelFailure) {
      try verify(body, facts, limits)
      settled.hasKnownEnd = true
    } catch {
      switch error {
      case .noLibrary, .noMemory, .noHelper, .noSandbox, .overLimit, .tooLarge, .slow, .unsupported:
        settled.flaws.insert(.unknownEnd)
      case .damaged, .crashed, .unreadable, .changed, .overtime, .stopped: throw error
      }
    }
    return settled
  }

  /// The same as ``verify(_:_:_:)``, and returns a fingerprint of the pixels: the XXH3-128 of size, bits (8 or 16)
  /// and number of frames (as eight bytes each, in little-endian order) and of all rows of all frames as RGBA. It is
  /// the same for the same picture in another lossless format. Nil where the image would have to be held as a whole
  /// and is too large for that.
  package static func checksum(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) -> ContentHash? {
    try verify(body, facts, limits)
    do throws(PixelFailure) {
      var reader = ByteReader(try PixelCheck.hashing.run(body, facts, limits))
      return reader.takeHash()
    } catch {
      guard case .tooLarge = error else { throw error }
      return nil
    }
  }

  private func run(_ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits) throws(PixelFailure) -> [UInt8] {
    try limits.admit(facts)
    return try limits.memory.holding(PixelLimits.need(facts, encoded: body.count)) { memory throws(PixelFailure) in
      try limits.executor.perform(self, body, facts, memory: memory)
    }
  }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    switch self {
    case .decoding:
      try DrawnContents.admit(body, facts.format)
      try Self.decode(EncodedInput(body), facts, memory: memory)
      return []
    case .hashing:
      var writer = ByteWriter()
      writer.put(try Self.hash(ImageDecoder(body, facts, memory: memory), frames: facts.frames))
      return writer.bytes
    }
  }

  private static func decode(_ input: EncodedInput, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) {
    var options = ImageDecoder.options(facts, memory: memory)
    var trouble = imgfetch_trouble()
    // Proof: the input's bytes live until the end of this function.
    let isWhole = unsafe imgfetch_decode_all(facts.format.traits.codec, input.cValue, &options, &trouble)
    withExtendedLifetime(input) {}
    if !isWhole { throw PixelFailure(trouble, facts.format) }
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
