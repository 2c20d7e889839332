import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// Pictures that are very much longer than wide, made very much smaller and larger, in a real
/// helper with its memory limit.
@Suite("Extreme shapes are scaled within the memory budget, or rejected") struct ExtremeShapesTests {
  /// A picture, of few bytes.
  enum Source: String, CaseIterable {
    case wide, high, broad, tall, alpha, deep, animation, slim

    var size: PixelSize {
      switch self {
      case .wide: PixelSize(1_000_000, 1)
      case .high: PixelSize(1, 1_000_000)
      case .broad: PixelSize(100_000, 100)
      case .tall: PixelSize(100, 100_000)
      case .alpha: PixelSize(300_000, 30)
      case .deep: PixelSize(30, 300_000)
      // The canvas of an animation may be larger than any picture of the format.
      case .animation: PixelSize(1_048_636, 40)
      case .slim: PixelSize(1, 65_000)
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .wide, .high, .broad, .tall: png(colourType: 2, depth: 8)
      case .alpha: png(colourType: 6, depth: 8)
      case .deep: png(colourType: 6, depth: 16)
      case .slim: TestImages.gif(width: 1, height: 65_000)
      case .animation:
        TestImages.webp(width: 12, height: 10) { $0.frames = 2 }.withCanvas(size)
      }
    }

    private func png(colourType: Int, depth: Int) -> [UInt8] {
      let rowBytes = size.width * (colourType == 6 ? 4 : 3) * depth / 8 + 1
      let header = TestImages.pngHeader(width: size.width, height: size.height, depth: depth, colourType: colourType)
      return TestImages.pngSignature + TestImages.pngChunk("IHDR", header)
        + TestImages.pngChunk("IDAT", TestImages.deflated([UInt8](repeating: 0, count: size.height * rowBytes)))
        + TestImages.pngChunk("IEND", [])
    }
  }

  private static let transforms: [[ImageTransform.Step]] = [
    [.resize(Resize(.box(PixelSize(64, 64))))],
    [.resize(Resize(.box(PixelSize(64, 64)), fit: .cover))],
    [.resize(Resize(.box(PixelSize(64, 64)), fit: .fill))],
    [.resize(Resize(.box(PixelSize(1000, 1000)), fit: .fill))],
    [.resize(Resize(.percent(50)))],
    [.resize(Resize(.box(PixelSize(16_000, 2)), fit: .fill)), .resize(Resize(.box(PixelSize(2, 16_000)), fit: .fill))],
    [.crop(Crop(PixelSize(50_000, 1), x: 0, y: 0)), .resize(Resize(.width(100)))],
    [.crop(Crop(PixelSize(1, 50_000), x: 0, y: 0)), .resize(Resize(.height(10))), .turn(.quarter)],
    [.resize(Resize(.percent(1000)))],
    [.resize(Resize(.box(PixelSize(2_000_000, 100)), fit: .fill))],
  ]

  @Test("In both directions, with and without cropping", arguments: Source.allCases)
  func within(source: Source) throws {
    let executor = PeakMeasuringExecutor()
    let bytes = source.bytes
    let facts = try inspected(bytes).get()
    #expect(PixelSize(facts.width, facts.height) == source.size)
    var done = 0
    for steps in Self.transforms {
      let transform = ImageTransform(steps: steps, target: .format(.png), takesFirstFrame: true)
      do throws(TransformFailure) {
        let made = try transform.apply(to: ImageBody(.bytes(bytes)), facts, PixelLimits(executor: executor))
        let plan = try TransformPlan(steps, size: source.size, orientation: 1)
        #expect(PixelSize(made.facts.width, made.facts.height) == plan.result)
        done += 1
      } catch {
        #expect(error.fetchError(of: "a").kind == .limit || error.description.contains("PNG"), "\(steps): \(error)")
      }
    }
    // A user may want the first five.
    #expect(done >= 5)
    // Besides the picture, the helper holds its program and the encoded picture, twice.
    #expect(Program.isSanitized || executor.peak < 900 << 20, "\(source): \(executor.peak >> 20) MB")
  }

  @Test("The memory for scaling is bounded for every possible shape")
  func bounded() {
    let sides = [1, 40, 1000, 30_000, 1_000_000, 16_777_216]
    for width in sides {
      for height in sides where width * height <= 256 << 20 {
        for target in [PixelSize(64, 64), PixelSize(256, 1), PixelSize(1, 256)] {
          let layout = PixelLayout(width: width, height: height, model: .rgba, bits: 16)
          let scaling = Scaling(layout, PixelRegion(PixelSize(width, height)), to: target)
          #expect(scaling.bytes < 512 << 20, "\(width)x\(height) to \(target): \(scaling.bytes >> 20) MB")
        }
      }
    }
  }

  @Test("Cells are averaged before the filter where a picture becomes more than 32 times smaller, and only there")
  func steps() {
    func scaling(_ width: Int, _ height: Int, to size: PixelSize) -> Scaling {
      let layout = PixelLayout(width: width, height: height, model: .rgb)
      return Scaling(layout, PixelRegion(PixelSize(width, height)), to: size)
    }
    #expect(scaling(6000, 4000, to: PixelSize(256, 171)).across == 1)
    let small = scaling(8192, 4096, to: PixelSize(64, 256))
    #expect(small.across == 8 && small.down == 1)
    #expect(small.layout.width == 1024 && small.layout.height == 4096 && small.region.width == 1024)
    #expect(scaling(10, 10, to: PixelSize(5000, 5000)).down == 1)
    // 976 pixels a cell, and fewer in the last one.
    #expect(scaling(1_000_001, 1, to: PixelSize(64, 1)).layout.width == 1025)
  }

  @Test("No more memory is taken than there is")
  func refused() throws {
    let layout = PixelLayout(width: 30_000, height: 1000, model: .rgba, bits: 16)
    let scaling = Scaling(layout, PixelRegion(PixelSize(30_000, 1000)), to: PixelSize(1000, 1000))
    var budget = PixelBudget(scaling.held, .png)
    try budget.take(scaling.held, for: "scaling it")
    #expect(budget.left == 0)
    #expect(throws: PixelFailure.tooLarge(.png, reason: "turning it needs more memory than there is for it")) {
      try budget.take(1, for: "turning it")
    }
  }
}

/// Does the work in helpers, one for each image, and records the greatest memory use.
private final class PeakMeasuringExecutor: PixelExecutor {
  let isShutIn = false
  private let most = Guarded(0)

  var peak: Int { most.withLock { $0 } }

  func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    let executor = SandboxedExecutor(Program.path, limit: 1) { _ in }
    defer {
      let status = executor.idle.first.flatMap { Command.text(of: "/proc/\($0)/status") } ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
      most.withLock { $0 = max($0, kilobytes << 10) }
    }
    return try executor.perform(work, body, facts, memory: memory)
  }
}

extension [UInt8] {
  /// A WebP with another canvas size.
  fileprivate func withCanvas(_ size: PixelSize) -> [UInt8] {
    var bytes = self
    // After the headers of the file and its first chunk, and four bytes of flags.
    for (place, side) in [(24, size.width), (27, size.height)] {
      for byte in 0..<3 { bytes[place + byte] = UInt8((side - 1) >> (8 * byte) & 255) }
    }
    return bytes
  }
}
