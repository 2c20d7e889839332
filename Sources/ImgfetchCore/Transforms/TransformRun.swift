/// One transform of one image under way: the decoder, the chain of rows for each picture, and the encoder.
struct TransformRun {
  private let transform: ImageTransform
  private let plan: TransformPlan
  private let facts: ImageFacts
  private let target: ImageFormat
  private let memory: Int64
  private let shrinking: Shrinking
  private let decoder: ImageDecoder
  private let profile: [UInt8]
  /// Whether the result has no profile: it shall carry none, or cannot carry this one.
  private let losesProfile: Bool
  /// Whether the profile is made good by turning colours into sRGB.
  private let needsSRGB: Bool

  init(
    _ transform: ImageTransform, _ plan: TransformPlan, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) {
    self.transform = transform
    self.plan = plan
    self.facts = facts
    self.memory = memory
    target = transform.format(for: facts)
    let first = plan.stages.first ?? TransformPlan.Stage(plan.source)
    shrinking = Shrinking(first, of: plan.source, facts.format, isAnimated: facts.frames > 1)
    decoder = try ImageDecoder(body, facts, eighths: shrinking.eighths, memory: memory)
    profile = decoder.profile
    let model = decoder.layout.model
    // A profile for ink or for grey goes with such pixels only.
    losesProfile = transform.strips || target == .gif || model == .cmyk || (model.isGrey && target == .webp)
    needsSRGB = losesProfile ? try !ColourProfile.isImplied(profile, for: model, facts.format) : false
  }

  /// Whether the result has several pictures.
  private var isAnimated: Bool { transform.frames(of: facts) > 1 }

  func run() throws(PixelFailure) -> [UInt8] {
    guard let milliseconds = try decoder.next() else {
      throw .damaged(facts.format, reason: "it has no picture")
    }
    let rows = try chain()
    if isAnimated, target == .png { return try assemble(rows, milliseconds) }
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
      let encoder = try ImageEncoder(.png, rows.layout, options)
      try encoder.write(rows)
      assembly.append(try encoder.finish(), milliseconds: shown)
      guard let next = try decoder.next() else { return assembly.finish() }
      rows = try chain()
      shown = next
    }
  }

  /// The steps from the decoder's rows to the encoder's, for one picture. What they will hold is counted before it is taken.
  private func chain() throws(PixelFailure) -> any RowSource {
    var rows: any RowSource = decoder
    var budget = PixelBudget(memory, facts.format)
    try budget.take(decoder.held, for: "decoding it")
    var scaled: [ResampledRows] = []
    // Ink is mixed before anything else, since only its profile knows what it looks like.
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
    // They make their bands one after the other, each of which gives its scratch back.
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

  /// Grey over a coloured background is not grey any more.
  private func backed(_ model: PixelLayout.Model) -> PixelLayout.Model {
    let colour = transform.background
    let isColoured = colour.red != colour.green || colour.green != colour.blue
    return model == .greyAlpha && target == .jpeg && isColoured ? .rgba : model
  }

  /// Colours as sRGB, by the profile if there is one for such pixels.
  private func upright(colours rows: any RowSource) throws(PixelFailure) -> any RowSource {
    if !profile.isEmpty, let converted = try SRGBRows(rows, profile: profile, facts.format) { return converted }
    return rows.layout.model == .cmyk ? ConvertedRows(rows, RowConverter(from: rows.layout, to: .rgb)) : rows
  }

  private var options: ImageEncoder.Options {
    var options = ImageEncoder.Options()
    options.quality = transform.quality ?? ImageTransform.defaultQuality(target)
    // What was kept without loss stays so, unless a quality is asked for.
    options.isLossless =
      facts.format == .webp && facts.colourModel == .rgb && transform.quality == nil
    options.plays = isAnimated ? plays : nil
    if !transform.strips {
      options.exif = plan.isOriented ? ExifBlock.upright(decoder.exif) : decoder.exif
      if !losesProfile { options.profile = profile }
    }
    return options
  }

  /// How often the animation is played in all. GIF says how often it is played again, and plays once where it says
  /// nothing.
  private var plays: Int {
    guard facts.format == .gif else { return facts.loopCount ?? 0 }
    guard let again = facts.loopCount else { return 1 }
    return again == 0 ? 0 : again + 1
  }
}

/// Changes in an EXIF block that must not be left as they are once pixels were turned.
enum ExifBlock {
  /// The block with the orientation "upright" in place of what it said. A block that cannot be understood, or says none,
  /// stays as it is.
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
      // Tag 0x0112, one number of 16 bits, which stands in the entry itself.
      guard tag == 0x0112, kind == 3, number(place + 8, 2) != nil else { continue }
      var turned = block
      turned[place + 8] = isBigEndian ? 0 : 1
      turned[place + 9] = isBigEndian ? 1 : 0
      return turned
    }
    return block
  }
}
