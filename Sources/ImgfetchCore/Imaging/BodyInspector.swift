/// Inspects a body that has a format of the library's, by its structure, or one of the program's own, which says
/// itself whether it is whole.
struct BodyInspector: Sendable {
  /// The number of bytes by which an own format is recognised.
  static let beginning = 64

  private var inspector: Inspector
  private let formats: [any OwnFormat]
  /// The first bytes, as long as they are too few for the own formats.
  private var held: [UInt8] = []
  private var isDecided: Bool
  /// The program's format that the body has.
  private(set) var own: (any OwnFormat)?

  /// - Parameter formats: The program's own. Without any, all goes straight to the inspector.
  init(limits: InspectionLimits, formats: [any OwnFormat]) {
    inspector = Inspector(limits: limits)
    self.formats = formats
    isDecided = formats.isEmpty
  }

  /// Takes the next bytes.
  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    if isDecided {
      if own == nil { try inspector.feed(bytes) }
      return
    }
    held.append(copying: bytes)
    if held.count >= Self.beginning { try decide() }
  }

  /// Ends the inspection. Nil means that the body is one for ``own``, which needs all of it.
  mutating func verdict() throws(InspectionFailure) -> InspectionVerdict? {
    if !isDecided { try decide() }
    return own == nil ? try inspector.verdict() : nil
  }

  /// The facts that are known by now about an image of the library's formats.
  var facts: ImageFacts? { inspector.facts }

  private mutating func decide() throws(InspectionFailure) {
    isDecided = true
    let bytes = held
    held = []
    let beginning = Array(bytes.prefix(Self.beginning))
    own = formats.first { $0.recognises(beginning) }
    if own == nil { try inspector.feed(bytes.span) }
  }
}
