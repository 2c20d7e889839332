/// The small picture that fingerprints are made of: pixels of 8 bits, RGBA, at most 100 on a side.
///
/// It depends on nothing but the image, or the same image would have other fingerprints beside other options.
struct SmallPicture: Sendable {
  let size: PixelSize
  /// Four bytes for each pixel, row by row.
  let pixels: [UInt8]

  /// ThumbHash takes no larger picture; the others need less.
  static let longestSide = 100
  /// The longer side that is decoded at least. From here on, more pixels change fewer bits of a hash than
  /// another program's rounding.
  private static let leastDecoded = 64

  /// The colour that transparent pixels count as.
  enum Transparency {
    /// Pixels as they are: colours are weighed by their alpha when pixels are joined.
    case kept
    /// Pixels without alpha: the colours behind them count.
    case dropped
  }

  /// Decodes an image at the smallest of the codec's own sizes that suffices.
  ///
  /// - Parameters:
  ///   - leastSide: The least width and height, if the image has as much; its shape is given up for it.
  ///   - eighth: The rows of the image at an eighth of its size, if they are at hand.
  init(
    _ body: ImageBody, _ facts: ImageFacts, leastSide: Int = 1, _ transparency: Transparency,
    eighth: (any RowSource)? = nil, memory: Int64
  ) throws(PixelFailure) {
    let size = Self.size(of: PixelSize(facts.width, facts.height), leastSide)
    let eighths = Self.eighths(of: facts, leastSide)
    var budget = PixelBudget(memory, facts.format)
    if eighths == 1, let eighth {
      try self.init(eighth, size, transparency, facts, &budget)
      return
    }
    let decoder = try ImageDecoder(body, facts, eighths: eighths, memory: memory)
    guard try decoder.next() != nil else { throw .damaged(facts.format, reason: "it has no picture") }
    try budget.take(decoder.held, for: "decoding it")
    try self.init(decoder, size, transparency, facts, &budget)
  }

  private init(
    _ source: any RowSource, _ size: PixelSize, _ transparency: Transparency, _ facts: ImageFacts,
    _ budget: inout PixelBudget
  ) throws(PixelFailure) {
    var rows = source
    if rows.layout.model == .cmyk { rows = ConvertedRows(rows, RowConverter(from: rows.layout, to: .rgb)) }
    if transparency == .dropped, rows.layout.model.hasAlpha { rows = OpaqueRows(rows) }
    let decoded = rows.layout.size
    let smaller = PixelSize(min(size.width, decoded.width), min(size.height, decoded.height))
    if smaller != decoded {
      let scaling = Scaling(rows.layout, PixelRegion(decoded), to: smaller)
      try budget.take(scaling.held, for: "scaling it")
      let scaled = try ResampledRows.make(rows, scaling, facts.format)
      scaled.allow(scratch: budget.left)
      rows = scaled
    }
    let converter = RowConverter(from: rows.layout, to: .rgba, bits: 8)
    if !converter.isIdentity { rows = ConvertedRows(rows, converter) }
    self.size = rows.layout.size
    pixels = try rows.all()
  }

  init(size: PixelSize, pixels: [UInt8]) {
    self.size = size
    self.pixels = pixels
  }

  /// The size within ``longestSide`` that keeps the shape, but for `least`.
  static func size(of whole: PixelSize, _ least: Int = 1) -> PixelSize {
    let longer = max(whole.width, whole.height)
    func side(_ side: Int) -> Int {
      let fitted = longer <= longestSide ? side : (side * longestSide + longer / 2) / longer
      return max(fitted, min(side, least), 1)
    }
    return PixelSize(side(whole.width), side(whole.height))
  }

  /// The most memory that scaling to such pictures takes, beside decoding. Only the decoder knows the samples' number
  /// and width, so the largest are assumed.
  static func scalingNeed(_ facts: ImageFacts) -> Int64 {
    let whole = PixelSize(facts.width, facts.height)
    let bits = facts.format.traits.has16Bits && facts.bits > 8 ? 16 : 8
    return [1, PerceptualHash.side].map { least -> Int64 in
      // The other codecs may decode all of it.
      let eighths = facts.format == .jpeg ? eighths(of: facts, least) : 8
      let decoded = PixelSize((whole.width * eighths + 7) / 8, (whole.height * eighths + 7) / 8)
      let wanted = size(of: whole, least)
      let smaller = PixelSize(min(wanted.width, decoded.width), min(wanted.height, decoded.height))
      if smaller == decoded { return 0 }
      let layout = PixelLayout(width: decoded.width, height: decoded.height, model: .rgba, bits: bits)
      return Scaling(layout, PixelRegion(decoded), to: smaller).bytes
    }.max() ?? 0
  }

  private static func eighths(of facts: ImageFacts, _ least: Int) -> Int {
    (1...8).first { eighths in
      max(facts.width, facts.height) * eighths >= leastDecoded * 8
        && min(facts.width, facts.height) * eighths >= least * 8
    } ?? 8
  }

  func turned(_ way: Orientation) throws(PixelFailure) -> SmallPicture {
    if way == .upright { return self }
    let layout = PixelLayout(width: size.width, height: size.height, model: .rgba)
    let rows = TurnedRows(StoredRows(layout, pixels), way)
    return SmallPicture(size: rows.layout.size, pixels: try rows.all())
  }

  /// The brightness of each pixel by ITU-R BT.601, as JPEG and most programs weigh the colours.
  var grey: GreyPicture {
    let samples = pixels.span
    return GreyPicture(
      size: size,
      pixels: [UInt8](capacity: samples.count / 4) { grey in
        for at in stride(from: 0, to: samples.count - 3, by: 4) {
          let sum = Int(samples[at]) * 19595 + Int(samples[at + 1]) * 38470 + Int(samples[at + 2]) * 7471
          grey.append(UInt8(truncatingIfNeeded: (sum + 1 << 15) >> 16))
        }
      })
  }
}

/// Rows without their alpha. The colours behind it show.
private final class OpaqueRows: RowSource {
  let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]

  init(_ source: any RowSource) {
    self.source = source
    layout = source.layout.with(model: source.layout.model.opaque)
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
  }

  func read(into made: inout [UInt8]) throws(PixelFailure) {
    try source.read(into: &row)
    let (step, kept) = (source.layout.bytesPerPixel, layout.bytesPerPixel)
    for pixel in 0..<layout.width {
      for byte in 0..<kept { made[pixel * kept + byte] = row[pixel * step + byte] }
    }
  }
}
