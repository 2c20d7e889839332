/// The properties of an accepted image.
public struct ImageFilter: Hashable, Sendable {
  /// The least width in pixels: 0 by default.
  public var minimumWidth = 0
  /// The least height in pixels: 0 by default.
  public var minimumHeight = 0
  /// The greatest ratio of the longer side to the shorter one. The default, nil, means any.
  public var maximumAspect: Double?
  /// The accepted formats. The default, nil, means all.
  public var formats: Set<ImageFormat>?
  /// Formats that are not accepted: none, by default.
  public var refusedFormats: Set<ImageFormat> = []
  /// True if images are refused that break a rule of their format although every pixel is there. The default is false.
  public var refusesFlaws = false

  /// Accepts every image.
  public init() {}

  /// The reason why the image is not accepted, or nil if it is.
  package func objection(to facts: ImageFacts) -> String? {
    if let formats, !formats.contains(facts.format) {
      let wanted = formats.map(\.rawValue).sorted().joined(separator: ", ")
      return "the image is \(facts.format.rawValue), and only \(wanted) is wanted"
    }
    if refusedFormats.contains(facts.format) { return "the image is \(facts.format.rawValue), which is left out" }
    if refusesFlaws, let flaw = facts.flaws.all.first { return "the image is flawed: it has \(flaw)" }
    if facts.width < minimumWidth || facts.height < minimumHeight {
      return "the image is \(facts.width)x\(facts.height), smaller than \(minimumWidth)x\(minimumHeight)"
    }
    if let maximumAspect, facts.width > 0, facts.height > 0 {
      let aspect = Double(max(facts.width, facts.height)) / Double(min(facts.width, facts.height))
      if aspect > maximumAspect {
        return "the image is \(facts.width)x\(facts.height), which is a ratio of more than \(maximumAspect)"
      }
    }
    return nil
  }
}
