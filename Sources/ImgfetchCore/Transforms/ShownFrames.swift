/// The pictures of a whole image, one after another. Must be used by one thread at a time.
package final class ShownFrames {
  private let steps: any PixelSteps
  private let size: PixelSize
  private let format: ImageFormat

  /// Has `executor` decode the first picture. Its memory must have been reserved.
  package init(
    _ body: ImageBody, _ facts: ImageFacts, size: PixelSize, memory: Int64, executor: any PixelExecutor
  ) throws(PixelFailure) {
    self.size = size
    format = facts.format
    steps = try executor.begin(ShownWork(kind: .frames, size: size), body, facts, memory: memory)
  }

  /// The first picture, in this size. Waits for the memory that decoding takes.
  package static func first(
    of body: ImageBody, _ facts: ImageFacts, size: PixelSize, _ limits: PixelLimits
  ) throws(PixelFailure) -> PixelBuffer {
    try limits.admit(facts, frames: 1)
    let need = ShownScaling.need(facts, encoded: body.count, to: size)
    let picture = try limits.memory.holding(need) { memory throws(PixelFailure) in
      try ShownFrames(body, facts, size: size, memory: memory, executor: limits.executor).next()
    }
    guard let picture else { throw .damaged(facts.format, reason: "it has no picture") }
    return picture
  }

  /// All pictures of an animation, in this size, until `show` returns false. Waits for the memory that decoding takes.
  package static func all(
    of body: ImageBody, _ facts: ImageFacts, size: PixelSize, _ limits: PixelLimits, _ show: (PixelBuffer) -> Bool
  ) throws(PixelFailure) {
    try limits.admit(facts)
    let need = ShownScaling.need(facts, encoded: body.count, to: size)
    try limits.memory.holding(need) { memory throws(PixelFailure) in
      let frames = try ShownFrames(body, facts, size: size, memory: memory, executor: limits.executor)
      while let picture = try frames.next(), show(picture) {}
    }
  }

  /// The next picture, or nil after the last.
  package func next() throws(PixelFailure) -> PixelBuffer? {
    let answer = try steps.answer([ShownQuestion.next])
    if answer.isEmpty { return nil }
    var reader = ByteReader(answer)
    guard let milliseconds = reader.take(UInt32.self) else {
      throw .damaged(format, reason: "its decoder did not answer")
    }
    return try PixelBuffer(
      size, milliseconds: Int(milliseconds), answered: Array(answer.dropFirst(4)), by: format)
  }
}
