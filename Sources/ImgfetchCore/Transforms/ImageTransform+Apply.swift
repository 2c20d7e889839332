extension ImageTransform {
  /// Transforms an image. If nothing has to be done, the result is the image itself, byte for byte.
  ///
  /// It takes as long as decoding and encoding do, and waits for memory before it begins: call it on a disk thread.
  /// - Parameters:
  ///   - body: An image that passed inspection.
  ///   - facts: The result of the inspection.
  package func apply(
    to body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits = PixelLimits()
  ) throws(TransformFailure) -> InspectedImage {
    guard let plan = try plan(for: facts, limits) else { return InspectedImage(body: body, facts: facts) }
    var kept: Edited?
    if keepsPixels(facts, plan), !strips {
      do { kept = try edited(body, facts, plan, limits) } catch { throw .pixels(error) }
      // What is said about it cannot be told from its pixels, so that these alone are taken along.
      if kept == nil { try admit(facts, plan, limits) }
    }
    let bytes: [UInt8]
    switch kept {
    case .same: return InspectedImage(body: body, facts: facts)
    case .other(let edited): bytes = edited
    case nil: do { bytes = try result(of: body, facts, plan, limits) } catch { throw .pixels(error) }
    }
    return InspectedImage(body: ImageBody(.bytes(bytes)), facts: try inspect(bytes))
  }

  private func result(
    of body: ImageBody, _ facts: ImageFacts, _ plan: TransformPlan, _ limits: PixelLimits
  ) throws(PixelFailure) -> [UInt8] {
    if stripsOnly(facts, plan), !facts.hasColourProfile {
      let bare = try limits.memory.holding(2 * body.count) { memory throws(PixelFailure) in
        try stripped(body, facts, memory: memory)
      }
      if let bare { return bare }
    }
    return try limits.memory.holding(need(facts, plan, encoded: body.count)) { memory throws(PixelFailure) in
      try limits.executor.perform(self, body, facts, memory: memory)
    }
  }

  /// The changes to be made to such an image, or nil for none.
  func plan(for facts: ImageFacts, _ limits: PixelLimits) throws(TransformFailure) -> TransformPlan? {
    let plan = try TransformPlan(
      steps, size: PixelSize(facts.width, facts.height), orientation: facts.orientation,
      orientsFirst: !keepsOrientation)
    if isDone(facts, plan) { return nil }
    // Where nothing is decoded, frames need not be counted together.
    if keepsPixels(facts, plan), !strips { return plan }
    try admit(facts, plan, limits)
    return plan
  }

  private func admit(_ facts: ImageFacts, _ plan: TransformPlan, _ limits: PixelLimits) throws(TransformFailure) {
    // Where one picture is made, the decoder is not asked for the others.
    do { try limits.admit(facts, frames: frames(of: facts)) } catch { throw .pixels(error) }
    try admit(plan, facts, limits)
  }

  /// True if the image needs no change.
  private func isDone(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    guard !isIdentity else { return true }
    return keepsPixels(facts, plan) && !strips && keepsMetadata && !(plan.isOriented && facts.orientation != 1)
  }

  /// True if the coded pixels stay as they are.
  func keepsPixels(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    plan.isIdentity && keepsFormat(of: facts) && quality == nil && !(takesFirstFrame && facts.frames > 1)
  }

  private func admit(_ plan: TransformPlan, _ facts: ImageFacts, _ limits: PixelLimits) throws(TransformFailure) {
    for stage in plan.stages {
      let pixels = max(stage.size.area, stage.result.area).multipliedReportingOverflow(
        by: Int64(max(1, frames(of: facts))))
      if pixels.overflow || pixels.partialValue > limits.maxPixels {
        throw .tooLarge(stage.bordered ?? stage.size, limit: limits.maxPixels)
      }
    }
    // Without metadata alone, an image is no longer than it was.
    if keepsPixels(facts, plan) { return }
    let target = format(for: facts)
    guard max(plan.result.width, plan.result.height) <= target.traits.longestSide else {
      throw .tooLong(plan.result, target)
    }
  }

  /// The number of pictures in the result.
  func frames(of facts: ImageFacts) -> Int {
    // The pages of a TIFF are no animation: the first one is decoded.
    takesFirstFrame || facts.format == .tiff || format(for: facts).traits.animation == .none ? 1 : facts.frames
  }

  /// The most memory that may be needed: by the decoder, for scaling and rotating, and by the encoder.
  func need(_ facts: ImageFacts, _ plan: TransformPlan, encoded: Int64) -> Int64 {
    let turned = plan.stages.reduce(Int64(0)) { $0 + ($1.orientation == .upright ? 0 : $1.result.area * 8) }
    return PixelLimits.need(facts, encoded: encoded) + turned + scaled(facts, plan)
      + plan.result.area * format(for: facts).traits.encodingBytes
  }

  /// The memory for scaling. Only the decoder knows the samples' number and width, so the largest are assumed.
  private func scaled(_ facts: ImageFacts, _ plan: TransformPlan) -> Int64 {
    var bytes: Int64 = 0
    for (place, stage) in plan.stages.enumerated() where stage.isScaled {
      let shrinking = Shrinking(stage, of: plan.source, facts.format, isAnimated: facts.frames > 1)
      let part = place == 0 ? shrinking.part.size : stage.part.size
      let region = place == 0 ? shrinking.region : PixelRegion(stage.part.size)
      let bits = facts.format.traits.has16Bits && facts.bits > 8 ? 16 : 8
      bytes +=
        Scaling(
          PixelLayout(width: part.width, height: part.height, model: .rgba, bits: bits), region, to: stage.size
        ).bytes
    }
    return bytes
  }

  /// The result is inspected like every other image: reports need its facts, and an encoder's mistakes are not
  /// delivered.
  func inspect(_ bytes: [UInt8]) throws(TransformFailure) -> ImageFacts {
    do { return try Inspector.facts(of: bytes, limits: InspectionLimits(maxPixels: .max)) } catch {
      throw .pixels(.unsupported(.png, reason: "the result is not a valid image: \(error)"))
    }
  }
}

// If only metadata is removed, the coded pixels stay as they are: a JPEG loses a little each time it is encoded.
extension ImageTransform {
  /// True if the transform removes metadata and does nothing else.
  func stripsOnly(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    // Ink becomes sRGB, so its pixels change.
    let isInk = facts.colourModel == .cmyk || facts.colourModel == .ycck
    return strips && !isInk && keepsPixels(facts, plan)
  }

  /// An image with less metadata.
  private enum Edited {
    /// The image has no metadata but what is to stay.
    case same
    case other([UInt8])
  }

  /// The image with the metadata that is to stay, and its pixels as they are coded. Nil if it is not understood, or if
  /// its tag would turn pixels that are upright. No codec is called.
  private func edited(
    _ body: ImageBody, _ facts: ImageFacts, _ plan: TransformPlan, _ limits: PixelLimits
  ) throws(PixelFailure) -> Edited? {
    // The tag of a TIFF is a field of its directory, and no metadata.
    if facts.format == .tiff, facts.orientation != 1, plan.isOriented { return nil }
    return try limits.memory.holding(2 * body.count) { _ throws(PixelFailure) in
      let bytes: [UInt8]
      do throws(BodyReadFailure) { bytes = try body.bytes() } catch { throw PixelFailure(error) }
      let read = MetadataReader { place, count in body.bytes(from: place, atMost: count) }.metadata(of: facts.format)
      let made = facts.format.withMetadata(
        kept(of: read, orientation: plan.isOriented ? 1 : facts.orientation), bytes)
      return made.map { $0 == bytes ? .same : .other($0) }
    }
  }

  /// The metadata that stays, in an image whose pixels are turned like this.
  func kept(of metadata: MetadataBlocks, orientation: Int) -> MetadataBlocks {
    if strips { return MetadataBlocks() }
    guard keepsMetadata else { return Authorship.of(metadata, orientation: orientation) }
    var kept = metadata
    if orientation == 1 { (kept.exif, kept.xmp) = (ExifBlock.upright(kept.exif), XMPPacket.upright(kept.xmp)) }
    return kept
  }

  /// The image without metadata, or nil if its colours must be converted to sRGB.
  ///
  /// It calls no codec unless there is a profile to check.
  func stripped(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]? {
    if facts.hasColourProfile {
      let decoder = try ImageDecoder(body, facts, memory: memory)
      guard try ColourProfile.isImplied(decoder.profile, for: decoder.layout.model, facts.format) else { return nil }
    }
    do throws(BodyReadFailure) { return facts.format.withoutMetadata(try body.bytes()) } catch {
      throw PixelFailure(error)
    }
  }
}
