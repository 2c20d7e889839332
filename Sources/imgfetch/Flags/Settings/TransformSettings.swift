/// What is done to the pixels of an output.
struct TransformSettings: Hashable, Sendable {
  /// A step. Steps are taken in the order in which they were typed, and one may be typed twice.
  enum Step: Hashable, Sendable {
    case resize(Resizing)
    case crop(Cropping)
    case autoOrient
    case flip(Choices.Flip)
    case rotate(Choices.Rotation)
  }

  var steps: [Step] = []
  var fit: Choices.Fit
  var target: Choices.Target
  /// 1 to 100; nil: the codec's own.
  var quality: Int?
  var background: Colour
  var strip: Bool
  var firstFrame: Bool

  /// Whether the bytes that came are also the bytes that are delivered.
  var isIdentity: Bool { steps.isEmpty && target == .same && quality == nil && !strip && !firstFrame }
}

extension TransformSettings {
  init(_ reader: SettingsReader, typed: Typed) throws(UsageError) {
    fit = try reader.choice(.fit, or: .inside)
    target = try reader.choice(.convert, or: .same)
    quality = try reader.count(.quality)
    background = try reader.value(.background, Values.colour) ?? Colour(red: 255, green: 255, blue: 255)
    strip = reader.isOn(.strip)
    firstFrame = reader.isOn(.firstFrame)
    for option in typed.options { try take(option, reader) }
  }

  private mutating func take(_ option: TypedOption, _ reader: SettingsReader) throws(UsageError) {
    guard case .text(let text) = option.value else {
      switch (option.id, option.value) {
      case (.autoOrient, .on): steps.append(.autoOrient)
      case (.autoOrient, .negated), (.resize, .negated), (.crop, .negated), (.flip, .negated), (.rotate, .negated):
        steps.removeAll { $0.id == option.id }
      default: break
      }
      return
    }
    let flag = option.id.flag
    func read<Value>(_ parse: (String) throws(Values.Wanted) -> Value) throws(UsageError) -> Value {
      try reader.check(text, flag, .commandLine(option.spelling), parse)
    }
    switch option.id {
    case .resize: steps.append(.resize(try read(Values.resizing)))
    case .crop: steps.append(.crop(try read(Values.cropping)))
    case .flip:
      steps.append(
        .flip(try read { (text) throws(Values.Wanted) in try Values.choice(text, Choices.Flip.self) }))
    case .rotate:
      steps.append(
        .rotate(try read { (text) throws(Values.Wanted) in try Values.choice(text, Choices.Rotation.self) }))
    default: break
    }
  }
}

extension TransformSettings.Step {
  fileprivate var id: FlagID {
    switch self {
    case .resize: .resize
    case .crop: .crop
    case .autoOrient: .autoOrient
    case .flip: .flip
    case .rotate: .rotate
    }
  }
}
