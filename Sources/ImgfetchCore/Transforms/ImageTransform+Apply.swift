extension ImageTransform {
  /// Turns an image into what is asked for. Where nothing is to be done, the answer is the image itself, byte for byte.
  ///
  /// Takes as long as decoding and encoding do, and waits for memory before it begins: call it on a disk thread.
  /// - Parameters:
  ///   - body: An image whose structure was inspected.
  ///   - facts: What the inspection said.
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

  /// What is to be done to such an image; nil where nothing is.
  func plan(for facts: ImageFacts, _ limits: PixelLimits) throws(TransformFailure) -> TransformPlan? {
    do { try limits.admit(facts) } catch { throw .pixels(error) }
    let plan = try TransformPlan(
      steps, size: PixelSize(facts.width, facts.height), orientation: facts.orientation)
    if isDone(facts, plan) { return nil }
    try admit(plan, facts, limits)
    return plan
  }

  /// Whether the image is already what is asked for.
  private func isDone(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    plan.isIdentity && format(for: facts) == facts.format && quality == nil && !strips
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

  /// How many pictures are made.
  func frames(of facts: ImageFacts) -> Int {
    takesFirstFrame || format(for: facts) == .jpeg ? 1 : facts.frames
  }

  /// The most memory that may be needed: by the decoder, by what scales and turns, and by the encoder, which has eight bytes for
  /// each pixel at most (WebP: the picture and what is compared with it).
  private func need(_ facts: ImageFacts, _ plan: TransformPlan, encoded: Int64) -> Int64 {
    let turned = plan.stages.reduce(Int64(0)) { $0 + ($1.orientation == .upright ? 0 : $1.result.area * 8) }
    return PixelLimits.need(facts, encoded: encoded) + turned + scaled(facts, plan) + plan.result.area * 8
  }

  /// What scaling takes. Which samples there will be is known to the decoder only: they are taken to be as many and as wide as may be.
  private func scaled(_ facts: ImageFacts, _ plan: TransformPlan) -> Int64 {
    var bytes: Int64 = 0
    for (place, stage) in plan.stages.enumerated() where stage.isScaled {
      let shrinking = Shrinking(stage, of: plan.source, facts.format, isAnimated: facts.frames > 1)
      let part = place == 0 ? shrinking.part.size : stage.part.size
      let region = place == 0 ? shrinking.region : PixelRegion(stage.part.size)
      let bits = facts.format == .png && facts.bits > 8 ? 16 : 8
      bytes +=
        Scaling(
          PixelLayout(width: part.width, height: part.height, model: .rgba, bits: bits), region, to: stage.size
        ).bytes
    }
    return bytes
  }

  /// What was made is inspected like everything else that leaves: whoever reports it says what it is, and a flaw of an
  /// encoder does not go out.
  private func inspect(_ bytes: [UInt8]) throws(TransformFailure) -> ImageFacts {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: .max))
    do {
      try inspector.feed(bytes.span)
      return try inspector.finish()
    } catch {
      throw .pixels(.unsupported(.png, reason: "what was made of it is no image: \(error)"))
    }
  }
}

// Where only metadata is to go, the coding of the pixels stays as it is: a JPEG that is written anew is a little worse each time.
extension ImageTransform {
  /// Whether nothing is asked for but that metadata goes.
  func stripsOnly(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    // Ink becomes sRGB, so its pixels change.
    let isInk = facts.colourModel == .cmyk || facts.colourModel == .ycck
    return strips && !isInk && plan.isIdentity && format(for: facts) == facts.format && quality == nil
      && !(takesFirstFrame && facts.frames > 1)
  }

  /// The image without metadata; nil where its colours must be turned into sRGB.
  ///
  /// No codec is called unless there is a profile to be judged.
  func stripped(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]? {
    if facts.hasColourProfile {
      let decoder = try ImageDecoder(body, facts, memory: memory)
      guard try ColourProfile.isImplied(decoder.profile, for: decoder.layout.model, facts.format) else { return nil }
    }
    return BareImage.bytes(of: try body.whole(), facts.format)
  }
}

extension ImageBody {
  /// All of it.
  fileprivate func whole() throws(PixelFailure) -> [UInt8] {
    if case .bytes(let bytes) = content { return bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count))
    do {
      try read { (piece) throws(SystemError) in
        unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
      }
    } catch { throw PixelFailure(error) }
    return bytes
  }
}
