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
    let bytes: [UInt8]
    do { bytes = try result(of: body, facts, plan, limits) } catch { throw .pixels(error) }
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

  /// What has to be done to such an image; nil for nothing.
  func plan(for facts: ImageFacts, _ limits: PixelLimits) throws(TransformFailure) -> TransformPlan? {
    do { try limits.admit(facts) } catch { throw .pixels(error) }
    let plan = try TransformPlan(
      steps, size: PixelSize(facts.width, facts.height), orientation: facts.orientation)
    if isDone(facts, plan) { return nil }
    try admit(plan, facts, limits)
    return plan
  }

  /// Whether the image needs no change.
  private func isDone(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    plan.isIdentity && keepsFormat(of: facts) && quality == nil && !strips
      && !(takesFirstFrame && facts.frames > 1) && !(plan.isOriented && facts.orientation != 1)
  }

  private func admit(_ plan: TransformPlan, _ facts: ImageFacts, _ limits: PixelLimits) throws(TransformFailure) {
    for stage in plan.stages {
      let pixels = stage.size.area.multipliedReportingOverflow(by: Int64(max(1, frames(of: facts))))
      if pixels.overflow || pixels.partialValue > limits.maxPixels {
        throw .tooLarge(stage.size, limit: limits.maxPixels)
      }
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
    var inspector = Inspector(limits: InspectionLimits(maxPixels: .max))
    do {
      try inspector.feed(bytes.span)
      return try inspector.finish()
    } catch {
      throw .pixels(.unsupported(.png, reason: "the result is not a valid image: \(error)"))
    }
  }
}

// If only metadata is removed, the coded pixels stay as they are: a JPEG loses a little each time it is encoded.
extension ImageTransform {
  /// Whether the transform removes metadata and does nothing else.
  func stripsOnly(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    // Ink becomes sRGB, so its pixels change.
    let isInk = facts.colourModel == .cmyk || facts.colourModel == .ycck
    return strips && !isInk && plan.isIdentity && keepsFormat(of: facts) && quality == nil
      && !(takesFirstFrame && facts.frames > 1)
  }

  /// The image without metadata; nil if its colours must be converted to sRGB.
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
