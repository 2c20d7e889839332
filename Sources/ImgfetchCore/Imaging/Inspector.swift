/// Inspects an image while its bytes arrive: recognises the format, walks the structure to the end mark, and collects facts from headers.
///
/// A plain value of a few hundred bytes, which holds no more of the body than the current field. It takes chunks of any size, and the
/// result does not depend on where they are cut.
///
/// A failure is final: once one was thrown, every further call throws it again.
package struct Inspector: Sendable {
  private let limits: InspectionLimits
  private var walk = FormatWalk.sniffing(FormatSniffer())

  package init(limits: InspectionLimits = InspectionLimits()) { self.limits = limits }

  /// Takes the next bytes. Bytes after the end mark are counted and otherwise ignored.
  package mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    do {
      try walk.feed(bytes, limits: limits)
    } catch {
      walk = .failed(error, facts)
      throw error
    }
  }

  /// Ends the inspection: the facts about the image if it was complete. What only decoding could tell counts as incomplete.
  package mutating func finish() throws(InspectionFailure) -> ImageFacts {
    switch try verdict() {
    case .accepted(let facts): return facts
    case .doubtful(let facts, let failure):
      walk = .failed(failure, facts)
      throw failure
    }
  }

  /// Ends the inspection of a body whose end is certain. A missing end mark is then a flaw, if decoding finds every pixel.
  package mutating func verdict() throws(InspectionFailure) -> InspectionVerdict {
    let ending: WalkEnding
    do {
      ending = try walk.finish()
    } catch {
      walk = .failed(error, facts)
      throw error
    }
    guard var facts else { throw .notImage(found: "an empty body") }
    switch ending {
    case .complete: return .accepted(facts)
    case .doubtful(let failure): return .doubtful(facts, failure)
    case .withoutMark(let failure):
      facts.flaws.insert(.noEndMark)
      return .doubtful(facts, failure)
    }
  }

  /// The facts known so far: nil until format and size are known. Facts that come after the header (frames, orientation, trailing bytes)
  /// are complete only after `finish`. After a failure they remain as they were.
  package var facts: ImageFacts? { walk.facts }
}

/// A format of the program's own, as far as verifying an image goes.
protocol OwnFormat: Sendable {
  /// Whether an image that begins with these bytes has this format.
  func recognises(_ beginning: [UInt8]) -> Bool

  /// Throws if the image is not whole, or has more pixels than that.
  func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure)

  /// The same pictures as a PNG, which transforms can read.
  func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8]
}

/// Why an image of the program's own format is not accepted.
struct OwnFormatFailure: Error {
  let reason: String
  var isTooLarge = false
}

/// Inspects a body that has a format of the library's, by its structure, or one of the program's own, which says itself whether it is whole.
struct BodyInspector: Sendable {
  /// How many bytes an own format is recognised by.
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
    held.append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
    if held.count >= Self.beginning { try decide() }
  }

  /// Ends the inspection; nil: the body is one for ``own``, which needs all of it.
  mutating func verdict() throws(InspectionFailure) -> InspectionVerdict? {
    if !isDecided { try decide() }
    return own == nil ? try inspector.verdict() : nil
  }

  /// What is known of an image of the library's formats by now.
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
