/// Inspects an image while its bytes arrive: recognises the format, walks the structure to the end mark, and
/// collects facts from headers.
///
/// A plain value of a few hundred bytes, which holds no more of the body than the current field. It takes chunks of any
/// size, and the result does not depend on where they are cut.
///
/// A failure is final: once one was thrown, every further call throws it again.
package struct Inspector: Sendable {
  private let limits: InspectionLimits
  private var walk = FormatWalk.sniffing(FormatSniffer())

  package init(limits: InspectionLimits = InspectionLimits()) { self.limits = limits }

  /// Returns the facts about an image that is all there.
  package static func facts(of image: [UInt8], limits: InspectionLimits) throws(InspectionFailure) -> ImageFacts {
    var inspector = Inspector(limits: limits)
    try inspector.feed(image.span)
    return try inspector.finish()
  }

  /// Takes the next bytes. Bytes after the end mark are counted and otherwise ignored.
  package mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    do {
      try walk.feed(bytes, limits: limits)
    } catch {
      walk = .failed(error, facts)
      throw error
    }
  }

  /// Ends the inspection: the facts about the image if it was complete. An image that only decoding could
  /// judge counts as incomplete.
  package mutating func finish() throws(InspectionFailure) -> ImageFacts {
    switch try verdict() {
    case .accepted(let facts): return facts
    case .doubtful(let facts, let failure):
      walk = .failed(failure, facts)
      throw failure
    }
  }

  /// Ends the inspection of a body whose end is certain. A missing end mark is then a flaw, if
  /// decoding finds every pixel.
  package mutating func verdict() throws(InspectionFailure) -> InspectionVerdict {
    let ending: WalkEnding
    do {
      ending = try walk.finish()
    } catch {
      walk = .failed(error, facts)
      throw error
    }
    guard var facts else { throw .notImage(found: "empty") }
    switch ending {
    case .complete: return .accepted(facts)
    case .doubtful(let failure): return .doubtful(facts, failure)
    case .withoutMark(let failure):
      facts.flaws.insert(.noEndMark)
      return .doubtful(facts, failure)
    }
  }

  /// The facts known so far: nil until format and size are known. Facts that come after the header (frames,
  /// orientation, trailing bytes) are complete only after `finish`. After a failure they remain as they were.
  package var facts: ImageFacts? { walk.facts }
}
