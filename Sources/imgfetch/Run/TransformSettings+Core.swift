import ImgfetchCore

// What the user asked for, in the core's words.
extension TransformSettings {
  /// Nil: images go out as they came.
  var core: ImageTransform? {
    if isIdentity { return nil }
    return ImageTransform(
      steps: steps.map { $0.core(fit) }, target: target.core, quality: quality,
      background: .init(red: background.red, green: background.green, blue: background.blue), strips: strip,
      takesFirstFrame: firstFrame)
  }
}

extension TransformSettings.Step {
  fileprivate func core(_ fit: Choices.Fit) -> ImageTransform.Step {
    switch self {
    case .resize(let resizing): .resize(Resize(resizing.core, fit: fit.core))
    case .crop(let crop): .crop(Crop(crop.size.core, x: crop.x, y: crop.y))
    case .autoOrient: .autoOrient
    case .flip(.horizontal): .turn(.mirrored)
    case .flip(.vertical): .turn(.flipped)
    case .rotate(.quarter): .turn(.quarter)
    case .rotate(.half): .turn(.half)
    case .rotate(.threeQuarters): .turn(.threeQuarters)
    }
  }
}

extension Resizing {
  fileprivate var core: Resize.Wish {
    switch self {
    case .box(let size): .box(size.core)
    case .width(let width): .width(width)
    case .height(let height): .height(height)
    case .percent(let percent): .percent(percent)
    }
  }
}

extension Dimensions {
  fileprivate var core: PixelSize { PixelSize(width, height) }
}

extension Choices.Fit {
  fileprivate var core: Resize.Fit {
    switch self {
    case .inside: .inside
    case .cover: .cover
    case .fill: .fill
    case .down: .down
    }
  }
}

extension Choices.Target {
  fileprivate var core: ImageTransform.Target {
    switch self {
    case .same: .same
    case .jpeg: .format(.jpeg)
    case .png: .format(.png)
    case .webp: .format(.webp)
    }
  }
}
