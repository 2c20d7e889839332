/// A transform and the details of the image that it is made of, as one job: a helper gets the image once.
package struct DescribedTransform: PixelWork, Hashable {
  let transform: ImageTransform
  let details: DetailWork

  package init(_ transform: ImageTransform, _ details: DetailWork) {
    self.transform = transform
    self.details = details
  }

  /// The first byte of the encoded work; other kinds of work begin with others.
  private static let mark: UInt8 = 0x61

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.mark)
    writer.put(details.wanted.bits)
    writer.put(raw: transform.encoded)
    return writer.bytes
  }

  /// Nil where the bytes are not ``encoded`` work.
  package init?(encoded bytes: [UInt8]) {
    guard bytes.count > 2, bytes[0] == Self.mark, let transform = ImageTransform(encoded: Array(bytes[2...])) else {
      return nil
    }
    self.transform = transform
    details = DetailWork(ImageDetailSet(bits: bytes[1]))
  }

  package func longestResult(_ facts: ImageFacts, encoded: Int64) -> Int {
    let made = transform.longestResult(facts, encoded: encoded)
    return made.addingReportingOverflow(details.longestResult(facts, encoded: encoded) + 4).partialValue
  }

  package func encodingSeconds(_ facts: ImageFacts) -> Int64 { transform.encodingSeconds(facts) }

  package func formats(for facts: ImageFacts) -> Set<ImageFormat> { transform.formats(for: facts) }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    // The transform comes first: it may yield the small picture for the details at no cost.
    var (made, decoder) = try transform.run(body, facts, memory: memory, keepsEighth: details.wanted.needsPixels)
    // Otherwise its memory is free for another decoder.
    if decoder?.eighth == nil { decoder = nil }
    let described = try details.run(body, facts, memory: memory) { decoder?.eighth }
    var writer = ByteWriter(capacity: 4 + described.count + made.count)
    writer.put(UInt32(clamping: described.count))
    writer.put(raw: described)
    writer.put(raw: made)
    return writer.bytes
  }
}

extension ImageTransform {
  /// The result of ``apply(to:_:_:)``, and details of the image. Nil if the transform changes nothing, or needs no
  /// codec.
  package func apply(
    to image: InspectedImage, describing wanted: ImageDetailSet, _ limits: PixelLimits
  ) throws(TransformFailure) -> DescribedResult? {
    let (body, facts) = (image.body, image.facts)
    guard let plan = try plan(for: facts, limits), !keepsPixels(facts, plan) else { return nil }
    let work = DescribedTransform(self, DetailWork(wanted))
    // Three bytes for each of its pixels, with those at the edges.
    let eighth = Int64(facts.width / 8 + 1) * Int64(facts.height / 8 + 1) * 3
    let most = max(need(facts, plan, encoded: body.count) + eighth, work.details.need(facts, encoded: body.count))
    let answer: [UInt8]
    do {
      answer = try limits.memory.holding(most) { memory throws(PixelFailure) in
        try limits.executor.perform(work, body, facts, memory: memory)
      }
    } catch { throw .pixels(error) }
    var reader = ByteReader(answer)
    guard let count = reader.take(UInt32.self), let described = reader.takeRaw(Int(count)),
      let details = ImageDetails(encoded: Array(described)), details.known.contains(wanted)
    else { throw .pixels(.damaged(facts.format, reason: "its decoder answered with something else")) }
    let bytes = Array(answer[(4 + Int(count))...])
    return DescribedResult(
      made: InspectedImage(body: ImageBody(.bytes(bytes)), facts: try inspect(bytes)), details: details)
  }
}
