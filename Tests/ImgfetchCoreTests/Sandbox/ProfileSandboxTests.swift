import TestSupport
import Testing

@testable import ImgfetchCore

/// Pictures with colour profiles in a helper, which can no longer load libraries.
@Suite("Colour profiles in the sandbox") struct ProfileSandboxTests {
  private let limits = PixelLimits(executor: SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") })

  /// Pictures of every kind that can have a profile, each with one.
  static let pictures: [(name: String, bytes: [UInt8])] = [
    ("JPEG", jpeg(SwappedProfile.bytes)), ("JPEG, sRGB", jpeg(SRGBProfile.bytes)),
    ("JPEG, grey", jpeg(SwappedProfile.bytes) { $0.components = 1 }),
    ("JPEG, progressive", jpeg(SwappedProfile.bytes) { $0.progressive = true }),
    ("JPEG, ink", jpeg(InkProfile.bytes) { $0.components = 4 }),
    ("JPEG, ink, a profile of colours", jpeg(SwappedProfile.bytes) { $0.components = 4 }),
    ("JPEG, rubbish", jpeg([UInt8](repeating: 7, count: 500))),
    ("PNG", png(SwappedProfile.bytes, colourType: 2, depth: 8)),
    ("PNG, alpha, 16 bits", png(SwappedProfile.bytes, colourType: 6, depth: 16)),
    ("PNG, rubbish", png([UInt8](repeating: 7, count: 500), colourType: 2, depth: 8)),
    ("PNG, cut", png(Array(SwappedProfile.bytes.dropLast(40)), colourType: 2, depth: 8)),
    ("WebP", webp(SwappedProfile.bytes)), ("WebP, rubbish", webp([UInt8](repeating: 7, count: 500))),
  ]

  static func jpeg(
    _ profile: [UInt8], _ adjust: (inout TestImages.JPEGOptions) -> Void = { _ in }
  ) -> [UInt8] {
    let plain = TestImages.jpeg(width: 40, height: 30, adjust)
    let content = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
    return plain[..<2] + [0xFF, 0xE2] + MadeProfile.big(content.count + 2, 2) + content + plain[2...]
  }

  private static func png(_ profile: [UInt8], colourType: Int, depth: Int) -> [UInt8] {
    let bytes = KnownPNG(width: 40, height: 30, colourType: colourType, depth: depth).bytes
    let chunk = TestImages.pngChunk("iCCP", Array("a".utf8) + [0, 0] + TestImages.deflated(profile))
    return bytes[..<33] + chunk + bytes[33...]
  }

  private static func webp(_ profile: [UInt8]) -> [UInt8] {
    let bytes = TestImages.webp(width: 40, height: 30) { $0.colourProfile = true }
    // After the file's header and the first chunk, which has ten bytes.
    let old = 8 + 62
    return TestImages.riff(bytes[12..<30] + TestImages.riffChunk("ICCP", profile) + bytes[(30 + old)...])
  }

  static let transforms: [(name: String, transform: ImageTransform)] = [
    ("strip", ImageTransform(strips: true)),
    ("resize", ImageTransform(steps: [.resize(Resize(.width(20)))])),
    ("strip and resize", ImageTransform(steps: [.resize(Resize(.width(20)))], strips: true)),
    ("jpeg", ImageTransform(target: .format(.jpeg))), ("png", ImageTransform(target: .format(.png))),
    ("webp", ImageTransform(target: .format(.webp))), ("gif", ImageTransform(target: .format(.gif))),
    ("webp, strip", ImageTransform(target: .format(.webp), strips: true)),
  ]

  @Test("Stripping, resizing and converting give the same result as outside", arguments: pictures.map(\.name))
  func same(name: String) throws {
    let bytes = try #require(Self.pictures.first { $0.name == name }).bytes
    let facts = try inspected(bytes).get()
    #expect(facts.hasColourProfile)
    try PixelCheck.verify(body(bytes), facts, limits)
    for (name, transform) in Self.transforms {
      let made = try transform.apply(to: body(bytes), facts, limits)
      #expect(try made.body.wholeBytes() == transform.apply(to: body(bytes), facts).body.wholeBytes(), "\(name)")
      if transform.strips { #expect(!made.facts.hasColourProfile, "\(name)") }
    }
  }

  /// The samples of a picture after its profile was applied.
  private func upright(_ bytes: [UInt8]) throws -> [[Int]] {
    let made = try ImageTransform(target: .format(.png), strips: true).apply(
      to: body(bytes), inspected(bytes).get(), limits)
    return try #require(decoded(made.body, made.facts).first).picture.samples
  }

  @Test("Ink is converted by its profile, or else as ideal ink")
  func ink() throws {
    let plain = TestImages.jpeg(width: 40, height: 30) { $0.components = 4 }
    // The profile has greys only.
    let grey = try upright(Self.jpeg(InkProfile.bytes) { $0.components = 4 })
    #expect(grey.allSatisfy { abs($0[0] - $0[1]) <= 2 && abs($0[1] - $0[2]) <= 2 })
    let ideal = try upright(plain)
    #expect(ideal.contains { abs($0[0] - $0[1]) > 60 })
    // A profile that is not for ink, or invalid, changes nothing.
    for profile in [SwappedProfile.bytes, [UInt8](repeating: 7, count: 500)] {
      #expect(try upright(Self.jpeg(profile) { $0.components = 4 }) == ideal)
    }
  }

  /// Adobe's programs store CMYK inverted, and YCCK with its first three inks as brightness and colours.
  @Test("Every kind of ink, at full size and at an eighth", arguments: [0, 2], [false, true])
  func kinds(transform: Int, progressive: Bool) throws {
    var bytes = TestImages.jpeg(width: 64, height: 64) {
      $0.components = 4
      $0.progressive = progressive
      $0.detail = 0
    }
    let mark = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("Adobe".utf8)) })
    bytes[mark + 11] = UInt8(transform)
    let facts = try inspected(bytes).get()
    #expect(facts.colourModel == (transform == 2 ? .ycck : .cmyk))
    // Each block has one colour, so each pixel at an eighth of the size shows a block's.
    let whole = try #require(decoded(body(bytes), facts).first).picture
    let small = try #require(decoded(body(bytes), facts, eighths: 1).first).picture
    for y in 0..<8 {
      for x in 0..<8 {
        #expect(zip(small[x, y], whole[x * 8 + 4, y * 8 + 4]).allSatisfy { abs($0 - $1) <= 2 })
      }
    }
    let colours = try upright(bytes)
    for (colour, ink) in zip(colours, whole.samples) {
      let expected = (0..<3).map { (255 - ink[$0]) * (255 - ink[3]) / 255 }
      #expect(zip(colour, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(ink) is \(colour)")
    }
  }
}

/// A profile for ink with greys only: a table of sixteen corners, between which colours are interpolated.
enum InkProfile {
  static let bytes: [UInt8] = {
    let even = (0...255).map { UInt8($0) }
    var corners: [UInt8] = []
    for corner in 0..<16 {
      // Cyan, magenta, yellow and black, each 0 or full; the last one varies fastest.
      let ink = (0..<4).map { corner >> (3 - $0) & 1 }
      let light = ink[3] == 1 ? 0 : 255 * (4 - ink[0] - ink[1] - ink[2]) / 4
      corners += [UInt8(light), 128, 128]
    }
    var table = MadeProfile.text("mft1") + MadeProfile.big(0, 4) + [4, 3, 2, 0]
    for place in 0..<9 { table += MadeProfile.fixed(place % 4 == 0 ? 1 : 0) }
    table += even + even + even + even + corners + even + even + even
    return MadeProfile.bytes(class: "prtr", space: "CMYK", connection: "Lab ", tags: [("A2B0", table)])
  }()
}
