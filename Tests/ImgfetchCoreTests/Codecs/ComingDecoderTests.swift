import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Images are decoded while their bytes come") struct ComingDecoderTests {
  /// An image, and whether its rows come from the top down, once.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var inRows = true
    var testDescription: String { name }
  }

  static let samples: [Sample] = [
    Sample(name: "sequential JPEG", bytes: TestImages.jpeg(width: 61, height: 45)),
    Sample(name: "grey JPEG", bytes: TestImages.jpeg(width: 61, height: 45) { $0.components = 1 }),
    Sample(name: "JPEG of inks", bytes: TestImages.jpeg(width: 61, height: 45) { $0.components = 4 }),
    Sample(name: "JPEG with restarts", bytes: TestImages.jpeg(width: 61, height: 45) { $0.restartInterval = 3 }),
    Sample(name: "progressive JPEG", bytes: TestImages.progressiveJPEG(width: 61, height: 45), inRows: false),
    Sample(name: "PNG", bytes: TestImages.png(width: 61, height: 45)),
    Sample(name: "PNG with alpha", bytes: TestImages.png(width: 61, height: 45) { $0.colourType = 6 }, inRows: false),
    Sample(name: "deep PNG", bytes: TestImages.png(width: 61, height: 45) { ($0.depth, $0.dataChunk) = (16, 100) }),
    Sample(
      name: "interlaced PNG", bytes: TestImages.png(width: 61, height: 45) { $0.interlaced = true }, inRows: false),
    Sample(name: "GIF", bytes: TestImages.gif(width: 61, height: 45)),
    Sample(
      name: "interlaced GIF", bytes: TestImages.gif(width: 61, height: 45) { $0.interlaced = true }, inRows: false),
    Sample(
      name: "transparent GIF",
      bytes: TestImages.gif(width: 61, height: 45) { ($0.transparent, $0.localColours) = (true, true) }, inRows: false),
    Sample(name: "animated GIF", bytes: TestImages.gif(width: 61, height: 45, frames: 3)),
    Sample(name: "lossless WebP", bytes: TestImages.webp(width: 61, height: 45)),
    Sample(name: "lossy WebP", bytes: TestImages.lossyWebP()),
  ]

  /// The state after each piece.
  private func looks(
    _ sample: Sample, _ decoder: ComingDecoder, _ seed: UInt64
  ) throws -> [(progress: ComingProgress, picture: Picture?)] {
    var random = SeededRandom(seed: seed)
    var looks: [(ComingProgress, Picture?)] = []
    var at = 0
    while at < sample.bytes.count {
      let end = min(sample.bytes.count, at + Int.random(in: 1...max(1, sample.bytes.count / 8), using: &random))
      let progress = try decoder.feed(sample.bytes[at..<end])
      at = end
      looks.append((progress, progress.pass > 0 ? try picture(decoder.look()) : nil))
    }
    return looks
  }

  private func picture(_ rows: any RowSource) throws -> Picture {
    var picture = Picture(layout: rows.layout, pixels: [])
    var row = [UInt8](repeating: 0, count: rows.layout.rowBytes)
    for _ in 0..<rows.layout.height {
      try rows.read(into: &row)
      picture.pixels += row
    }
    return picture
  }

  /// The first picture of the whole image, as the other decoder has it.
  private func whole(_ bytes: [UInt8], eighths: Int = 8) throws -> Picture {
    let facts = try inspected(bytes).get()
    let decoder = try ImageDecoder(body(bytes), facts, eighths: eighths, memory: 64 << 20)
    _ = try decoder.next()
    return try picture(ConvertedRows(decoder, RowConverter(from: decoder.layout, to: .rgba, bits: 8)))
  }

  @Test("The last look is the picture of the whole, and what has come before does not go", arguments: samples)
  func pieces(_ sample: Sample) throws {
    let facts = try inspected(sample.bytes).get()
    let whole = try whole(sample.bytes)
    for seed in 1...4 as ClosedRange<UInt64> {
      let looks = try looks(sample, ComingDecoder(facts, eighths: 8, memory: 64 << 20), seed)
      #expect(looks.last?.picture == whole)
      #expect(zip(looks, looks.dropFirst()).allSatisfy { $0.progress <= $1.progress })
      guard sample.inRows else { continue }
      for look in looks {
        guard let picture = look.picture else { continue }
        let bytes = look.progress.rows * picture.layout.rowBytes
        #expect(picture.pixels.prefix(bytes) == whole.pixels.prefix(bytes))
        let alphas = stride(from: bytes + 3, to: picture.pixels.count, by: 4).map { picture.pixels[$0] }
        // libjpeg has made rows of a block that it does not show yet; nothing else is there.
        #expect(alphas.allSatisfy { $0 == 0 })
      }
    }
  }

  @Test("Reduced as the other decoder does it", arguments: [1, 3, 4])
  func eighths(_ eighths: Int) throws {
    for sample in Self.samples where sample.name.hasSuffix("JPEG") {
      let decoder = try ComingDecoder(inspected(sample.bytes).get(), eighths: eighths, memory: 64 << 20)
      let looks = try looks(sample, decoder, 1)
      #expect(try looks.last?.picture == whole(sample.bytes, eighths: eighths), "\(sample.name)")
    }
  }

  @Test(
    "Each scan and each pass brings a picture nearer to the whole", arguments: ["progressive JPEG", "interlaced PNG"])
  func sharper(_ name: String) throws {
    let sample = try #require(Self.samples.first { $0.name == name })
    let whole = try whole(sample.bytes)
    let decoder = try ComingDecoder(inspected(sample.bytes).get(), eighths: 8, memory: 64 << 20)
    var errors: [Int: Int] = [:]
    for byte in sample.bytes.indices {
      let progress = try decoder.feed(sample.bytes[byte...byte])
      guard progress.pass > 0 else { continue }
      let pixels = try picture(decoder.look()).pixels
      // The last look of each pass counts.
      errors[progress.pass] = zip(pixels, whole.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    }
    let inOrder = errors.sorted { $0.key < $1.key }.map(\.value)
    #expect(
      inOrder.count >= 4 && inOrder.last == 0 && zip(inOrder.suffix(4), inOrder.suffix(3)).allSatisfy { $0 > $1 },
      "\(inOrder)"
    )
  }

  @Test("Whatever the bytes are, it fails or goes on, and says nothing more after a failure", arguments: samples)
  func broken(_ sample: Sample) throws {
    let facts = try inspected(sample.bytes).get()
    var random = SeededRandom(seed: 7)
    for _ in 0..<40 {
      var bytes = sample.bytes
      for _ in 0..<3 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let decoder = try ComingDecoder(facts, eighths: 8, memory: 4 << 20)
      var hasFailed = false
      for start in stride(from: 0, to: bytes.count, by: 97) {
        do throws(PixelFailure) {
          let progress = try decoder.feed(bytes[start..<min(bytes.count, start + 97)])
          #expect(!hasFailed)
          if progress.pass > 0 { _ = try? decoder.look() }
        } catch { hasFailed = true }
      }
    }
  }

  @Test("An image that needs more memory, or of another kind, is not shown before it is whole")
  func limits() throws {
    for sample in Self.samples where sample.name != "lossy WebP" {
      let decoder = try ComingDecoder(inspected(sample.bytes).get(), eighths: 8, memory: 2000)
      #expect(throws: PixelFailure.self, "\(sample.name)") { try decoder.feed(sample.bytes[...]) }
    }
    let animation = TestImages.animatedWebP()
    let decoder = try ComingDecoder(inspected(animation).get(), eighths: 8, memory: 64 << 20)
    #expect(throws: PixelFailure.self) { try decoder.feed(animation[...]) }
    #expect(throws: PixelFailure.self) {
      _ = try ComingDecoder(inspected(TestImages.bmp()).get(), eighths: 8, memory: 64 << 20)
    }
  }
}
