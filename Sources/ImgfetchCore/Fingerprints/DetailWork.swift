/// Works out the details of an image: pixel work whose result is ``ImageDetails``, encoded.
package struct DetailWork: PixelWork, Hashable {
  package let wanted: ImageDetailSet

  package init(_ wanted: ImageDetailSet) { self.wanted = wanted }

  /// Loads what reads Exif, in a process that is about to give up the right to open files.
  package static func prepare() { ExifReader.prepare() }

  /// The first byte of the encoded work; other kinds of work begin with others.
  private static let mark: UInt8 = 0x60

  package var encoded: [UInt8] { [Self.mark, wanted.bits] }

  /// Nil where the bytes are not ``encoded`` work.
  package init?(encoded bytes: [UInt8]) {
    guard bytes.count == 2, bytes[0] == Self.mark else { return nil }
    wanted = ImageDetailSet(bits: bytes[1])
  }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    try run(body, facts, memory: memory) { nil }
  }

  /// Computes the details.
  ///
  /// - Parameter eighth: rows of the image at an eighth of its size, from the first one on each time, or nil
  ///   if they are not at hand.
  package func run(
    _ body: ImageBody, _ facts: ImageFacts, memory: Int64, eighth: () -> (any RowSource)?
  ) throws(PixelFailure) -> [UInt8] {
    var exif: ExifFacts?
    if wanted.contains(.exif) {
      let read = facts.format == .tiff ? ExifWork.block(of: body, facts) : nil
      let block = if let read { read } else { try ImageDecoder(body, facts, memory: memory).exif }
      if !block.isEmpty { exif = ExifFacts(try ExifReader(block, facts.format)) }
    }
    return ImageDetails(
      fingerprints: try fingerprints(of: body, facts, memory: memory, eighth), exif: exif,
      readsExif: wanted.contains(.exif)
    ).encoded
  }

  /// Placeholders are of the picture as it is shown: upright. Hashes are of the pixels as stored, as the programs
  /// compute them that others fill their databases with, and which do not look at alpha either.
  private func fingerprints(
    of body: ImageBody, _ facts: ImageFacts, memory: Int64, _ eighth: () -> (any RowSource)?
  ) throws(PixelFailure) -> [(ImageDetail, String)] {
    guard wanted.needsPixels else { return [] }
    var texts: [(ImageDetail, String)] = []
    var opaque: SmallPicture?
    if wanted.contains(.thumbhash) || wanted.contains(.blurhash) {
      let way = Orientation(exif: facts.orientation)
      if wanted.contains(.thumbhash) {
        let picture = try SmallPicture(body, facts, .kept, eighth: eighth(), memory: memory)
        texts.append((.thumbhash, try ThumbHash.text(of: picture.turned(way))))
        if !facts.hasAlpha { opaque = picture }
      }
      if wanted.contains(.blurhash) {
        let picture =
          if let opaque { opaque } else { try SmallPicture(body, facts, .dropped, eighth: eighth(), memory: memory) }
        texts.append((.blurhash, try BlurHash.text(of: picture.turned(way))))
        opaque = picture
      }
    }
    guard wanted.contains(.dhash) || wanted.contains(.phash) else { return texts }
    // For a narrow image, the placeholders' picture has too few pixels across.
    let least = PerceptualHash.side
    let size = PixelSize(facts.width, facts.height)
    let isWideEnough = SmallPicture.size(of: size) == SmallPicture.size(of: size, least)
    let picture =
      if let opaque, isWideEnough { opaque } else {
        try SmallPicture(body, facts, leastSide: least, .dropped, eighth: eighth(), memory: memory)
      }
    let grey = picture.grey
    if wanted.contains(.dhash) { texts.append((.dhash, DifferenceHash.text(of: grey))) }
    if wanted.contains(.phash) { texts.append((.phash, PerceptualHash.text(of: grey))) }
    return texts
  }

  /// The most memory that may be needed.
  package func need(_ facts: ImageFacts, encoded: Int64) -> Int64 {
    PixelLimits.need(facts, encoded: encoded) + (wanted.needsPixels ? SmallPicture.scalingNeed(facts) : 0)
  }

  /// Has `limits` compute the details, and waits for memory and result.
  package func details(
    of body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits
  ) throws(PixelFailure) -> ImageDetails {
    if !wanted.needsPixels, wanted.contains(.exif), let block = ExifWork.block(of: body, facts) {
      return try ExifWork.details(of: block, facts, limits)
    }
    // The first picture alone is decoded, and for Exif none.
    try limits.admit(facts, frames: 1)
    let bytes = try limits.memory.holding(need(facts, encoded: body.count)) {
      memory throws(PixelFailure) in
      try limits.executor.perform(self, body, facts, memory: memory)
    }
    guard let details = ImageDetails(encoded: bytes), details.known.contains(wanted) else {
      throw .damaged(facts.format, reason: "its decoder answered with something else")
    }
    return details
  }
}
