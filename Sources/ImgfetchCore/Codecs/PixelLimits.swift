/// The limits for decoding an image, and where it is decoded.
package struct PixelLimits: Sendable {
  /// Pixels times frames, as in `--max-pixels`.
  package var maxPixels: Int64
  /// The shared memory for pixels.
  package var memory: PixelMemory
  package var executor: any PixelExecutor

  package init(
    maxPixels: Int64 = 256 << 20, memory: PixelMemory = .shared, executor: any PixelExecutor = InProcessExecutor()
  ) {
    self.maxPixels = maxPixels
    self.memory = memory
    self.executor = executor
  }

  /// EXIF blocks and colour profiles are some KB long; the largest profiles, for printing presses, have 3 MB.
  static let metadata: UInt32 = 8 << 20

  /// The number of scans of a progressive JPEG. Encoders write about ten; the format's finest split has a few hundred.
  /// All scans together of 2^33 pixels take a processor about half a minute.
  static func scans(pixels: Int64) -> UInt32 { UInt32(clamping: min(500, max(16, (1 << 33) / max(1, pixels)))) }

  /// Throws if the image has too many pixels.
  func admit(_ facts: ImageFacts) throws(PixelFailure) {
    do {
      try InspectionLimits(maxPixels: maxPixels).admit(width: facts.width, height: facts.height, frames: facts.frames)
    } catch { throw .tooLarge(facts.format, reason: "\(error)") }
  }

  /// The most memory that decoding may need, whatever the file contains: two canvases and a frame of an animation, all
  /// coefficients of a progressive JPEG, all rows of an interlaced PNG.
  static func need(_ facts: ImageFacts, encoded: Int64) -> Int64 {
    let pixels = Int64(facts.width) * Int64(facts.height)
    let bytes = facts.format.traits.decodingBytes
    return pixels * (facts.frames > 1 ? bytes.animated : bytes.still) + encoded + facts.format.traits.decoderBytes
  }
}

/// The remaining memory of a job. Its steps take what they will need before they allocate it.
struct PixelBudget {
  private(set) var left: Int64
  private let format: ImageFormat

  init(_ bytes: Int64, _ format: ImageFormat) {
    left = bytes
    self.format = format
  }

  /// Takes memory from the budget, or fails.
  ///
  /// - Parameter use: the purpose of the memory, as the subject of a sentence.
  mutating func take(_ bytes: Int64, for use: String) throws(PixelFailure) {
    guard bytes <= left else {
      throw .tooLarge(format, reason: "\(use) needs more memory than there is for it")
    }
    left -= max(0, bytes)
  }
}

/// The memory that all pixel work shares. Each job reserves the most that it may need before it begins, and waits while
/// others hold it, so that any number of threads stays within one bound.
package final class PixelMemory: Sendable {
  /// Three quarters of the gigabyte that a run may use at worst.
  package static let shared = PixelMemory(total: 768 << 20)

  private let total: Int64
  private let free: Guarded<Int64>

  package init(total: Int64) {
    self.total = total
    free = Guarded(total)
  }

  /// Calls `body` with that many bytes or, if there are fewer in all, with all of them, and waits until they are free.
  /// Must not be called by a thread that holds some already.
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
