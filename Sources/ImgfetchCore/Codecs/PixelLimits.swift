/// What decoding an image may cost at most, and where it is done.
package struct PixelLimits: Sendable {
  /// Pixels times frames; what `--max-pixels` says.
  package var maxPixels: Int64
  /// Where memory for pixels comes from.
  package var memory: PixelMemory
  package var executor: any PixelExecutor

  package init(
    maxPixels: Int64 = 256 << 20, memory: PixelMemory = .shared, executor: any PixelExecutor = InProcessExecutor()
  ) {
    self.maxPixels = maxPixels
    self.memory = memory
    self.executor = executor
  }

  /// EXIF and colour profiles are some KB long; the largest profiles of printing presses have 3 MB.
  static let metadata: UInt32 = 8 << 20

  /// Passes over a progressive JPEG's pixels. Encoders write ten or so; the format's finest split has a few hundred, and
  /// 2^33 pixels in all passes together keep a processor busy for about half a minute.
  static func scans(pixels: Int64) -> UInt32 { UInt32(clamping: min(500, max(16, (1 << 33) / max(1, pixels)))) }

  /// Refuses what has too many pixels.
  func admit(_ facts: ImageFacts) throws(PixelFailure) {
    do {
      try InspectionLimits(maxPixels: maxPixels).admit(width: facts.width, height: facts.height, frames: facts.frames)
    } catch { throw .tooLarge(facts.format, reason: "\(error)") }
  }

  /// The most memory that a decoder of such an image may need, whatever turns up in it: of an animation two canvases and
  /// a frame, of a progressive JPEG all coefficients, of an interlaced PNG all rows.
  static func need(_ facts: ImageFacts, encoded: Int64) -> Int64 {
    let pixels = Int64(facts.width) * Int64(facts.height)
    let each: Int64 =
      switch facts.format {
      case .jpeg: 8
      case .png: facts.frames > 1 ? 12 : 8
      case .gif: 12
      case .webp: 16
      }
    return pixels * each + encoded + (1 << 20)
  }
}

/// What is left of the memory that a job was given; what its steps will hold is taken from it before they hold it.
struct PixelBudget {
  private(set) var left: Int64
  private let format: ImageFormat

  init(_ bytes: Int64, _ format: ImageFormat) {
    left = bytes
    self.format = format
  }

  /// - Parameter use: What for, as the subject of a sentence.
  mutating func take(_ bytes: Int64, for use: String) throws(PixelFailure) {
    guard bytes <= left else {
      throw .tooLarge(format, reason: "\(use) needs more memory than there is for it")
    }
    left -= max(0, bytes)
  }
}

/// Memory that all who work on pixels share: each reserves what it may need before it begins, and waits while others
/// have it. So any number of threads stays within one bound.
package final class PixelMemory: Sendable {
  /// Three quarters of the gigabyte that a run may use at the very worst.
  package static let shared = PixelMemory(total: 768 << 20)

  private let total: Int64
  private let free: Guarded<Int64>

  package init(total: Int64) {
    self.total = total
    free = Guarded(total)
  }

  /// Calls `body` with so many bytes, or with all there are if that is less: then it must do with those. Waits until they are
  /// free; nobody may ask for more while holding some.
  package func holding<Value, Failure: Error>(
    _ bytes: Int64, _ body: (Int64) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let share = min(max(0, bytes), total)
    _ = free.wait { free -> Bool? in
      guard free >= share else { return nil }
      free -= share
      return true
    }
    defer {
      free.withLock { $0 += share }
      free.broadcast()
    }
    return try body(share)
  }
}
