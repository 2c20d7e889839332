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
    ("thumbnails of requests, and of no size", thumbnailRequests), ("PNG or JPEG by alpha", byAlpha),
    ("scaling to a number of bytes", scaledToFit), ("an own decoder that is fed as bytes come", comingDecoder),
    ("limits that say what to do", remedies), ("an own decoder", ownDecoder),
    ("thumbnails by an own decoder", ownThumbnail),
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
      try check(small.facts?.format == .png && small.facts?.width == 64 && small.facts?.height == 32, "\(small)")
      try check(small.result.source?.facts.width == 640, "\(small)")
    }
    try check(table.requests.count == 1, "\(table.requests)")
    await fetcher.close()
  }

  @Sendable static func thumbnailRequests() async throws {
    let jpeg = try stripes(640, 320).encoded()
    let url = "http://pictures.test/a.jpg"
    let fetcher = Fetcher(answers: AnswerTable([url: .init(body: jpeg)]))
    var request = try FetchRequest(url: url, tag: 9)
    request.priority = .high
    let small = try await fetcher.thumbnail(for: request, width: 64, height: 64)
    try check(small.facts?.format == .jpeg && small.facts?.width == 64 && small.result.tag == 9, "\(small)")
    let webp = try await fetcher.thumbnail(for: url, width: 64, height: 64, format: .webp)
    try check(webp.facts?.format == .webp, "\(webp)")
    for (width, height) in [(0, 64), (64, 0), (-1, -1)] {
      do throws(FetchError) {
        _ = try await fetcher.thumbnail(for: request, width: width, height: height)
        throw FetchError(.limit, url, "a thumbnail of \(width)x\(height) was made")
      } catch { try check(error.kind == .refused, "\(error)") }
    }
    await fetcher.close()
  }

  @Sendable static func byAlpha() async throws {
    let opaque = try stripes(8, 4)
    guard
      let clear = PixelBuffer(width: 2, height: 1, bytes: [1, 2, 3, 255, 4, 5, 6, 0]),
      let other = opaque.cropped(Crop(PixelSize(2, 2)))
    else { throw CheckFailure("no picture") }
    let fetcher = Fetcher()
    try check(opaque.isOpaque && other.isOpaque && !clear.isOpaque, "not as opaque as they are")
    try check(try opaque.encoded().starts(with: [0xFF, 0xD8]), "not a JPEG")
    try check(try clear.encoded().starts(with: [0x89, 0x50]), "not a PNG")
    try check(try await fetcher.decode(clear.encoded()).bytes == clear.bytes, "transparency is lost")
    await fetcher.close()
  }

  @Sendable static func scaledToFit() async throws {
    let picture = try stripes(300, 200)
    let small = try picture.scaledToFit(bytes: 60_000)
    try check(small.bytes.count <= 60_000 && small.bytes.count > 50_000, "\(small.bytes.count) bytes")
    try check(small.width * 2 == small.height * 3 || abs(small.width * 2 - small.height * 3) < 3, "\(small.width)")
    try check(try picture.scaledToFit() == picture, "enlarged")
    try check(try picture.scaledToFit(bytes: 1).bytes.count == 4, "more than a pixel")
    let fetcher = Fetcher()
    let decoded = try await fetcher.decode(
      picture.encoded(as: .png), DecodingOptions(size: .scaledToFit(bytes: 60_000)))
    try check(decoded.width == small.width && decoded.height == small.height, "\(decoded.width)x\(decoded.height)")
    await fetcher.close()
  }

  /// As ``DotsDecoder``, but it shows the dots that have come.
  private struct ComingDots: ComingPixelDecoder {
    let dots = DotsDecoder()

    final class Coming: ComingPixels {
      let bytes = Locked<[UInt8]>([])
      func feed(_ bytes: [UInt8]) throws { self.bytes.with { $0 += bytes } }

      func picture() throws -> PixelBuffer? {
        let bytes = bytes.with { $0 }
        guard bytes.count > 6 else { return nil }
        let count = Int(bytes[4]) * Int(bytes[5])
        var pixels = bytes.dropFirst(6).flatMap { grey -> [UInt8] in [grey, grey, grey, 255] }
        pixels += [UInt8](repeating: 0, count: count * 4 - pixels.count)
        return PixelBuffer(width: Int(bytes[4]), height: Int(bytes[5]), bytes: pixels)
      }
    }

    func recognises(_ beginning: [UInt8]) -> Bool { dots.recognises(beginning) }
    func decode(_ bytes: [UInt8]) throws -> [PixelBuffer] { try dots.decode(bytes) }
    func begin() -> any ComingPixels { Coming() }
  }

  @Sendable static func comingDecoder() async throws {
    let url = "http://pictures.test/a.dots"
    let dots = Array("DOTS".utf8) + [40, 20] + [UInt8](repeating: 200, count: 800)
    let table = AnswerTable([url: AnswerTable.Answer(body: dots).silent(after: 406)])
    var configuration = Fetcher.Configuration()
    configuration.decoders = [ComingDots()]
    let fetcher = Fetcher(configuration, answers: table)
    var partial: [PixelBuffer] = []
    for await event in fetcher.events(for: try FetchRequest(url: url), partialPictures: DecodingOptions()) {
      switch event {
      case .partial(let picture):
        partial.append(picture)
        table.release(url)
      case .done(let image): try check(try image.get().bytes == dots, "another image")
      case .underway, .stored: break
      }
    }
    guard let first = partial.first else { throw CheckFailure("no partial picture") }
    try check(first.width == 40 && first[0, 0]?.red == 200 && first[0, 19]?.alpha == 0, "\(first.bytes.prefix(8))")
    await fetcher.close()
  }

  @Sendable static func remedies() async throws {
    let url = "http://pictures.test/a.png"
    let fetcher = Fetcher(answers: AnswerTable([url: .init(body: try stripes(64, 32).encoded(as: .png))]))
    var request = try FetchRequest(url: url)
    request.options.maximumPixels = 100
    let error = await fetcher.answer(to: request).error
    try check(error?.kind == .limit && error?.remedy == .allowMorePixels, "\(String(describing: error))")
    await fetcher.close()
    // A limit in the past is one of a moment.
    var configuration = Fetcher.Configuration()
    configuration.stallTimeout = .seconds(-1)
    configuration.retries = 0
    let silent = Fetcher(configuration, answers: AnswerTable([url: AnswerTable.Answer().held]))
    let late = await silent.answer(to: try FetchRequest(url: url)).error
    try check(late?.kind == .timeout && late?.reason.contains("-") == false, "\(String(describing: late))")
    await silent.close()
  }

  /// An own decoder's images are accepted, like those of the library's formats.
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

  /// A thumbnail of such an image is kept like any other: the image is decoded for each size once.
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
          (small, ImageFormat.png, 10, 1), (small, .png, 10, 1), (turned, .png, 40, 2),
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
    try check(!children().isEmpty, "no helper was started")
    await fetcher.close()
    try check(children().isEmpty, "\(children().count) helpers are left")
  }

  /// The processes that this one has started, and that have not ended.
  private static func children() -> [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return numbers.filter { number in
      guard Int(number) != nil, let line = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
        let end = line.lastIndex(of: ")")
      else { return false }
      let words = line[end...].split(separator: " ")
      return words.count > 2 && words[1] != "Z" && words[2] == "\(getpid())"
    }
  }
}
