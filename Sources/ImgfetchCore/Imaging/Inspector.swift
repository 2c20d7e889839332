/// Looks at an image while its bytes go by: recognises its format, walks through its structure to the end mark, and
/// learns its size and what else a header tells.
///
/// A plain value of a few hundred bytes that holds no more of the body than the field that is being read. It is fed the
/// same chunks as the sink, and its verdict does not depend on where they are cut. Whoever feeds it owns it.
///
/// A failure is final: once one was thrown, every further call throws it again.
package struct Inspector: Sendable {
  /// An enumeration and not a protocol, so that a chunk costs one switch and no call through a table.
  private enum Stage: Sendable {
    case recognising(Recognition)
    case jpeg(JPEGWalk)
    case png(PNGWalk)
    case gif(GIFWalk)
    case webp(WebPWalk)
    case failed(InspectionFailure, ImageFacts?)
  }

  private let limits: InspectionLimits
  private var stage = Stage.recognising(Recognition())

  package init(limits: InspectionLimits = InspectionLimits()) { self.limits = limits }

  /// The next bytes. Those after the end mark are counted and otherwise ignored.
  package mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    do {
      try advance(bytes)
    } catch {
      stage = .failed(error, facts)
      throw error
    }
  }

  /// There are no more bytes: what the image is, if it was whole.
  package mutating func finish() throws(InspectionFailure) -> ImageFacts {
    do {
      try end()
    } catch {
      stage = .failed(error, facts)
      throw error
    }
    guard let facts else { throw .notImage(found: "an empty body") }
    return facts
  }

  /// What is known so far: nil until format and size are. What stands behind the header (frames, orientation, bytes at
  /// the end) is complete only after `finish`. Of what failed, what was known by then stays known.
  package var facts: ImageFacts? {
    switch stage {
    case .recognising: nil
    case .failed(_, let facts): facts
    case .jpeg(let walk): walk.facts
    case .png(let walk): walk.facts
    case .gif(let walk): walk.facts
    case .webp(let walk): walk.facts
    }
  }

  private mutating func advance(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    switch stage {
    case .recognising(var recognition):
      let (taken, format) = try recognition.take(bytes)
      guard let format else {
        stage = .recognising(recognition)
        return
      }
      stage = begin(format)
      let head = recognition.head
      try advance(head.span.extracting(first: recognition.count))
      if taken < bytes.count { try advance(bytes.extracting(droppingFirst: taken)) }
    case .jpeg(var walk):
      defer { stage = .jpeg(walk) }
      try walk.feed(bytes)
    case .png(var walk):
      defer { stage = .png(walk) }
      try walk.feed(bytes)
    case .gif(var walk):
      defer { stage = .gif(walk) }
      try walk.feed(bytes)
    case .webp(var walk):
      defer { stage = .webp(walk) }
      try walk.feed(bytes)
    case .failed(let failure, _):
      throw failure
    }
  }

  private func begin(_ format: ImageFormat) -> Stage {
    switch format {
    case .jpeg: .jpeg(JPEGWalk(limits: limits))
    case .png: .png(PNGWalk(limits: limits))
    case .gif: .gif(GIFWalk(limits: limits))
    case .webp: .webp(WebPWalk(limits: limits))
    }
  }

  private func end() throws(InspectionFailure) {
    switch stage {
    case .recognising(let recognition): throw recognition.finish()
    case .jpeg(let walk): try walk.finish()
    case .png(let walk): try walk.finish()
    case .gif(let walk): try walk.finish()
    case .webp(let walk): try walk.finish()
    case .failed(let failure, _): throw failure
    }
  }
}
