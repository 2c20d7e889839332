import CImageShim

/// Something that is done to an image's pixels: all that decoders and encoders are called for.
///
/// A value, so that it can be handed to another process. There the bytes of ``encoded`` are what it is made from again.
package protocol PixelWork: Sendable {
  /// What it is, as bytes.
  var encoded: [UInt8] { get }

  /// Does it, here and now. The answer is what came of it, in bytes.
  /// - Parameters:
  ///   - body: An image whose structure was inspected.
  ///   - facts: What the inspection said.
  ///   - memory: Bytes that may be held.
  func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]
}

/// Where work on pixels is done.
///
/// The codecs are large, written in C and fed by strangers. So a program can have them called where a flaw in them reaches
/// neither its memory nor its user's files; a library that knows nothing of its host calls them where it is.
package protocol PixelExecutor: Sendable {
  /// Has the work done, and waits for it.
  func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8]
}

/// In this process, by the thread that asks.
package struct InProcessExecutor: PixelExecutor {
  package init() {}

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    try work.run(body, facts, memory: memory)
  }
}

/// Whether all pixels of an image can be decoded: what `--verify decode` asks on top of the walk through the structure.
package enum PixelCheck: UInt8, PixelWork {
  /// Decodes every pixel of every frame and keeps none; nothing comes of it.
  case decoding = 1
  /// The XXH3-128 of all pixels comes of it, as 16 bytes.
  case hashing

  package var encoded: [UInt8] { [rawValue] }

  /// Decodes every pixel of every frame and keeps none.
  package static func verify(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(PixelFailure) {
    _ = try PixelCheck.decoding.run(body, facts, limits)
  }

  /// The same, and a number by which the pixels can be compared: the XXH3-128 of size, bits (8 or 16) and frames (as eight
  /// bytes each, the lowest first) and of all rows of all frames as RGBA. It is the same for the same picture in another
  /// lossless format. Nil where the image would have to be held as a whole and is too large for that.
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
    let isWhole = unsafe imgfetch_decode_all(facts.format.seam, input.seam, &options, &trouble)
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
