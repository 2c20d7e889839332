/// Makes an image a picture of a given size on a screen: upright, in sRGB, as RGBA of 8 bits. The pixels are those of a
/// resizing with the fit `fill`.
struct ShownScaling {
  private let facts: ImageFacts
  private let plan: TransformPlan
  private let shrinking: Shrinking
  /// The fraction of the full size that is decoded.
  var eighths: Int { shrinking.eighths }

  /// - Parameter size: The size of the picture, once it is upright.
  init(_ facts: ImageFacts, to size: PixelSize) throws(PixelFailure) {
    self.facts = facts
    do throws(TransformFailure) {
      plan = try TransformPlan(
        [.autoOrient, .resize(Resize(.box(size), fit: .fill))], size: PixelSize(facts.width, facts.height),
        orientation: facts.orientation)
    } catch { throw .unsupported(facts.format, reason: "\(error)") }
    let first = plan.stages.first ?? TransformPlan.Stage(plan.source)
    shrinking = Shrinking(first, of: plan.source, facts.format, isAnimated: facts.frames > 1)
  }

  /// The most memory that decoding and scaling take together. Beside a picture of very unequal sides the filter's
  /// tables are the larger part.
  static func need(_ facts: ImageFacts, encoded: Int64, to size: PixelSize) -> Int64 {
    let decoding = PixelLimits.need(facts, encoded: encoded)
    guard let shown = try? ShownScaling(facts, to: size), let stage = shown.plan.stages.first else { return decoding }
    let layout = PixelLayout(
      width: shown.shrinking.size.width, height: shown.shrinking.size.height, model: .rgba, bits: 16)
    let pixels = Int64(size.width) * Int64(size.height) * 4
    return decoding + pixels + Scaling(layout, shown.shrinking.region, to: stage.size).bytes
  }

  /// All rows of the picture, one after another.
  /// - Parameters:
  ///   - source: The rows of the image, decoded at ``eighths``.
  ///   - profile: The colour profile; empty for none.
  ///   - held: The bytes that decoding holds.
  func pixels(
    _ source: any RowSource, profile: [UInt8] = [], held: Int64 = 0, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    var budget = PixelBudget(memory, facts.format)
    try budget.take(held, for: "decoding it")
    var rows = source
    let isInk = rows.layout.model == .cmyk
    if isInk { rows = try inSRGB(rows, profile) }
    if let stage = plan.stages.first {
      if stage.isScaled {
        let scaling = Scaling(rows.layout, shrinking.region, to: stage.size)
        try budget.take(scaling.held, for: "scaling it")
        let scaled = try ResampledRows.make(rows, scaling, facts.format)
        scaled.allow(scratch: budget.left)
        rows = scaled
      }
      if stage.orientation != .upright { rows = TurnedRows(rows, stage.orientation) }
    }
    if !isInk { rows = try inSRGB(rows, profile) }
    let converter = RowConverter(from: rows.layout, to: .rgba, bits: 8)
    if !converter.isIdentity { rows = ConvertedRows(rows, converter) }
    try budget.take(Int64(clamping: rows.layout.bytes), for: "showing it")
    return try rows.all()
  }

  private func inSRGB(_ rows: any RowSource, _ profile: [UInt8]) throws(PixelFailure) -> any RowSource {
    if !profile.isEmpty, try !ColourProfile.isImplied(profile, for: rows.layout.model, facts.format),
      let converted = try SRGBRows(rows, profile: profile, facts.format)
    {
      return converted
    }
    return rows.layout.model == .cmyk ? ConvertedRows(rows, RowConverter(from: rows.layout, to: .rgb)) : rows
  }
}
