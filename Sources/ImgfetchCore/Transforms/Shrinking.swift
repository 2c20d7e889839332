/// The scale at which an image is decoded if the result is smaller than the image.
///
/// JPEG and WebP can be decoded at eighths of their size. JPEG does that in the frequency domain, so the smallest
/// sufficient size is as good as any. WebP averages pixels, which blurs, so twice the needed size is decoded.
struct Shrinking: Sendable, Hashable {
  /// 1 to 8.
  let eighths: Int
  /// The size of the decoded picture.
  let size: PixelSize
  /// The whole pixels of it that contain the needed part.
  let part: PixelRect
  /// The needed part relative to `part`; its edges may be within pixels.
  let region: PixelRegion

  init(_ stage: TransformPlan.Stage, of source: PixelSize, _ format: ImageFormat, isAnimated: Bool) {
    let decoding = format.traits.reducedDecoding
    let reserve: Int? = isAnimated ? nil : decoding == .exact ? 1 : decoding == .averaged ? 2 : nil
    let suffices = (1...8).first { eighths in
      guard let reserve, stage.isScaled else { return false }
      return stage.part.width * eighths >= stage.size.width * reserve * 8
        && stage.part.height * eighths >= stage.size.height * reserve * 8
    }
    let eighths = suffices ?? 8
    self.eighths = eighths
    func up(_ side: Int) -> Int { (side * eighths + 7) / 8 }
    size = PixelSize(up(source.width), up(source.height))
    // A JPEG's last column may cover a part of a pixel. A WebP is stretched, so its last column covers a whole one.
    let scale =
      decoding == .averaged
      ? (x: Double(size.width) / Double(source.width), y: Double(size.height) / Double(source.height))
      : (x: Double(eighths) / 8, y: Double(eighths) / 8)
    let (left, top) = (Double(stage.part.x) * scale.x, Double(stage.part.y) * scale.y)
    let (width, height) = (Double(stage.part.width) * scale.x, Double(stage.part.height) * scale.y)
    let (x, y) = (Int(left), Int(top))
    part = PixelRect(
      x: x, y: y, width: min(size.width, Int((left + width).rounded(.up))) - x,
      height: min(size.height, Int((top + height).rounded(.up))) - y)
    region = PixelRegion(left: left - Double(x), top: top - Double(y), width: width, height: height)
  }
}
