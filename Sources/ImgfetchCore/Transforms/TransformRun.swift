/// One transform of one image in progress: the decoder, the chain of row sources for each picture, and the encoder.
struct TransformRun {
  private let transform: ImageTransform
  private let plan: TransformPlan
  private let facts: ImageFacts
  private let target: ImageFormat
  private let memory: Int64
  private let shrinking: Shrinking
  let decoder: ImageDecoder
  private let profile: [UInt8]
  /// Whether the result has no profile, because it is to be removed or the format cannot hold it.
  private let losesProfile: Bool
  /// Whether colours are converted to sRGB, in place of the profile.
  private let needsSRGB: Bool

  init(
    _ transform: ImageTransform, _ plan: TransformPlan, _ body: ImageBody, _ facts: ImageFacts, memory: Int64,
    keepsEighth: Bool = false
  ) throws(PixelFailure) {
    self.transform = transform
    self.plan = plan
    self.facts = facts
    self.memory = memory
    target = transform.format(for: facts)
    let first = plan.stages.first ?? TransformPlan.Stage(plan.source)
    shrinking = Shrinking(first, of: plan.source, facts.format, isAnimated: facts.frames > 1)
    decoder = try ImageDecoder(body, facts, eighths: shrinking.eighths, memory: memory, keepsEighth: keepsEighth)
    profile = decoder.profile
    let model = decoder.layout.model
    // A profile for ink or for grey applies to such pixels only.
    losesProfile =
      transform.strips || !target.traits.hasProfiles || model == .cmyk
      || (model.isGrey && target.traits.encodedPixels == .colour)
    needsSRGB = losesProfile ? try !ColourProfile.isImplied(profile, for: model, facts.format) : false
  }

  /// Whether the result is an animation.
  private var isAnimated: Bool { transform.frames(of: facts) > 1 }

  func run() throws(PixelFailure) -> [UInt8] {
    guard let milliseconds = try decoder.next() else {
      throw .damaged(facts.format, reason: "it has no picture")
    }
    let rows = try chain()
    if isAnimated, target.traits.animation == .assembled { return try assemble(rows, milliseconds) }
    let encoder = try ImageEncoder(target, rows.layout, options)
    try encoder.write(rows, milliseconds: milliseconds)
    if isAnimated {
      while let milliseconds = try decoder.next() { try encoder.write(chain(), milliseconds: milliseconds) }
    }
    return try encoder.finish()
  }

  private func assemble(_ first: any RowSource, _ milliseconds: Int) throws(PixelFailure) -> [UInt8] {
    var assembly = APNGAssembly(frames: facts.frames, plays: plays)
    var rows = first
    var shown = milliseconds
    var options = options
    options.plays = nil
    while true {
      let encoder = try ImageEncoder(target, rows.layout, options)
      try encoder.write(rows)
      assembly.append(try encoder.finish(), milliseconds: shown)
      guard let next = try decoder.next() else { return assembly.finish() }
      rows = try chain()
      shown = next
    }
  }

  /// The steps from the decoder's rows to the encoder's, for one picture. Their memory is counted before it is allocated.
  private func chain() throws(PixelFailure) -> any RowSource {
    var rows: any RowSource = decoder
    var budget = PixelBudget(memory, facts.format)
    try budget.take(decoder.held, for: "decoding it")
    var scaled: [ResampledRows] = []
    // Ink is converted first, since only its profile knows its colours.
    if rows.layout.model == .cmyk { rows = try upright(colours: rows) }
    for (place, stage) in plan.stages.enumerated() {
      let part = place == 0 ? shrinking.part : stage.part
      let region = place == 0 ? shrinking.region : PixelRegion(part.size)
      rows = cut(rows, part)
      if stage.isScaled {
        let scaling = Scaling(rows.layout, region, to: stage.size)
        try budget.take(scaling.held, for: "scaling it")
        let made = try ResampledRows.make(rows, scaling, facts.format)
        scaled.append(made)
        rows = made
      }
      rows = cut(rows, stage.kept)
      if stage.orientation != .upright {
        try budget.take(Int64(clamping: rows.layout.bytes), for: "turning it")
        rows = TurnedRows(rows, stage.orientation)
      }
    }
    // The scalers make their bands one after the other, and each frees its scratch memory.
    for rows in scaled { rows.allow(scratch: budget.left) }
    if needsSRGB, decoder.layout.model != .cmyk { rows = try upright(colours: rows) }
    let colour = transform.background
    let converter = RowConverter(
      from: rows.layout, to: ImageEncoder.model(for: target, backed(rows.layout.model)),
      bits: ImageEncoder.bits(for: target, rows.layout.bits), background: [colour.red, colour.green, colour.blue])
    return converter.isIdentity ? rows : ConvertedRows(rows, converter)
  }

  private func cut(_ rows: any RowSource, _ part: PixelRect) -> any RowSource {
    part == PixelSize(rows.layout.width, rows.layout.height).frame ? rows : CutRows(rows, part)
  }

  /// Grey over a coloured background becomes coloured.
  private func backed(_ model: PixelLayout.Model) -> PixelLayout.Model {
    let colour = transform.background
    let isColoured = colour.red != colour.green || colour.green != colour.blue
    return model == .greyAlpha && target.traits.encodedPixels == .opaque && isColoured ? .rgba : model
  }

  /// Converts colours to sRGB, by the profile if there is one for such pixels.
  private func upright(colours rows: any RowSource) throws(PixelFailure) -> any RowSource {
    if !profile.isEmpty, let converted = try SRGBRows(rows, profile: profile, facts.format) { return converted }
    return rows.layout.model == .cmyk ? ConvertedRows(rows, RowConverter(from: rows.layout, to: .rgb)) : rows
  }

  private var options: ImageEncoder.Options {
    var options = ImageEncoder.Options()
    options.quality = transform.quality ?? target.traits.defaultQuality
    if let speed = transform.speed { options.speed = speed }
    // A lossless image stays lossless unless a quality is requested.
    options.isLossless =
      facts.format == .webp && facts.colourModel == .rgb && transform.quality == nil
    options.plays = isAnimated ? plays : nil
    if !transform.strips {
      options.exif =
        plan.isOriented || facts.format.traits.isTurnedByItself ? ExifBlock.upright(decoder.exif) : decoder.exif
      if !losesProfile { options.profile = profile }
    }
    return options
  }

  /// How often the animation plays in all. A GIF stores how often it repeats, and plays once if it stores nothing.
  private var plays: Int {
    guard facts.format == .gif else { return facts.loopCount ?? 0 }
    guard let again = facts.loopCount else { return 1 }
    return again == 0 ? 0 : again + 1
  }
}

/// Updates an EXIF block after pixels were rotated.
enum ExifBlock {
  /// The block with the orientation "upright". A block that is invalid or has no orientation is not changed.
  static func upright(_ block: [UInt8]) -> [UInt8] {
    let isBigEndian = block.starts(with: [0x4D, 0x4D])
    guard isBigEndian || block.starts(with: [0x49, 0x49]) else { return block }
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= block.count - count else { return nil }
      let bytes = block[place..<place + count]
      return isBigEndian ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return block }
    for entry in 0..<entries {
      let place = directory + 2 + 12 * entry
      guard let tag = number(place, 2), let kind = number(place + 2, 2) else { return block }
      // Tag 0x0112, one 16-bit number, which is stored in the entry itself.
      guard tag == 0x0112, kind == 3, number(place + 8, 2) != nil else { continue }
      var turned = block
      turned[place + 8] = isBigEndian ? 0 : 1
      turned[place + 9] = isBigEndian ? 1 : 0
      return turned
    }
    return block
  }
}
