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
  /// The metadata of the result.
  private let metadata: MetadataBlocks
  /// True if the result has no profile, because it is to be removed or the format cannot hold it.
  private let losesProfile: Bool
  /// True if colours are converted to sRGB, in place of the profile.
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
    var read = MetadataBlocks()
    if !transform.strips {
      read = MetadataReader { place, count in body.bytes(from: place, atMost: count) }.metadata(of: facts.format)
      if read.exif.isEmpty { read.exif = decoder.exif }
      // The coded picture has no texts beside it.
      read.exif = ExifBlock.adding(read.texts, to: read.exif)
    }
    let isUpright = plan.isOriented || facts.format.traits.isTurnedByItself
    metadata = transform.kept(of: read, orientation: isUpright ? 1 : facts.orientation)
    let model = decoder.layout.model
    let isBacked = model == .greyAlpha && target.traits.encodedPixels == .opaque
    let isColoured = transform.background.isColoured && (isBacked || plan.stages.contains { $0.bordered != nil })
    // A profile for ink or for grey applies to such pixels only.
    losesProfile =
      transform.strips || !target.traits.hasProfiles || model == .cmyk
      || (model.isGrey && (isColoured || target.traits.encodedPixels == .colour))
    needsSRGB = losesProfile ? try !ColourProfile.isImplied(profile, for: model, facts.format) : false
  }

  /// True if the result is an animation.
  private var isAnimated: Bool { transform.frames(of: facts) > 1 }

  func run() throws(PixelFailure) -> [UInt8] {
    let made = try encoded()
    // The encoder of AVIF writes Exif and XMP, the others Exif alone.
    guard target != .avif, !metadata.xmp.isEmpty || !metadata.iptc.isEmpty else { return made }
    return target.withMetadata(metadata, made) ?? made
  }

  private func encoded() throws(PixelFailure) -> [UInt8] {
    guard let milliseconds = try decoder.next() else { throw .damaged(facts.format, reason: "it has no picture") }
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

  /// The steps from the decoder's rows to the encoder's, for one picture. Their memory is
  /// counted before it is allocated.
  private func chain() throws(PixelFailure) -> any RowSource {
    var rows: any RowSource = decoder
    var budget = PixelBudget(memory, facts.format)
    try budget.take(decoder.held, for: "decoding it")
    var scaled: [ResampledRows] = []
    // Ink is converted first, since only its profile knows its colours.
    var isUpright = rows.layout.model == .cmyk
    if isUpright { rows = try upright(colours: rows) }
    let colour = [transform.background.red, transform.background.green, transform.background.blue]
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
      guard let size = stage.bordered else { continue }
      // The border's colour is one of sRGB already.
      if needsSRGB, !isUpright { (rows, isUpright) = (try upright(colours: rows), true) }
      rows = BorderedRows(coloured(rows), size, colour: colour)
    }
    // The scalers make their bands one after the other, and each frees its scratch memory.
    for rows in scaled { rows.allow(scratch: budget.left) }
    if needsSRGB, !isUpright { rows = try upright(colours: rows) }
    let converter = RowConverter(
      from: rows.layout, to: ImageEncoder.model(for: target, backed(rows.layout.model)),
      bits: ImageEncoder.bits(for: target, rows.layout.bits), background: [colour[0], colour[1], colour[2]])
    return converter.isIdentity ? rows : ConvertedRows(rows, converter)
  }

  /// Rows that can hold the border's colour beside their own.
  private func coloured(_ rows: any RowSource) -> any RowSource {
    guard rows.layout.model.isGrey, transform.background.isColoured else { return rows }
    return ConvertedRows(rows, RowConverter(from: rows.layout, to: rows.layout.model.hasAlpha ? .rgba : .rgb))
  }

  private func cut(_ rows: any RowSource, _ part: PixelRect) -> any RowSource {
    part == rows.layout.size.frame ? rows : CutRows(rows, part)
  }

  /// Grey over a coloured background becomes coloured.
  private func backed(_ model: PixelLayout.Model) -> PixelLayout.Model {
    let isColoured = transform.background.isColoured
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
    options.exif = metadata.exif
    if target == .avif { options.xmp = metadata.xmp }
    if !losesProfile { options.profile = profile }
    return options
  }

  /// The number of times that the animation plays. A GIF stores the number of repetitions, and
  /// plays once if it stores none.
  private var plays: Int {
    guard facts.format == .gif else { return facts.loopCount ?? 0 }
    guard let again = facts.loopCount else { return 1 }
    return again == 0 ? 0 : again + 1
  }
}
