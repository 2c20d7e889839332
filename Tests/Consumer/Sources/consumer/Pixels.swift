import Foundation
import ImgfetchCore

/// A picture of stripes: 4x2 blocks of it show whether it was scaled and turned as it should.
func stripes(_ width: Int, _ height: Int) throws -> PixelBuffer {
  var bytes: [UInt8] = []
  for _ in 0..<height {
    for column in 0..<width { bytes += column * 2 < width ? [250, 20, 20, 255] : [20, 20, 250, 255] }
  }
  guard let made = PixelBuffer(width: width, height: height, bytes: bytes) else { throw CheckFailure("no picture") }
  return made
}

/// A format of one's own: `DOTS`, then width and height as one byte each, then a byte of grey for each pixel.
struct DotsDecoder: PixelDecoder {
  let calls = Locked(0)

  func recognises(_ beginning: [UInt8]) -> Bool { beginning.starts(with: Array("DOTS".utf8)) }

  func decode(_ bytes: [UInt8]) throws -> [PixelBuffer] {
    calls.with { $0 += 1 }
    let pixels = bytes.dropFirst(6).flatMap { grey -> [UInt8] in [grey, grey, grey, 255] }
    guard bytes.count > 6, let made = PixelBuffer(width: Int(bytes[4]), height: Int(bytes[5]), bytes: pixels) else {
      throw CheckFailure("not as many dots as it says")
    }
    return [made]
  }
}

enum Pixels {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("buffers", buffers), ("decoding", decoding), ("a thumbnail in one call", thumbnail),
    ("an own decoder", ownDecoder), ("thumbnails by an own decoder", ownThumbnail),
    ("animations by an own decoder", ownAnimation),
    ("decoding in a helper", helper),
  ]

  @Sendable static func buffers() async throws {
    let picture = try stripes(40, 20)
    let small = try picture.resized(Resize(.box(PixelSize(10, 10))))
    try check(small.width == 10 && small.height == 5, "\(small.width)x\(small.height)")
    try check(small[0, 0]?.red ?? 0 > 200 && small[9, 0]?.blue ?? 0 > 200, "\(small.bytes.prefix(8))")
    let turned = picture.turned(.quarter)
    try check(turned.width == 20 && turned.height == 40, "\(turned.width)x\(turned.height)")
    try check(turned[0, 0]?.red == 250 && turned[0, 39]?.blue == 250, "not clockwise")
    let part = picture.cropped(Crop(PixelSize(4, 4), x: 30, y: 0))
    try check(part?.width == 4 && part?[0, 0]?.blue == 250, "another part")
    try check(PixelBuffer(width: 2, height: 2, bytes: [1, 2, 3]) == nil, "bytes of no picture")
  }

  @Sendable static func decoding() async throws {
    let fetcher = Fetcher()
    let picture = try stripes(64, 32)
    let png = try picture.encoded(as: .png)
    try check(try await fetcher.decode(png).bytes == picture.bytes, "another picture")
    for format in [ImageFormat.png, .jpeg, .webp, .gif] {
      let image = try picture.encoded(as: format)
      let small = try await fetcher.decode(image, DecodingOptions(size: Resize(.box(PixelSize(8, 8)), fit: .cover)))
      try check(small.width == 8 && small.height == 8, "\(format): \(small.width)x\(small.height)")
      try check(small[0, 4]?.red ?? 0 > 200 && small[7, 4]?.blue ?? 0 > 200, "\(format): \(small.bytes.prefix(8))")
      try check(try await fetcher.decodeAll(image).count == 1, "\(format)")
    }
    var limited = DecodingOptions()
    limited.maximumPixels = 100
    do throws(FetchError) {
      _ = try await fetcher.decode(png, limited)
    } catch {
      guard error.kind == .limit else { throw CheckFailure("\(error)") }
      await fetcher.close()
      return
    }
    throw CheckFailure("decoded in spite of the limit")
  }

  @Sendable static func thumbnail() async throws {
    let png = try stripes(640, 320).encoded(as: .png)
    let table = AnswerTable(["http://pictures.test/a.png": .init(body: png)])
    let fetcher = Fetcher(answers: table)
    for _ in 0..<2 {
      let small = try await fetcher.thumbnail(for: "http://pictures.test/a.png", width: 64, height: 64)
      try check(small.facts?.format == .jpeg && small.facts?.width == 64 && small.facts?.height == 32, "\(small)")
      try check(small.result.source?.facts.width == 640, "\(small)")
    }
    try check(table.requests.count == 1, "\(table.requests)")
    await fetcher.close()
  }

  /// It accepts what it decodes, like a format of the library's.
  @Sendable static func ownDecoder() async throws {
    let url = "http://pictures.test/a.dots"
    let dots = Array("DOTS".utf8) + [2, 1, 10, 200]
    let table = AnswerTable([url: .init(body: dots), "\(url)?cut": .init(body: Array(dots.dropLast()))])
    try await withFolder { folder in
      var configuration = Fetcher.Configuration()
      configuration.cacheFolder = folder
      configuration.decoders = [DotsDecoder()]
      for level in [Verification.structure, .decode] {
        var options = FetchOptions()
        options.verification = level
        let fetcher = Fetcher(configuration, answers: table)
        for cache in [level == .structure ? CacheType.network : .disk, .memory] {
          let image = try await fetcher.image(for: url, options: options)
          try check(image.bytes == dots && image.cache == cache, "\(image) under \(level)")
          let picture = try await fetcher.decode(image)
          try check(picture.width == 2 && picture[1, 0]?.red == 200, "\(picture)")
        }
        let cut = await fetcher.answer(to: try FetchRequest(url: "\(url)?cut", options: options)).error
        try check(cut?.kind == .damaged, "\(String(describing: cut)) under \(level)")
        await fetcher.close()
      }
      // One who does not know the format is not given what another has stored.
      configuration.decoders = []
      let fetcher = Fetcher(configuration, answers: table)
      let unknown = await fetcher.answer(to: try FetchRequest(url: url)).error
      try check(unknown?.kind == .notImage, "\(String(describing: unknown))")
      await fetcher.close()
    }
  }

  /// What is made of such an image is kept like anything else that is made: it is decoded for each size once.
  @Sendable static func ownThumbnail() async throws {
    let url = "http://pictures.test/a.dots"
    let dots = Array("DOTS".utf8) + [40, 20] + [UInt8](repeating: 200, count: 800)
    let small = ImageTransform.thumbnail(width: 10, height: 10)
    let turned = ImageTransform(steps: [.turn(.half)])
    try await withFolder { folder in
      for level in [Verification.structure, .none] {
        var configuration = Fetcher.Configuration()
        configuration.cacheFolder = folder
        let decoder = DotsDecoder()
        configuration.decoders = [decoder]
        let fetcher = Fetcher(configuration, answers: AnswerTable([url: .init(body: dots)]))
        for (transform, format, width, calls) in [
          (small, ImageFormat.jpeg, 10, 1), (small, .jpeg, 10, 1), (turned, .png, 40, 2),
        ] {
          var request = try FetchRequest(url: url)
          request.options.verification = level
          request.transform = transform
          let image = try await fetcher.image(for: request)
          try check(image.facts?.format == format && image.facts?.width == width, "\(image) under \(level)")
          try check(image.result.source == nil, "\(image)")
          let verifying = level == .none ? 0 : 1
          let decoded = decoder.calls.with { $0 }
          try check(decoded == calls + verifying, "decoded \(decoded) times under \(level)")
          let picture = try await fetcher.decode(image)
          try check(picture.height == picture.width / 2 && picture[5, 4]?.red == 200, "\(picture)")
        }
        await fetcher.close()
      }
    }
  }

  @Sendable static func ownAnimation() async throws {
    struct Film: PixelDecoder {
      let sizes: [(Int, Int)]
      func recognises(_ beginning: [UInt8]) -> Bool { beginning.starts(with: Array("FILM".utf8)) }
      func decode(_ bytes: [UInt8]) throws -> [PixelBuffer] { try sizes.map { try stripes($0.0, $0.1) } }
    }
    let url = "http://pictures.test/a.film"
    for (sizes, frames) in [([(40, 20), (40, 20), (40, 20)], 3), ([(40, 20), (20, 20)], 1)] {
      var configuration = Fetcher.Configuration()
      configuration.decoders = [Film(sizes: sizes)]
      let fetcher = Fetcher(configuration, answers: AnswerTable([url: .init(body: Array("FILM".utf8))]))
      var request = try FetchRequest(url: url)
      request.transform = ImageTransform(steps: [.turn(.quarter)])
      let image = try await fetcher.image(for: request)
      try check(image.facts?.frames == frames && image.facts?.width == 20 && image.facts?.height == 40, "\(image)")
      try check(try await fetcher.decodeAll(image.bytes).count == frames, "not as many pictures")
      await fetcher.close()
    }
  }

  /// With the binary of imgfetch as the helper, if the environment names one.
  @Sendable static func helper() async throws {
    guard let path = ProcessInfo.processInfo.environment["TEST_IMGFETCH"], !path.isEmpty else {
      return
    }
    var configuration = Fetcher.Configuration()
    configuration.decoding = .helper(path)
    let picture = try stripes(64, 32)
    let fetcher = Fetcher(
      configuration, answers: AnswerTable(["http://x.test/a.png": .init(body: try picture.encoded(as: .png))]))
    try check(try await fetcher.decode(try picture.encoded(as: .png)).bytes == picture.bytes, "another picture")
    let small = try await fetcher.thumbnail(for: "http://x.test/a.png", width: 8, height: 8)
    try check(small.facts?.width == 8 && small.facts?.height == 4, "\(small)")
    await fetcher.close()
  }
}
