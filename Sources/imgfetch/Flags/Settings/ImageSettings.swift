/// What counts as the image that was asked for.
struct ImageSettings: Hashable, Sendable {
  var verification: Choices.Verification
  /// Whether pixels are decoded in a process that can do no harm.
  var sandbox: Bool
  /// Pixels times frames.
  var maxPixels: Int
  var minSize: Dimensions?
  /// The longer side over the shorter.
  var maxAspect: Double?
  /// Nil: all.
  var onlyFormats: [Choices.Format]?
}

extension ImageSettings {
  init(_ reader: SettingsReader) throws(UsageError) {
    verification = try reader.choice(.verify, or: .structure)
    sandbox = reader.isOn(.sandbox)
    maxPixels = try reader.size(.maxPixels) ?? 0
    minSize = try reader.value(.minSize, Values.dimensions)
    maxAspect = try reader.value(.maxAspect, Values.ratio)
    onlyFormats = try reader.value(.onlyFormat) { (text) throws(Values.Wanted) in
      try Values.choices(text, Choices.Format.self)
    }
  }
}
