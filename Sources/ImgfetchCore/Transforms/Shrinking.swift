/// How much of an image is decoded where the result is smaller than the image.
///
/// JPEG and WebP can be decoded at eighths of their size. JPEG does that in the frequencies, so that the smallest size that
/// suffices is as good as any. WebP averages pixels, which blurs: there twice the size that is wanted is decoded.
struct Shrinking: Sendable, Hashable {
  /// 1 to 8.
  let eighths: Int
  /// The decoded picture's size.
  let size: PixelSize
  /// The whole pixels of it that hold the part that is used.
  let part: PixelRect
  /// That part, seen from the corner of `part`; its edges may lie within pixels.
  let region: PixelRegion

  init(_ stage: TransformPlan.Stage, of source: PixelSize, _ format: ImageFormat, isAnimated: Bool) {
    let reserve: Int? = isAnimated ? nil : format == .jpeg ? 1 : format == .webp ? 2 : nil
    let suffices = (1...8).first { eighths in
      guard let reserve, stage.isScaled else { return false }
      return stage.part.width * eighths >= stage.size.width * reserve * 8
        && stage.part.height * eighths >= stage.size.height * reserve * 8
    }
    let eighths = suffices ?? 8
    self.eighths = eighths
    func up(_ side: Int) -> Int { (side * eighths + 7) / 8 }
    size = PixelSize(up(source.width), up(source.height))
    // A JPEG's last column may stand for a part of one; a WebP is stretched so that it stands for a whole one.
    let scale =
      format == .webp
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
