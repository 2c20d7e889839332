/// The plan for changing the pixels of an image of a certain size, computed before the first one is decoded.
///
/// Steps are combined as far as they commute: a cut, then one scaling, then a cut of that, then one rotation, then a
/// border. A picture that is to be rotated and then scaled is scaled first (and rotated when it is small), and a cut
/// costs nothing. A second scaling begins a new stage, and so does a step after a border.
package struct TransformPlan: Sendable, Hashable {
  /// One pass over the pixels.
  package struct Stage: Sendable, Hashable {
    /// The part of the source that is used.
    package var part: PixelRect
    /// The size it is scaled to; the size of the part if it is not scaled.
    package var size: PixelSize
    /// The part of the scaled picture that is kept.
    package var kept: PixelRect
    package var orientation = Orientation.upright
    /// The size with a border, which the picture is in the middle of, or nil if there is none.
    package var bordered: PixelSize?

    init(_ size: PixelSize) {
      part = size.frame
      self.size = size
      kept = size.frame
    }

    package var isScaled: Bool { size != part.size }
    package var result: PixelSize { bordered ?? orientation.turned(kept.size) }

    func isIdentity(for source: PixelSize) -> Bool { self == Stage(source) }
  }

  package let source: PixelSize
  package private(set) var stages: [Stage]
  /// True if the EXIF orientation has been applied.
  package private(set) var isOriented = false

  package var result: PixelSize { stages.last?.result ?? source }
  package var isIdentity: Bool { stages.allSatisfy { $0.isIdentity(for: source) } }

  /// - Parameters:
  ///   - orientation: The EXIF orientation.
  ///   - orientsFirst: True if it is applied before all steps, and not only where one of them says so.
  package init(
    _ steps: [ImageTransform.Step], size: PixelSize, orientation: Int, orientsFirst: Bool = false
  ) throws(TransformFailure) {
    source = size
    stages = [Stage(size)]
    if orientsFirst { orient(orientation) }
    for step in steps {
      switch step {
      case .resize(let resize):
        if let crop = resize.cutBefore(result) { try cut(crop) }
        scale(to: resize.scaled(result))
        if let crop = resize.crop(result) { try cut(crop) }
        if let size = resize.padded(result) { last.bordered = size }
      case .crop(let crop): try cut(crop)
      case .autoOrient: orient(orientation)
      case .turn(let way): turn(way)
      }
    }
  }

  private mutating func orient(_ orientation: Int) {
    guard !isOriented else { return }
    isOriented = true
    turn(Orientation(exif: orientation))
  }

  private var last: Stage {
    get { stages.last ?? Stage(source) }
    set {
      if !stages.isEmpty { stages.removeLast() }
      stages.append(newValue)
    }
  }

  private mutating func scale(to size: PixelSize) {
    guard size != result else { return }
    if last.isScaled || last.kept != last.size.frame || last.bordered != nil { stages.append(Stage(result)) }
    last.size = last.orientation.turned(size)
    last.kept = last.size.frame
  }

  private mutating func cut(_ crop: Crop) throws(TransformFailure) {
    guard let part = crop.part(of: result) else { throw .emptyCrop(crop, of: result) }
    if last.bordered != nil {
      if part == result.frame { return }
      stages.append(Stage(result))
    }
    let cut = last.orientation.source(of: part, in: result)
    if last.isScaled {
      last.kept = cut.within(last.kept)
    } else {
      last.part = cut.within(last.part)
      last.size = cut.size
      last.kept = cut.size.frame
    }
  }

  private mutating func turn(_ way: Orientation) {
    if last.bordered != nil, way != .upright { stages.append(Stage(result)) }
    last.orientation = last.orientation.then(way)
  }
}
