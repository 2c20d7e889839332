/// The options for decoding an image.
public struct DecodingOptions: Sendable {
  /// The wanted size. The default, nil, means that of the image. JPEG and still WebP are
  /// decoded smaller from the start.
  public var size: Resize?
  /// True, the default, if the picture is turned by the file's EXIF orientation. The wanted size is
  /// that of the turned picture.
  public var appliesOrientation = true
  /// The limit on pixels times frames, 256 Mi by default. A larger image is refused before memory is allocated for it.
  public var maximumPixels: Int64 = 256 << 20

  /// The image in its own size, upright.
  public init() {}

  /// The image in this size, upright.
  public init(size: Resize) { self.size = size }

  /// The size in which an image is decoded, and its facts as far as they count for that.
  func target(of facts: ImageFacts) -> (facts: ImageFacts, size: PixelSize) {
    var facts = facts
    if !appliesOrientation { facts.orientation = 1 }
    let upright = Orientation(exif: facts.orientation).turned(PixelSize(facts.width, facts.height))
    return (facts, size?.scaled(upright) ?? upright)
  }
}

/// A decoder of a program's own, for images that begin with bytes of its own.
///
/// Such images are fetched like others: one is accepted if this decodes it. It has no ``ImageFacts``, so a request's
/// demands on size or format do not apply to it, and ``FetchHooks/beforeStoring`` is not called with it. A
/// ``FetchRequest/transform`` works on its pictures as if they had come as a PNG, which is then the format of the
/// result unless another is wanted; ``FetchResult/source`` is nil. The image is decoded again when it comes from disk,
/// but not when it comes from memory, or when the derived image is in a cache.
public protocol PixelDecoder: Sendable {
  /// True if the image is this decoder's. Called with the first bytes of each image that is decoded, at most 64.
  func recognises(_ beginning: [UInt8]) -> Bool

  /// Decodes the image: one picture, or all of an animation. Called on one of the fetcher's threads,
  /// for several images at once.
  func decode(_ bytes: [UInt8]) throws -> [PixelBuffer]
}

/// A decoder of a program's own that shows what there is of an image while the rest is still coming: among the events
/// of ``Fetcher/events(for:partialPictures:)``.
public protocol ComingPixelDecoder: PixelDecoder {
  /// Begins an image that this decoder recognises.
  func begin() -> any ComingPixels
}

/// The decoding of one image while it comes. It is used by one of the fetcher's threads at a time.
public protocol ComingPixels: AnyObject, Sendable {
  /// Takes the next bytes, from the first one on. After an error nothing more of this image is
  /// shown before it is whole.
  func feed(_ bytes: [UInt8]) throws

  /// The picture as far as it has come, in its own size and transparent in the missing parts, or nil if
  /// there is nothing to show yet.
  func picture() throws -> PixelBuffer?
}

/// The format that a decoder of the program's own is for: an image is whole if it decodes it.
struct DecodedFormat: OwnFormat {
  private let decoder: any PixelDecoder

  init(_ decoder: any PixelDecoder) { self.decoder = decoder }

  func recognises(_ beginning: [UInt8]) -> Bool { decoder.recognises(beginning) }

  func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) {
    _ = try pictures(of: image, maximumPixels: maximumPixels)
  }

  /// An animation if there are several pictures of one size, else the first one.
  func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8] {
    let pictures = try pictures(of: image, maximumPixels: maximumPixels)
    let isAnimation = pictures.count > 1 && pictures.allSatisfy { $0.size == pictures[0].size }
    do throws(FetchError) {
      guard isAnimation else { return try pictures[0].encoded(as: .png) }
      var assembly = APNGAssembly(frames: pictures.count, plays: 0)
      for picture in pictures { assembly.append(try picture.encoded(as: .png), milliseconds: picture.milliseconds) }
      return assembly.finish()
    } catch { throw OwnFormatFailure(reason: "its pixels cannot be written as a PNG: \(error.reason)") }
  }

  /// Returns at least one picture.
  func pictures(of image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [PixelBuffer] {
    let pictures: [PixelBuffer]
    do { pictures = try decoder.decode(image) } catch {
      throw OwnFormatFailure(reason: "its pixels cannot be decoded: \(error)")
    }
    if pictures.isEmpty { throw OwnFormatFailure(reason: "it has no picture") }
    // The pictures are in memory, so the sum cannot overflow.
    let pixels = pictures.reduce(into: Int64(0)) { $0 += $1.size.area }
    if pixels > maximumPixels {
      throw OwnFormatFailure(
        reason: "\(pixels) pixels are more than the limit of \(maximumPixels)", isTooLarge: true)
    }
    return pictures
  }
}

/// The place where pixels are decoded. Codecs are large C libraries that read untrusted bytes.
public enum DecodingPlace: Sendable, Hashable {
  /// Pixels are decoded in this process, on its fetcher's threads: a flaw in a codec is a flaw of this program.
  case inProcess
  /// Pixels are decoded in helper processes of the given program, such as `/usr/bin/imgfetch`: without files, network
  /// or new processes (seccomp and Landlock). A flaw in a codec costs the image that uses it. Starting a
  /// helper takes two milliseconds, sending it an image some tens of microseconds. Own decoders
  /// (``PixelDecoder``) are called in this process.
  case helper(String)
}

/// Decodes images that are in memory.
struct ImageDecoding: Sendable {
  var executor: any PixelExecutor
  let decoders: [any PixelDecoder]
  let place: DecodingPlace

  /// The decoding of an image of the program's own format while it arrives, or nil if no decoder does that.
  func coming(_ body: ImageBody) -> (any ComingPixels)? {
    let beginning = body.bytes(from: 0, atMost: BodyInspector.beginning)
    return (decoders.first { $0.recognises(beginning) } as? any ComingPixelDecoder)?.begin()
  }

  /// All pictures of an image, or only the first.
  func pictures(
    of bytes: [UInt8], _ options: DecodingOptions, all: Bool, about subject: String
  ) throws(FetchError) -> [PixelBuffer] {
    let beginning = Array(bytes.prefix(64))
    if let own = decoders.first(where: { $0.recognises(beginning) }) {
      return try decode(bytes, with: own, options, all: all, about: subject)
    }
    let (facts, wanted) = options.target(of: try inspect(bytes, options, about: subject))
    let (pixels, isOver) = wanted.area.multipliedReportingOverflow(by: Int64(all ? facts.frames : 1))
    if isOver || pixels > options.maximumPixels {
      throw FetchError(
        .limit, subject, "\(wanted.width)x\(wanted.height) pixels are more than the limit of \(options.maximumPixels)",
        remedy: .allowMorePixels)
    }
    let pictures: [PixelBuffer]
    do throws(PixelFailure) {
      let limits = PixelLimits(maxPixels: options.maximumPixels, executor: executor)
      pictures = try decode(ImageBody(.bytes(bytes)), facts, wanted, limits, all: all)
    } catch { throw error.fetchError(of: subject) }
    guard let crop = options.size?.crop(wanted) else { return pictures }
    return pictures.map { $0.cropped(crop) ?? $0 }
  }

  private func decode(
    _ body: ImageBody, _ facts: ImageFacts, _ size: PixelSize, _ limits: PixelLimits, all: Bool
  ) throws(PixelFailure) -> [PixelBuffer] {
    try limits.admit(facts)
    let need = PixelLimits.need(facts, encoded: body.count) + size.area * 4
    return try limits.memory.holding(need) { memory throws(PixelFailure) in
      let frames = try ShownFrames(body, facts, size: size, memory: memory, executor: executor)
      var pictures: [PixelBuffer] = []
      while let picture = try frames.next() {
        pictures.append(
          PixelBuffer(
            unchecked: picture.size, picture.pixels, milliseconds: facts.frames > 1 ? picture.milliseconds : 0))
        if !all { break }
      }
      guard !pictures.isEmpty else { throw .damaged(facts.format, reason: "it has no picture") }
      return pictures
    }
  }

  private func decode(
    _ bytes: [UInt8], with own: any PixelDecoder, _ options: DecodingOptions, all: Bool, about subject: String
  ) throws(FetchError) -> [PixelBuffer] {
    var pictures: [PixelBuffer]
    do throws(OwnFormatFailure) {
      pictures = try DecodedFormat(own).pictures(of: bytes, maximumPixels: options.maximumPixels)
    } catch { throw error.fetchError(of: subject) }
    if !all { pictures = Array(pictures.prefix(1)) }
    guard let size = options.size else { return pictures }
    var made: [PixelBuffer] = []
    for picture in pictures { made.append(try picture.resized(size)) }
    return made
  }

  private func inspect(
    _ bytes: [UInt8], _ options: DecodingOptions, about subject: String
  ) throws(FetchError) -> ImageFacts {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: options.maximumPixels))
    do throws(InspectionFailure) {
      try inspector.feed(bytes.span)
      return try inspector.finish()
    } catch { throw error.fetchError(of: subject) }
  }
}
